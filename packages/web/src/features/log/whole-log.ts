import type { WorkspaceApi } from "../../connection/api.ts";

const MOST = 4 * 1_048_576;

/** An attempt's log from its file, page by page, up to a size a page can hold. */
export async function readWholeLog(
  api: Pick<WorkspaceApi, "attemptLog">,
  attemptId: string,
): Promise<string> {
  let text = "";
  let after = 0;
  for (;;) {
    const page = await api.attemptLog(attemptId, after);
    text += page.text;
    if (page.after <= after || page.after >= page.size || text.length >= MOST) return text;
    after = page.after;
  }
}
