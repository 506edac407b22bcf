import { describe, expect, test } from "vitest";
import { findDockerWithBaseImage, runInContainer } from "./harness/docker.ts";
import { present, skipWithout } from "./harness/skips.ts";

const engine = await findDockerWithBaseImage();

describe.skipIf(skipWithout(engine, "Docker tests"))("the Docker engine", () => {
  test("runs a command in a container and tells its output and exit code", async () => {
    const command = ["sh", "-c", "git --version; exit 7"];
    expect(await runInContainer(present(engine), command)).toEqual({
      exitCode: 7,
      output: expect.stringMatching(/^git version \d+/),
    });
  });

  test("gives that container no network", async () => {
    const { output } = await runInContainer(present(engine), ["ls", "/sys/class/net"]);
    expect(output).toBe("lo\n");
  });
});
