import { access, readFile } from "node:fs/promises";
import { isIP } from "node:net";
import { resolve } from "node:path";
import { MultiverseError } from "@multiverse/protocol/error";
import { findServer, type Client } from "../client.ts";
import { demoFor } from "../demo.ts";
import type { Tls } from "../listen.ts";
import type { RunningServer } from "../server.ts";
import type { CliContext } from "./context.ts";
import { becomeServer, LOOPBACK } from "./one-server.ts";
import { openBrowser } from "./open-browser.ts";
import { requireDemo } from "./require-demo.ts";

export interface ServeFlags {
  readonly open: boolean;
  readonly port?: number;
  readonly host: string;
  readonly demo?: boolean;
  readonly detach?: boolean;
  readonly passwordFile?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
}

/** `multiverse [PROJECT_DIR]`: opens the folder in the server that runs already, or becomes the server. */
export async function serve(
  context: CliContext,
  project: string,
  flags: ServeFlags,
): Promise<number> {
  const folder = resolve(context.cwd, project);
  if (!project.includes("/")) await refuseMistyped(project, folder);
  const running = await findServer(context.home);
  if (running) return openInRunning(context, running, folder, flags);
  const { password, tls } = await doorFor(flags);
  const { demo, says } = await demoFor(context, flags);
  const port = flags.port === undefined ? {} : { port: flags.port };
  const one = await becomeServer(context, { host: flags.host, ...port, tls, password, demo });
  if (one.running) return openInRunning(context, one.running, folder, flags);
  const { own } = one;
  try {
    await own.workspaces.openFolder(folder);
  } catch (error) {
    await own.stop({ detach: true });
    throw error;
  }
  context.terminal.out(`${says}\nready at ${own.loginUrl()}\n`);
  if (flags.open) await openBrowser(own.loginUrl(), context.environment);
  return untilSignalled(context, own, flags.detach === true);
}

/** A word that is neither a command nor a folder is more likely a slip than the name of a new project. */
async function refuseMistyped(word: string, folder: string): Promise<void> {
  const isThere = await access(folder).then(
    () => true,
    () => false,
  );
  if (isThere) return;
  throw new MultiverseError("INVALID_INPUT", `there is no command and no folder ${word}`, {
    hint: `\`multiverse --help\` lists the commands; for a new project write \`multiverse ./${word}\`.`,
  });
}

async function openInRunning(
  context: CliContext,
  client: Client,
  path: string,
  flags: ServeFlags,
): Promise<number> {
  if (flags.demo) await requireDemo(client);
  const opened = await client.api.openWorkspace(path);
  const { url } = await client.api.loginLink();
  context.terminal.out(`opened ${opened.projectRoot} in the server that is running\n`);
  const ignored = onlyAtStart(flags);
  if (ignored.length > 0)
    context.terminal.err(
      `${ignored.join(", ")}: only for a server that starts; stop that one first\n`,
    );
  context.terminal.out(`ready at ${url}\n`);
  if (flags.open) await openBrowser(url, context.environment);
  return 0;
}

/** What was asked for and a server that runs already cannot take on any more. */
const onlyAtStart = (flags: ServeFlags): string[] => [
  ...(flags.port === undefined ? [] : ["--port"]),
  ...(flags.host === LOOPBACK ? [] : ["--host"]),
  ...(flags.detach ? ["--detach"] : []),
  ...(flags.passwordFile === undefined ? [] : ["--password-file"]),
  ...(flags.tlsCert === undefined ? [] : ["--tls-cert"]),
  ...(flags.tlsKey === undefined ? [] : ["--tls-key"]),
];

/** Anything but loopback is refused without a password and TLS. */
async function doorFor(flags: ServeFlags): Promise<{ password: string | null; tls: Tls | null }> {
  const { passwordFile, tlsCert, tlsKey } = flags;
  if ((tlsCert === undefined) !== (tlsKey === undefined))
    throw new MultiverseError("INVALID_INPUT", "TLS needs a certificate and its key", {
      hint: "Give both --tls-cert and --tls-key, or neither.",
    });
  const password = passwordFile === undefined ? null : (await readNamed(passwordFile)).trim();
  const tls =
    tlsCert === undefined || tlsKey === undefined
      ? null
      : { cert: await readNamed(tlsCert), key: await readNamed(tlsKey) };
  if (!isLoopback(flags.host) && (password === null || tls === null))
    throw new MultiverseError("FORBIDDEN", `listening on ${flags.host} needs a password and TLS`, {
      hint: "Give --password-file, --tls-cert and --tls-key, or leave --host out.",
    });
  if (password !== null && password.length < 12)
    throw new MultiverseError("INVALID_INPUT", "the password is shorter than 12 characters", {
      hint: "Put a longer one into the file.",
    });
  return { password, tls };
}

const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));

const readNamed = (path: string): Promise<string> =>
  readFile(path, "utf8").catch((cause: unknown) => {
    throw new MultiverseError("INVALID_INPUT", `${path} cannot be read`, {
      hint: "Check the path and its permissions.",
      cause,
    });
  });

/** Runs until someone says stop. A second signal does not wait. */
function untilSignalled(
  context: CliContext,
  server: RunningServer,
  detach: boolean,
): Promise<number> {
  return new Promise((done) => {
    let stopping = false;
    const stop = (): void => {
      if (stopping) return context.exit(130);
      stopping = true;
      context.terminal.err(detach ? "stopping; tasks go on\n" : "stopping…\n");
      done(
        server.stop({ detach }).then(
          () => 0,
          (error: unknown) => {
            context.log.error("the stop was not clean", { error });
            return 1;
          },
        ),
      );
    };
    context.onStop(stop);
  });
}
