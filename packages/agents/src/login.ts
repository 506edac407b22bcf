import { createHash } from "node:crypto";
import { lstatSync, readFileSync, readdirSync, statSync } from "node:fs";
import { basename, isAbsolute, join, resolve } from "node:path";
import { MultiverseError } from "@multiverse/protocol/error";
import type { AgentCli } from "./cli/agent-cli.ts";
import type { LoginMount } from "./sandbox/sandbox.ts";

/** What a CLI may log in with: files for its home, variables for its runs, and what must never be shown. */
export interface FoundLogin {
  readonly mounts: readonly LoginMount[];
  readonly env: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
  /** Where the key belongs, if the person set another address beside it: it is sent nowhere else. */
  readonly address: string | null;
  /** Tells two accounts apart without saying anything about either. */
  readonly credential: string;
}

export interface LoginSources {
  /** The person's home folder. */
  readonly home: string;
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
  /** The task's own variables, resolved; they win over the host's. */
  readonly taskEnv: Readonly<Record<string, string>>;
  /** `worker.auth_path`: a login file or folder to use instead of the default ones. */
  readonly authPath?: string | undefined;
}

/** The login of a CLI as it can be had on this machine; null if there is none. Reads, never writes. */
export function findLogin(cli: AgentCli, sources: LoginSources): FoundLogin | null {
  const { login } = cli;
  const inTask = keyIn(cli, sources.taskEnv);
  if (inTask) return withKey(cli, inTask, sources.taskEnv);
  if (sources.authPath !== undefined)
    return withFiles([authMount(cli, sources.authPath, sources.home)]);
  const mounts = login.files
    .map((file) => ({ source: join(sources.home, file), target: file }))
    .filter(({ source }) => exists(source));
  const key = keyIn(cli, sources.hostEnv);
  if (key && !(login.filesFirst === true && mounts.length > 0))
    return withKey(cli, key, sources.hostEnv);
  return mounts.length > 0 ? withFiles(mounts) : null;
}

export function loginMissing(cli: AgentCli, why: string | null = null): MultiverseError {
  return new MultiverseError(
    "LOGIN_MISSING",
    why ?? `${cli.kind} is not logged in: no login file and no key was found`,
    {
      hint: cli.login.hint,
    },
  );
}

type Env = Readonly<Record<string, string | undefined>>;

const keyIn = (cli: AgentCli, env: Env): string | undefined =>
  cli.login.env.find((name) => Boolean(env[name]));

function withKey(cli: AgentCli, name: string, env: Env): FoundLogin {
  const value = env[name] ?? "";
  const handedOver = { [cli.login.rename[name] ?? name]: value };
  for (const companion of cli.login.companions ?? []) {
    const set = env[companion];
    if (set) handedOver[companion] = set;
  }
  const secrets = value.length >= SHORTEST_KEY ? [value] : []; // a switch such as `true` is no secret
  const address = (cli.baseUrlEnv && env[cli.baseUrlEnv]) || null;
  return { mounts: [], env: handedOver, secrets, address, credential: fingerprint(value) };
}

function withFiles(mounts: readonly LoginMount[]): FoundLogin {
  return {
    mounts,
    env: {},
    secrets: mounts.flatMap(({ source }) => secretsIn(source)),
    address: null,
    credential: fingerprint(mounts.map(({ source }) => source).join("\n")),
  };
}

function authMount(cli: AgentCli, authPath: string, home: string): LoginMount {
  const source = isAbsolute(authPath) ? authPath : resolve(home, authPath.replace(/^~\//, ""));
  if (!exists(source)) {
    throw new MultiverseError(
      "LOGIN_MISSING",
      `the login ${JSON.stringify(authPath)} (worker.auth_path) does not exist`,
      {
        hint: `Correct auth_path, or leave it out. ${cli.login.hint}`,
      },
    );
  }
  return { source, target: targetOf(cli, source) };
}

/** A file takes the place of the login file with its name, a folder that of the login's folder. */
function targetOf(cli: AgentCli, source: string): string {
  const [first = ".login"] = cli.login.files;
  if (statSync(source).isDirectory())
    return first.includes("/") ? first.slice(0, first.indexOf("/")) : first;
  const sameName = cli.login.files.find((file) => basename(file) === basename(source));
  if (sameName !== undefined) return sameName;
  return first.includes("/") ? first : `${first}/${basename(source)}`;
}

function exists(path: string): boolean {
  try {
    statSync(path);
    return true;
  } catch {
    return false;
  }
}

const SHORTEST_KEY = 8;
const LARGEST_LOGIN_FILE = 262_144;
const DEEPEST = 2;
const SHORTEST_SECRET = 16;

/** Every long value in the login's files: one of them is the key, and none of them is worth showing. */
function secretsIn(path: string, depth = 0): string[] {
  try {
    const info = lstatSync(path);
    if (info.isDirectory()) {
      if (depth >= DEEPEST) return [];
      return readdirSync(path)
        .slice(0, 200)
        .flatMap((name) => secretsIn(join(path, name), depth + 1));
    }
    if (!info.isFile() || info.size > LARGEST_LOGIN_FILE) return [];
    return valuesIn(readFileSync(path, "utf8"));
  } catch {
    return [];
  }
}

function valuesIn(text: string): string[] {
  try {
    return longStrings(JSON.parse(text));
  } catch {
    return text
      .split(/[\s"'=:,]+/)
      .filter((word) => word.length >= SHORTEST_SECRET && !word.includes("/"));
  }
}

function longStrings(value: unknown): string[] {
  if (typeof value === "string") return isSecretLike(value) ? [value] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(longStrings);
}

/** Long and without spaces or slashes: masking a path or a sentence would garble what people have to read. */
const isSecretLike = (text: string): boolean =>
  text.length >= SHORTEST_SECRET && /^[^\s/\\]+$/.test(text);

const fingerprint = (text: string): string =>
  createHash("sha256").update(text).digest("hex").slice(0, 16);
