import { MultiverseError } from "@multiverse/protocol/error";
import { describe, expect, test } from "vitest";
import { CLI, request, type Name } from "../testing/cli-request.ts";
import { CODING_CLIS } from "./registry.ts";

describe("on the host a bypass is refused, whoever asked for it", () => {
  test.each<[Name, string[]]>([
    ["codex", ["--dangerously-bypass-approvals-and-sandbox"]],
    ["codex", ["--sandbox", "danger-full-access"]],
    ["codex", ["-s", "danger-full-access"]],
    ["codex", ["--sandbox=danger-full-access"]],
    ["codex", ["-c", 'sandbox_mode="danger-full-access"']],
    ["codex", ["-c", "sandbox_workspace_write.network_access=true"]],
    ["codex", ["--config=approval_policy=never"]],
    ["codex", ["--yolo"]],
    ["claude", ["--dangerously-skip-permissions"]],
    ["claude", ["--allow-dangerously-skip-permissions"]],
    ["claude", ["--permission-mode", "bypassPermissions"]],
    ["claude", ["--permission-mode=bypassPermissions"]],
    ["gemini", ["--yolo"]],
    ["gemini", ["-y"]],
    ["gemini", ["-dy"]],
    ["gemini", ["--approval-mode", "yolo"]],
    ["gemini", ["--approvalMode=YOLO"]],
    ["cursor", ["--force"]],
    ["cursor", ["-f"]],
    ["cursor", ["--sandbox", "disabled"]],
  ])("%s %j", (name, flags) => {
    const cli = CLI[name];
    for (const place of ["host-read-only", "host-guarded"] as const) {
      expect(() => cli.plan(request({ place, flags }))).toThrowError(MultiverseError);
    }
    expect(cli.plan(request({ place: "container", flags })).args).toEqual(
      expect.arrayContaining(flags),
    );
  });

  test("a variable that claims to be in a sandbox is refused too", () => {
    expect(() =>
      CLI.claude.plan(request({ place: "host-guarded", env: { IS_SANDBOX: "1" } })),
    ).toThrow(/switches off/);
  });

  test("no host plan of any CLI holds a bypass flag of its own", () => {
    for (const cli of CODING_CLIS) {
      for (const place of ["host-read-only", "host-guarded"] as const) {
        const text = cli.plan(request({ place })).args.join(" ");
        expect(text).not.toMatch(/dangerous|bypass|yolo|--force|danger-full/i);
      }
    }
  });
});
