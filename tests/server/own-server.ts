import { afterEach } from "vitest";
import { startTestServer, type TestServer, type TestServerOptions } from "./test-server.ts";

/** A server for each test of a file that wants one, gone afterwards; what it logged as an error fails the test. */
export function ownServer(): (options?: TestServerOptions) => Promise<TestServer> {
  let running: TestServer | undefined;
  afterEach(async () => {
    await running?.stop();
    if (running?.errors.length) throw new Error(running.errors.join(""));
    running = undefined;
  });
  return async (options) => (running = await startTestServer(options));
}

export const jsonOf = async (answer: Promise<Response>): Promise<Record<string, never>> =>
  (await (await answer).json()) as Record<string, never>;
