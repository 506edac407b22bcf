import fc from "fast-check";
import { expect, test } from "vitest";
import { toCamel, toSnake } from "./case.ts";

test("keys change, values and open records do not", () => {
  const wire = {
    max_loops: 3,
    worker: { docker_image: "a_b", env: { http_proxy: "x_y", PATH: "p" } },
    list: [{ file_paths: ["a_b"] }],
  };
  const code = {
    maxLoops: 3,
    worker: { dockerImage: "a_b", env: { http_proxy: "x_y", PATH: "p" } },
    list: [{ filePaths: ["a_b"] }],
  };
  expect(toCamel(wire)).toEqual(code);
  expect(toSnake(code)).toEqual(wire);
});

const word = fc.stringMatching(/^[a-z][a-z]{0,5}$/);
const key = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join("_"));

test("there and back is the same for every snake_case document", () => {
  const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { depthSize: "small" },
      leaf,
      fc.array(tie("tree"), { maxLength: 3 }),
      fc.dictionary(key, tie("tree"), { maxKeys: 4 }),
    ),
  }));
  fc.assert(
    fc.property(tree, (document) => {
      expect(toSnake(toCamel(document))).toEqual(document);
    }),
  );
});

test("a key named __proto__ is dropped, so that nobody's prototype changes", () => {
  const document: unknown = JSON.parse('{"a_b": {"__proto__": {"polluted": true}}}');
  expect(toCamel(document)).toEqual({ aB: {} });
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});
