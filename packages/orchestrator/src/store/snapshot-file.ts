import { createHash, webcrypto } from "node:crypto";
import { SnapshotHeader } from "@multiverse/protocol/entity-files";
import { idProblem } from "@multiverse/protocol/id";
import { savedEntries, type SavedState } from "@multiverse/protocol/saved-state";
import type { WorkspaceState } from "@multiverse/protocol/state";
import { migrateState, SCHEMA_VERSION, tooNew } from "./schema.ts";

/** A snapshot is one JSON object whose last key is `state`, so that the header can be read without the rest. */
const STATE_KEY = Buffer.from(',"state":');
/** More than any header takes. */
export const HEADER_BYTES = 4_096;

export type NewHeader = Omit<SnapshotHeader, "version" | "hash" | "seq">;

export interface EncodedSnapshot {
  readonly header: SnapshotHeader;
  readonly chunks: readonly Buffer[];
  readonly bytes: number;
}

/** Records per slice, so that a large plan does not hold up everyone else. */
const SLICE = 250;

/** The file for a state. Slices give way to others between them; the state is immutable, so it stays one moment. */
export async function encodeSnapshot(
  header: NewHeader,
  state: WorkspaceState,
  pause: () => Promise<void>,
): Promise<EncodedSnapshot> {
  const chunks: Buffer[] = [];
  const hash = createHash("sha256");
  const add = (text: string): void => {
    const chunk = Buffer.from(text);
    hash.update(chunk);
    chunks.push(chunk);
  };
  let separator = "{";
  for (const [key, value] of savedEntries(state)) {
    if (!Array.isArray(value) || value.length <= SLICE) {
      add(`${separator}${JSON.stringify(key)}:${JSON.stringify(value)}`);
    } else {
      add(`${separator}${JSON.stringify(key)}:[`);
      for (let i = 0; i < value.length; i += SLICE) {
        add(`${i > 0 ? "," : ""}${JSON.stringify(value.slice(i, i + SLICE)).slice(1, -1)}`);
        await pause();
      }
      add("]");
    }
    separator = ",";
  }
  add("}");
  const full: SnapshotHeader = {
    version: SCHEMA_VERSION,
    ...header,
    seq: state.seq,
    hash: hash.digest("hex"),
  };
  chunks.unshift(Buffer.concat([Buffer.from(JSON.stringify(full).slice(0, -1)), STATE_KEY]));
  chunks.push(Buffer.from("}"));
  return { header: full, chunks, bytes: chunks.reduce((sum, chunk) => sum + chunk.length, 0) };
}

/** The header of a snapshot from its first bytes, or undefined if they are not one. Newer ones are refused. */
export function decodeHeader(start: Buffer): SnapshotHeader | undefined {
  const end = start.indexOf(STATE_KEY);
  if (end === -1) return undefined;
  try {
    const header = SnapshotHeader.safeParse(JSON.parse(`${start.toString("utf8", 0, end)}}`));
    if (header.success && header.data.version > SCHEMA_VERSION) {
      throw tooNew(`${header.data.id} has version ${header.data.version}`);
    }
    return header.data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export type Decoded = { readonly header: SnapshotHeader; readonly saved: SavedState };

/** From here on hashing goes on beside parsing, on another core; below it, handing over takes longer than hashing. */
const LARGE = 1_048_576;

const hashOf = async (state: Buffer): Promise<string> =>
  state.length < LARGE
    ? createHash("sha256").update(state).digest("hex")
    : Buffer.from(await webcrypto.subtle.digest("SHA-256", state)).toString("hex");

/** The state in a snapshot file, or what is wrong with the file. */
export async function decodeSnapshot(file: Buffer): Promise<Decoded | { problem: string }> {
  const header = decodeHeader(file.subarray(0, HEADER_BYTES));
  if (!header) return { problem: "it is not a snapshot" };
  const state = file.subarray(file.indexOf(STATE_KEY) + STATE_KEY.length, file.length - 1);
  const hash = hashOf(state);
  const parsed = parse(state);
  if ((await hash) !== header.hash || parsed === undefined)
    return { problem: "its hash does not match" };
  const saved = migrateState(parsed, header.version);
  const problem = problemOf(saved);
  return problem === null ? { header, saved } : { problem };
}

/** Ids become names of files, and a right hash only says that whoever wrote them last could count. */
function problemOf(saved: SavedState): string | null {
  const { nodes, runtimes, tasks, attempts, backlog, tests, sessions } = saved;
  const named = [nodes, tasks, attempts, backlog, sessions];
  if (![...named, runtimes, tests].every(Array.isArray)) return "it holds no state";
  const bad = (id: string): boolean => typeof id !== "string" || idProblem(id) !== undefined;
  const isBad =
    named.some((records) => records.some(({ id }) => bad(id))) ||
    [runtimes, tests].some((records) => records.some(({ nodeId }) => bad(nodeId)));
  return isBad ? "it names something that cannot be an id" : null;
}

function parse(text: Buffer): unknown {
  try {
    return JSON.parse(text.toString("utf8"));
  } catch {
    return undefined;
  }
}
