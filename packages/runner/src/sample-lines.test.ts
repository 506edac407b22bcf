import { expect, test } from "vitest";
import { sampleLines } from "./sample-lines.ts";

const line = (text: string) => ({ stream: "stdout", line: text }) as const;

test("what a person could follow is let through whole", () => {
  const out: string[] = [];
  const sample = sampleLines(
    ({ line: text }) => out.push(text),
    () => 0,
  );
  for (let i = 0; i < 1_000; i++) sample.add(line(`${i}`));
  sample.end();
  expect(out).toEqual(Array.from({ length: 1_000 }, (_, i) => `${i}`));
});

test("a flood is thinned out, its end is kept, and what is missing is counted", () => {
  const out: string[] = [];
  let ms = 0;
  const sample = sampleLines(
    ({ line: text }) => out.push(text),
    () => ms,
  );
  const total = 1_000_000;
  for (let i = 0; i < total; i++) {
    ms += 0.001;
    sample.add(line(`line ${i}`));
  }
  sample.end();
  expect(out.length).toBeLessThan(5_000);
  expect(out.slice(-3)).toEqual([`line ${total - 3}`, `line ${total - 2}`, `line ${total - 1}`]);
  const lost = out
    .flatMap((text) => Number(/^… \[(\d+) lines/.exec(text)?.[1] ?? 0))
    .reduce((a, b) => a + b, 0);
  const marks = out.filter((text) => text.startsWith("…")).length;
  expect(out.length - marks + lost).toBe(total);
});
