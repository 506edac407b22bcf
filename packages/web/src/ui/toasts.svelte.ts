import { RequestError } from "../connection/request-error.ts";

export interface Toast {
  readonly id: number;
  readonly tone: "info" | "good" | "bad";
  readonly message: string;
  readonly hint: string;
  readonly action?: { readonly label: string; readonly run: () => void };
}

const SHOWN_MS = { info: 5_000, good: 4_000, bad: 10_000 } as const;
const AT_ONCE = 4;

/** Short messages in the corner: what just happened, and one button that helps. */
class Toasts {
  list: readonly Toast[] = $state.raw([]);
  #next = 1;

  add(toast: Omit<Toast, "id" | "hint"> & { hint?: string }): void {
    const id = this.#next++;
    this.list = [...this.list.slice(1 - AT_ONCE), { hint: "", ...toast, id }];
    setTimeout(() => this.remove(id), SHOWN_MS[toast.tone]);
  }

  /** An action that failed, in the server's own words. */
  failed(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    this.add({ tone: "bad", message, hint: error instanceof RequestError ? error.hint : "" });
  }

  remove(id: number): void {
    this.list = this.list.filter((toast) => toast.id !== id);
  }
}
export const toasts = new Toasts();

/** Does what a button asks for; a refusal is shown, and the caller learns whether it worked. */
export async function attempt(action: () => Promise<unknown>): Promise<boolean> {
  try {
    await action();
    return true;
  } catch (error) {
    toasts.failed(error);
    return false;
  }
}
