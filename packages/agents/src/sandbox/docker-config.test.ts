import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import {
  bytesOf,
  containerConfig,
  containerName,
  loginMounts,
  projectMount,
} from "./docker-config.ts";
import { exportLines, runInput, setupScript } from "./docker-scripts.ts";
import type { SandboxSpec } from "./sandbox.ts";

const spec: SandboxSpec = {
  taskId: "TASK/1 ä",
  attemptId: "att-7",
  workspaceId: "ws-1",
  epoch: 3,
  traceId: "trace",
  repoPath: "/home/me/project",
  image: "registry.example:5000/agent-runner-codex:latest",
  env: { SECRET: "never-seen-outside" },
  logins: [{ source: "/home/me/.codex/auth.json", target: ".codex/auth.json" }],
  network: "default",
  allowHosts: [],
  gateway: false,
  memory: "4g",
  cpus: 1.5,
};

test("the container is what it should be, whole", () => {
  const config = containerConfig({
    spec,
    image: "agent-runner-codex",
    role: "worker",
    user: "1000:1001",
    owner: "42@boot:7",
    networkMode: "bridge",
    mounts: [projectMount(spec.repoPath), ...loginMounts(spec.logins)],
  });
  expect(JSON.stringify(config)).not.toContain("never-seen-outside");
  expect(config).toMatchInlineSnapshot(`
    {
      "Cmd": [],
      "Entrypoint": [
        "sh",
        "-c",
        "trap 'exit 0' TERM INT; while :; do sleep 3600 & wait $!; done",
      ],
      "Env": [
        "HOME=/home/agent",
      ],
      "HostConfig": {
        "CapDrop": [
          "ALL",
        ],
        "Init": true,
        "IpcMode": "private",
        "LogConfig": {
          "Config": {
            "max-file": "1",
            "max-size": "1m",
          },
          "Type": "json-file",
        },
        "Memory": 4294967296,
        "MemorySwap": 4294967296,
        "Mounts": [
          {
            "ReadOnly": false,
            "Source": "/home/me/project",
            "Target": "/workspace/project",
            "Type": "bind",
          },
          {
            "ReadOnly": true,
            "Source": "/home/me/.codex/auth.json",
            "Target": "/run/multiverse-logins/0",
            "Type": "bind",
          },
        ],
        "NanoCpus": 1500000000,
        "NetworkMode": "bridge",
        "PidsLimit": 512,
        "Privileged": false,
        "ReadonlyRootfs": true,
        "RestartPolicy": {
          "Name": "no",
        },
        "SecurityOpt": [
          "no-new-privileges",
        ],
        "Tmpfs": {
          "/home/agent": "rw,exec,nosuid,nodev,size=1g,uid=1000,gid=1001,mode=0700",
          "/run/multiverse": "rw,noexec,nosuid,nodev,size=16m,uid=1000,gid=1001,mode=0700",
          "/tmp": "rw,exec,nosuid,nodev,size=1g,mode=1777",
        },
      },
      "Image": "agent-runner-codex",
      "Labels": {
        "io.multiverse.attempt": "att-7",
        "io.multiverse.epoch": "3",
        "io.multiverse.owner": "42@boot:7",
        "io.multiverse.role": "worker",
        "io.multiverse.task": "TASK/1 ä",
        "io.multiverse.workspace": "ws-1",
      },
      "StopTimeout": 1,
      "User": "1000:1001",
      "WorkingDir": "/workspace/project",
    }
  `);
});

test("names hold only what Docker takes, and tell attempts and images apart", () => {
  expect(containerName(spec, "worker", "u1")).toBe("agent-runner-TASK_1__-att-7-codex-u1");
  expect(containerName(spec, "egress", "u2")).toBe("agent-runner-TASK_1__-att-7-codex-egress-u2");
});

test.each([
  ["512m", 536_870_912],
  ["4g", 4_294_967_296],
  ["1.5G", 1_610_612_736],
  ["8388608", 8_388_608],
])("%s of memory is %i bytes", (text, bytes) => {
  expect(bytesOf(text)).toBe(bytes);
});

test.each(["1m", "0", "", "4x"])("%j is no usable size", (text) => {
  expect(() => bytesOf(text)).toThrow(/not a usable size/);
});

const nasty = 'it\'s "quoted" $HOME `id` \\ \n second line \t é 🙂';

test("variables survive a shell as they are; names that are none are left out", () => {
  const script = `${exportLines({ A: nasty, "B; rm -rf /": "x", C: "" })}printf '%s|%s' "$A" "$C"`;
  expect(execFileSync("sh", ["-c", script], { encoding: "utf8" })).toBe(`${nasty}|`);
});

test("the command's input begins where the variables end", () => {
  const reader = `while IFS= read -r line && [ "$line" != "--run-1--" ]; do vars="$vars$line
"; done; eval "$vars"; printf '%s|' "$A"; cat`;
  const input = runInput("run-1", { A: nasty }, "the prompt\nwith lines");
  expect(execFileSync("sh", ["-c", reader], { input, encoding: "utf8" })).toBe(
    `${nasty}|the prompt\nwith lines`,
  );
});

test("the set-up script is one a shell understands", () => {
  const script = setupScript({
    homeFiles: { ".x/y.json": nasty },
    loginTargets: [".codex/auth.json"],
  });
  expect(() => execFileSync("sh", ["-n"], { input: script })).not.toThrow();
});
