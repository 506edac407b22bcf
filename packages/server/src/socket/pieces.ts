import { savedEntries } from "@multiverse/protocol/saved-state";
import type { WorkspaceState } from "@multiverse/protocol/state";

/** The most of one message that is under way to a client at a time. */
const PIECE_BYTES = 64 * 1_024;

/** Brings buffers to sizes worth a write: small ones together, large ones cut, nothing copied that need not be. */
export function* pack(buffers: Iterable<Buffer>): Generator<Buffer> {
  let small: Buffer[] = [];
  let size = 0;
  for (const buffer of buffers) {
    if (size > 0 && size + buffer.length > PIECE_BYTES) {
      yield Buffer.concat(small, size);
      small = [];
      size = 0;
    }
    if (buffer.length <= PIECE_BYTES) {
      small.push(buffer);
      size += buffer.length;
    } else {
      for (let at = 0; at < buffer.length; at += PIECE_BYTES)
        yield buffer.subarray(at, at + PIECE_BYTES);
    }
  }
  if (size > 0) yield Buffer.concat(small, size);
}

/** A state as the text of its message, record by record, so that nobody has to hold all of it at once. */
export function* stateMessage(state: WorkspaceState): Generator<Buffer> {
  yield Buffer.from(`{"seq":${state.seq},"state":{`);
  let first = true;
  for (const [key, value] of savedEntries(state)) {
    yield Buffer.from(`${first ? "" : ","}${JSON.stringify(key)}:`);
    first = false;
    if (Array.isArray(value)) yield* listText(value);
    else yield Buffer.from(JSON.stringify(value));
  }
  yield Buffer.from("}}");
}

/** A list as JSON, item by item. */
export function* listText(items: Iterable<unknown>): Generator<Buffer> {
  yield Buffer.from("[");
  let comma = "";
  for (const item of items) {
    yield Buffer.from(`${comma}${JSON.stringify(item)}`);
    comma = ",";
  }
  yield Buffer.from("]");
}

/** The message that carries the facts of some commits, each already encoded. */
export function* factsMessage(seq: number, commits: readonly Buffer[]): Generator<Buffer> {
  yield Buffer.from(`{"seq":${seq},"facts":[`);
  for (const [index, commit] of commits.entries()) {
    if (index > 0) yield Buffer.from(",");
    yield commit;
  }
  yield Buffer.from("]}");
}
