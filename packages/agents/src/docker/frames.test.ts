import fc from "fast-check";
import { expect, test } from "vitest";
import { createDemultiplexer } from "./frames.ts";

const frame = (stream: number, payload: Uint8Array): Buffer => {
  const header = Buffer.alloc(8);
  header[0] = stream;
  header.writeUInt32BE(payload.length, 4);
  return Buffer.concat([header, payload]);
};

test("however the bytes are cut, each stream gets its own, whole and in order", () => {
  const frames = fc.array(fc.tuple(fc.constantFrom(1, 2), fc.uint8Array({ maxLength: 40 })), {
    maxLength: 20,
  });
  fc.assert(
    fc.property(frames, fc.array(fc.integer({ min: 1, max: 30 })), (all, cuts) => {
      const bytes = Buffer.concat(all.map(([stream, payload]) => frame(stream, payload)));
      const got = { stdout: [] as number[], stderr: [] as number[] };
      const demultiplexer = createDemultiplexer((stream, part) => got[stream].push(...part));
      let at = 0;
      for (const cut of cuts) {
        demultiplexer.push(bytes.subarray(at, at + cut));
        at += cut;
      }
      demultiplexer.push(bytes.subarray(at));
      const sent = (wanted: number): number[] =>
        all.filter(([stream]) => stream === wanted).flatMap(([, payload]) => [...payload]);
      expect(got).toEqual({ stdout: sent(1), stderr: sent(2) });
    }),
  );
});
