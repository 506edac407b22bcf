import { LineCounter, isAlias, isMap, isNode, isPair, isScalar, parseDocument, visit } from "yaml";
import type { Document, Node } from "yaml";
import { LIMITS } from "@multiverse/protocol/limits";

export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Something wrong with the task file; `at` is null where no place in the text can be named. */
export interface Problem {
  readonly path: string;
  readonly message: string;
  readonly at: Position | null;
}

export interface YamlText {
  readonly value: unknown;
  /** Where a value stands, or where its key does; for what is missing, the nearest thing around it. */
  positionOf(path: readonly PropertyKey[], part?: "key" | "value"): Position | null;
}

/** Reads one YAML document of plain data: no anchors, aliases, tags or directives. All problems at once. */
export function parseRestrictedYaml(text: string): YamlText | Problem[] {
  const lines = new LineCounter();
  const document = compose(text, lines);
  if (document instanceof Error) return [{ path: "", message: document.message, at: null }];
  const at = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const problems: Problem[] = [
    ...document.errors.map((error) => ({
      path: "",
      message: sayError(error),
      at: at(error.pos[0]),
    })),
    ...forbidden(document, at),
  ];
  if (problems.length > 0) return problems;
  if (document.contents === null)
    return [{ path: "", message: "the document is empty", at: { line: 1, column: 1 } }];
  if (!isMap(document.contents)) {
    return [
      {
        path: "",
        message: "the document must be a mapping with `version`, `task` and `runner`",
        at: at(offsetOf(document.contents)),
      },
    ];
  }
  return {
    value: document.toJS({ maxAliasCount: 0 }),
    positionOf: (path, part = "value") => positionOf(document.contents, path, part, at),
  };
}

function compose(text: string, lineCounter: LineCounter): Document.Parsed | Error {
  try {
    return parseDocument(text, {
      version: "1.2",
      schema: "core",
      strict: true,
      uniqueKeys: false, // the library compares every pair of keys; `forbidden` finds the same in one pass
      stringKeys: true,
      prettyErrors: false,
      lineCounter,
    });
  } catch {
    // The parser descends by recursion: a text made of brackets alone exhausts the stack.
    return new Error("the document is nested too deeply");
  }
}

const sayError = (error: { code: string; message: string }): string =>
  error.code === "MULTIPLE_DOCS" ? "exactly one YAML document is allowed" : error.message;

function forbidden(document: Document.Parsed, at: (offset: number) => Position): Problem[] {
  const problems: Problem[] = [];
  const refuse = (node: unknown, message: string): void => {
    problems.push({ path: "", message, at: isNode(node) ? at(offsetOf(node)) : null });
  };
  const directives = document.directives;
  const customTags = Object.keys(directives.tags).some((handle) => handle !== "!!");
  if (directives.yaml.explicit === true || customTags) {
    problems.push({
      path: "",
      message: "directives (%YAML, %TAG) are not allowed",
      at: { line: 1, column: 1 },
    });
  }
  visit(document, (_, node, ancestors) => {
    if (isAlias(node)) refuse(node, `aliases (*${node.source}) are not allowed`);
    else if (isNode(node) && "anchor" in node && node.anchor)
      refuse(node, `anchors (&${node.anchor}) are not allowed`);
    const again = isMap(node) ? repeatedKey(node.items) : null;
    if (again !== null) refuse(again, "Map keys must be unique");
    if (isNode(node) && node.tag !== undefined) refuse(node, `tags (${node.tag}) are not allowed`);
    if (ancestors.length > 2 * LIMITS.depth) {
      refuse(node, `nothing may be nested deeper than ${LIMITS.depth} levels`);
      return visit.BREAK;
    }
    return undefined;
  });
  return problems;
}

/** The first key that a mapping has had before. */
function repeatedKey(items: readonly { readonly key: unknown }[]): Node | null {
  const seen = new Set<unknown>();
  for (const { key } of items) {
    if (!isScalar(key)) continue;
    if (seen.has(key.value)) return key;
    seen.add(key.value);
  }
  return null;
}

const offsetOf = (node: Node): number => node.range?.[0] ?? 0;

function positionOf(
  root: Node | null,
  path: readonly PropertyKey[],
  part: "key" | "value",
  at: (offset: number) => Position,
): Position | null {
  let node: unknown = root;
  let key: unknown = root;
  for (const step of path) {
    if (isMap(node)) {
      const pair: unknown = node.items.find(
        (item) => isPair(item) && isScalar(item.key) && item.key.value === step,
      );
      if (!isPair(pair)) break; // missing: the mapping that should hold it is the nearest place
      key = pair.key;
      node = pair.value ?? pair.key;
    } else if (isNode(node) && "items" in node && Array.isArray(node.items)) {
      const item: unknown = node.items[Number(step)];
      if (item === undefined) break;
      node = key = item;
    } else break;
  }
  const place = part === "key" ? key : node;
  return isNode(place) ? at(offsetOf(place)) : null;
}
