/** The page's address: which workspace is open, and (kept by Ide) what is looked at in it. */
const read = () => new URLSearchParams(location.search);

class Route {
  workspaceId: string | null = $state(null);
  /** The welcome page was asked for; otherwise the last workspace opens by itself. */
  welcome = $state(false);

  load(): void {
    const params = read();
    this.workspaceId = params.get("w");
    this.welcome = params.has("welcome");
  }
}
export const route = new Route();

export function navigate(workspaceId: string | null): void {
  history.pushState(null, "", workspaceId === null ? "/?welcome" : `/?w=${workspaceId}`);
  route.load();
}

/** Writes what is looked at into the address, without a new entry in the history. */
export function rewriteUrl(change: (params: URLSearchParams) => void): void {
  const params = read();
  change(params);
  const query = params.toString();
  const next = query === "" ? "/" : `/?${query}`;
  if (next !== location.pathname + location.search) history.replaceState(null, "", next);
}

export const urlParams = read;
