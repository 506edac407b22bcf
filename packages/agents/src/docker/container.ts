import { ContainerList, ContainerState, Created } from "./answers.ts";
import type { Engine } from "./engine.ts";
import { EngineAnswer } from "./errors.ts";

const REMOVE_MS = 15_000;
const LIST_MS = 5_000;

/** Makes and starts a container; gives its id. A half-made one is taken away again. */
export async function startContainer(
  engine: Engine,
  name: string,
  config: object,
): Promise<string> {
  const created = await engine.call("POST", `/containers/create?name=${encodeURIComponent(name)}`, {
    body: config,
  });
  const { Id: id } = Created.parse(created);
  try {
    await engine.call("POST", `/containers/${id}/start`, { ok: [204, 304], timeoutMs: 60_000 });
    return id;
  } catch (error) {
    await removeContainer(engine, id);
    throw error;
  }
}

/** Gone is gone: one that is not there is no error, and one that is being removed already is waited for. */
export async function removeContainer(engine: Engine, id: string): Promise<void> {
  const timeoutMs = REMOVE_MS;
  try {
    await engine.call("DELETE", `/containers/${id}?force=1&v=1`, { ok: [204, 404], timeoutMs });
  } catch (error) {
    if (!(error instanceof EngineAnswer)) throw error;
    if (error.status !== 409) return;
    const untilGone = `/containers/${id}/wait?condition=removed`;
    await engine.call("POST", untilGone, { ok: [200, 404], timeoutMs });
  }
}

/** Containers with this label that have a folder or file of the host mounted. */
export async function mountedIn(engine: Engine, source: string, label: string): Promise<string[]> {
  const filters = encodeURIComponent(JSON.stringify({ label: [label] }));
  const path = `/containers/json?all=1&filters=${filters}`;
  const list = await engine.call("GET", path, { timeoutMs: LIST_MS });
  return ContainerList.parse(list)
    .filter(({ Mounts }) => Mounts.some((mount) => mount.Source === source))
    .map(({ Id }) => Id);
}

export async function addressOf(engine: Engine, id: string): Promise<string> {
  const { NetworkSettings } = ContainerState.parse(
    await engine.call("GET", `/containers/${id}/json`),
  );
  return NetworkSettings?.IPAddress ?? "";
}
