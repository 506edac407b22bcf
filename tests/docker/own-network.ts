import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";

/** A network apart from the machine's. It outlives the engine that works in it, as the machine's does. */
export interface OwnNetwork {
  /** What runs a command in it. */
  readonly enter: readonly string[];
  /** Makes a port of this machine answer at the same number in there, on every address. */
  openDoor(port: number): Promise<void>;
  close(): Promise<void>;
}

/** Holds the network, and lets connections out of it by a socket file, which knows no networks. */
const HOLDER = `
const net = require("node:net");
process.on("message", ({ port, socket }) => {
  net.createServer((from) => {
    const to = net.connect(socket);
    for (const end of [from, to]) end.on("error", () => (from.destroy(), to.destroy()));
    from.pipe(to).pipe(from);
  }).listen(port, "0.0.0.0", () => process.send("open"));
});
process.on("disconnect", () => process.exit());
process.send("here");
`;

export async function openOwnNetwork(folder: string): Promise<OwnNetwork> {
  const holder = spawn("unshare", ["--net", process.execPath, "-e", HOLDER], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  await message(holder);
  const doors: (() => void)[] = [];
  return {
    enter: ["nsenter", `--net=/proc/${holder.pid}/ns/net`],
    async openDoor(port) {
      const socket = join(folder, `door-${port}`);
      const door = createServer((from) => {
        const to = connect(port, "127.0.0.1");
        for (const end of [from, to]) end.on("error", () => (from.destroy(), to.destroy()));
        from.pipe(to).pipe(from);
      });
      door.listen(socket);
      await once(door, "listening");
      doors.push(() => (door.close(), rmSync(socket, { force: true })));
      holder.send({ port, socket });
      await message(holder);
    },
    async close() {
      for (const shut of doors) shut();
      const ended = once(holder, "close");
      holder.kill("SIGKILL");
      await ended;
    },
  };
}

async function message(holder: ChildProcess): Promise<void> {
  const failed = once(holder, "close").then(() => {
    throw new Error("a network of its own could not be made: is this root?");
  });
  await Promise.race([once(holder, "message"), failed]);
}
