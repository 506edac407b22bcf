import fc from "fast-check";
import { expect, test } from "vitest";
import { compareClaims } from "./plan-order.ts";
import { ReadyQueue } from "./ready-queue.ts";

const claim = fc.record({ priority: fc.nat(3), remaining: fc.nat(20), order: fc.nat() });

test("gives the best claim first, whatever order they came in, and again the next time", () => {
  fc.assert(
    fc.property(fc.uniqueArray(claim, { selector: (c) => c.order, maxLength: 40 }), (claims) => {
      const queue = new ReadyQueue();
      claims.forEach((c) => queue.add(String(c.order), c));
      const best = [...claims].sort(compareClaims).map((c) => String(c.order));
      expect([...queue.inOrder(() => true)]).toEqual(best);
      expect([...queue.inOrder(() => true)]).toEqual(best);
    }),
  );
});

test("what is no longer wanted leaves, and a reader who stops early loses nothing", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(claim, { selector: (c) => c.order, maxLength: 40 }),
      fc.nat(40),
      (claims, stop) => {
        const queue = new ReadyQueue();
        claims.forEach((c) => queue.add(String(c.order), c));
        const even = (id: string) => Number(id) % 2 === 0;
        const seen: string[] = [];
        for (const id of queue.inOrder(even)) if (seen.push(id) > stop) break;
        const rest = [...claims].filter((c) => even(String(c.order))).sort(compareClaims);
        expect([...queue.inOrder(even)]).toEqual(rest.map((c) => String(c.order)));
      },
    ),
  );
});
