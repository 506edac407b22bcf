import { isMap, isScalar, parseDocument, visit, type Document, type Node } from "yaml";

/** The YAML library needs seconds for a megabyte of nonsense, and nothing else goes on meanwhile; long answers come as JSON. */
const MAX_LENGTH = 65_536;

export type Parsed = { readonly value: unknown } | { readonly problem: string };

/** One YAML document without anchors, aliases and tags, and with no name twice in a mapping. Never throws. */
export function parseRestrictedYaml(text: string): Parsed {
  if (text.length > MAX_LENGTH)
    return { problem: `YAML over ${MAX_LENGTH / 1_024} KiB is not read` };
  try {
    // The library compares every pair of keys; the walk below finds the same in one pass.
    const doc = parseDocument(text, { schema: "core", uniqueKeys: false, prettyErrors: false });
    const [error] = doc.errors;
    if (error) return { problem: `not valid YAML: ${error.message.slice(0, 200)}` };
    const refused = forbidden(doc);
    return refused === null ? { value: doc.toJS({ maxAliasCount: 0 }) } : { problem: refused };
  } catch (error) {
    // Nesting that overruns the stack, and whatever else nonsense can provoke in a parser.
    return {
      problem: `not valid YAML: ${error instanceof Error ? error.message.slice(0, 200) : ""}`,
    };
  }
}

function forbidden(doc: Document): string | null {
  let found: string | null = null;
  visit(doc, {
    Alias: () => stop("YAML aliases are not allowed"),
    Node: (_, node: Node) => {
      if ("anchor" in node && node.anchor) return stop("YAML anchors are not allowed");
      if (node.tag) return stop("YAML tags are not allowed");
      if (isMap(node)) {
        const name = twice(node.items.map(({ key }) => (isScalar(key) ? String(key.value) : "")));
        if (name !== null)
          return stop(`the name ${JSON.stringify(name.slice(0, 80))} occurs twice`);
      }
      return undefined;
    },
  });
  return found;

  function stop(problem: string): symbol {
    found = problem;
    return visit.BREAK;
  }
}

function twice(names: readonly string[]): string | null {
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) return name;
    seen.add(name);
  }
  return null;
}
