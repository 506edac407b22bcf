import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { connectEngine } from "@multiverse/agents/docker/engine";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findDockerWithBaseImage } from "../harness/docker.ts";
import { containersWith, killContainer } from "../harness/labelled.ts";
import { present, skipWithout } from "../harness/skips.ts";
import { ensureNodeImage, nodeImage } from "./cli-images.ts";
import { hostAddress } from "./cli-task.ts";
import { openTestSandbox, type TestSandbox } from "./sandbox.ts";

const docker = await findDockerWithBaseImage();

/** One attempt to reach something, as a program in the container would make it; prints what came of it. */
const attempt = (body: string): string =>
  `node -e ${JSON.stringify(`const done = (said) => { console.log(said); process.exit(0); }; setTimeout(() => done("nothing"), 5000); ${body}`)}`;
const tcp = (host: string, port: number): string =>
  attempt(
    `require("net").connect({ host: "${host}", port: ${port} }).on("connect", () => done("CONNECTED")).on("error", (e) => done(e.code));`,
  );
const proxied = (raw: string): string =>
  attempt(
    `const s = require("net").connect(3128, "127.0.0.1"); s.write(${JSON.stringify(raw)}); s.on("data", (d) => done(d.toString().split("\\r\\n")[0])).on("error", (e) => done(e.code));`,
  );

describe.skipIf(skipWithout(docker, "networks of containers"))("the network of a worker", () => {
  let server: Server;
  let host: string;
  let port: number;
  beforeAll(async () => {
    await ensureNodeImage(present(docker));
    host = await hostAddress(present(docker));
    server = createServer((_, response) => response.end("from the host"));
    server.listen(0, "0.0.0.0");
    await once(server, "listening");
    ({ port } = server.address() as AddressInfo);
  }, 120_000);
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });

  describe("allowlist", () => {
    let box: TestSandbox;
    beforeAll(async () => {
      const allowHosts = [`${host}:${port}`, "allowed.com"];
      box = await openTestSandbox({ image: nodeImage, network: "allowlist", allowHosts }, [host]);
    }, 60_000);
    afterAll(() => box.remove());

    test("the allowed host is reached, through the proxy", async () => {
      const get = `GET http://${host}:${port}/ HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`;
      expect(await box.run(proxied(get))).toMatchObject({ stdout: "HTTP/1.1 200 OK" });
      const tunnel = `CONNECT ${host}:${port} HTTP/1.1\r\nhost: x\r\n\r\n`;
      expect((await box.run(proxied(tunnel))).stdout).toContain("200");
    });

    test.each([
      "allowed.com.evil.com:443",
      "evil.com\\0.allowed.com:443",
      "127.0.0.1:443",
      "2130706433:443",
      "0x7f000001:443",
      "[::1]:443",
      "169.254.169.254:80",
      "10.0.0.1:443",
      "8.8.8.8:53",
      "allowed.com.:443",
      "evil.com:443",
    ])("the proxy refuses %s", async (target) => {
      const asked = target.replace("\\0", "\0");
      const run = await box.run(proxied(`CONNECT ${asked} HTTP/1.1\r\nhost: x\r\n\r\n`));
      expect(run.stdout).toMatch(/^HTTP\/1\.1 40[03] /);
    });

    test("the host's other ports are refused even where its address is allowed", async () => {
      const tunnel = `CONNECT ${host}:22 HTTP/1.1\r\nhost: x\r\n\r\n`;
      expect((await box.run(proxied(tunnel))).stdout).toContain("403");
    });

    test("past the proxy there is nothing: no host, no neighbour, no metadata, no DNS, no IPv6", async () => {
      const tried = await Promise.all(
        [
          [host, port],
          ["169.254.169.254", 80],
          ["10.0.0.1", 80],
          ["172.17.0.2", 3_129],
          ["8.8.8.8", 53],
          ["1.1.1.1", 443],
          ["::1", 3_128],
          ["2606:4700:4700::1111", 443],
        ].map(async ([to, on]) => (await box.run(tcp(String(to), Number(on)))).stdout),
      );
      expect(tried).not.toContain("CONNECTED");
      expect(new Set(tried)).toEqual(
        new Set(
          ["ENETUNREACH", "ECONNREFUSED", "EADDRNOTAVAIL"].filter((code) => tried.includes(code)),
        ),
      );
      const dns = await box.run(
        attempt('require("dns").resolve4("example.com", (e) => done(e ? e.code : "RESOLVED"));'),
      );
      expect(dns.stdout).not.toBe("RESOLVED");
      const devices = await box.run("ls /sys/class/net");
      expect(devices.stdout.trim()).toBe("lo");
    });

    test("what was refused is told", () => {
      const told = box.events.flatMap((event) => (event.type === "log" ? [event.message] : []));
      expect(told).toContain("connection refused: evil.com:443 (not among the allowed hosts)");
      expect(told).toContain(`connection refused: ${host}:22 (not among the allowed hosts)`);
    });
  });

  test.each(["egress", "relay"])(
    "without its %s side-car what runs is ended and told as a sandbox that was lost",
    async (role) => {
      const taskId = `without-${role}-${process.pid}`;
      const box = await openTestSandbox({ taskId, image: nodeImage, network: "allowlist" });
      try {
        const running = box.run("touch begun; sleep 1000");
        await expect.poll(() => existsSync(join(box.repo, "begun"))).toBe(true);
        const [sidecar] = await containersWith(present(docker), { task: taskId, role });
        expect(await killContainer(present(docker), sidecar?.Id ?? "")).toBe(true);
        const lost = { end: "lost", detail: expect.stringContaining("side-car") as string };
        expect(await running).toMatchObject(lost);
        expect(await box.run("true")).toMatchObject(lost);
      } finally {
        await box.remove();
      }
    },
    60_000,
  );

  test("none: there is no network at all", async () => {
    const box = await openTestSandbox({ image: nodeImage, network: "none" });
    try {
      expect((await box.run(tcp(host, port))).stdout).toBe("ENETUNREACH");
      expect((await box.run("ls /sys/class/net")).stdout.trim()).toBe("lo");
    } finally {
      await box.remove();
    }
  });

  test.each(["default", "none"] as const)(
    "a gateway with network %s holds the key outside",
    async (network) => {
      const key = "sk-the-real-key-0123456789";
      const keys: string[] = [];
      const provider = createServer((incoming, response) => {
        keys.push(String(incoming.headers["x-api-key"]));
        response.end("model says hi");
      });
      provider.listen(0, "0.0.0.0");
      await once(provider, "listening");
      const upstream = `http://${host}:${(provider.address() as AddressInfo).port}`;
      const spec = { image: nodeImage, network, gateway: true, gatewayRoute: { upstream, key } };
      const box = await openTestSandbox(spec, [host]);
      const engine = connectEngine(present(docker).socket);
      try {
        const { baseUrl = "", token = "" } = box.handle.gateway ?? {};
        const ask = (given: string): string =>
          attempt(
            `fetch("${baseUrl}/v1", { headers: { "x-api-key": "${given}" } }).then((r) => r.text()).then(done, (e) => done(String(e)));`,
          );
        expect((await box.run(ask(token))).stdout).toBe("model says hi");
        expect((await box.run(ask("wrong"))).stdout).toContain("does not know this token");
        expect(keys).toEqual([key]);
        const all = JSON.stringify(await engine.call("GET", "/containers/json?all=1"));
        expect(all).not.toContain(key);
        const found = await box.run(
          `cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr '\\0' '\\n' | grep -c 'sk-the-rea[l]-key'`,
        );
        expect(found.stdout.split("\n")[0]).toBe("0");
      } finally {
        engine.close();
        await box.remove();
        provider.close();
        provider.closeAllConnections();
      }
    },
    60_000,
  );
});
