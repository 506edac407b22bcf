/** What a node is about, where nobody said so: deterministic, from its phase, its words and its file paths. */

export interface FacetHints {
  readonly title: string;
  readonly description: string;
  readonly phaseName: string;
  readonly filePaths: readonly string[];
}

const DOCS = /ドキュメント|readme|document/i;
const TEST_WORD = /テスト|(?<![a-z])tests?(?![a-z])/i;

/** Phases in both languages, most specific first: 実装設計 is design, not implementation. */
const PHASES: readonly [RegExp, string][] = [
  [/概念設計|concept|requirement/i, "spec"],
  [/実装設計|design/i, "design"],
  [/実装|implementation|build/i, "implementation"],
  [/検証|(?<![a-z])test|verification|validation/i, "test"],
];

export function inferWorkType({ title, description, phaseName }: FacetHints): string {
  const type = PHASES.find(([pattern]) => pattern.test(phaseName))?.[1];
  if (type === "spec") return DOCS.test(`${title}\n${description}`) ? "docs" : "spec";
  if (type) return type;
  return TEST_WORD.test(title) ? "test" : "";
}

const CONTAINERS = new Set(["internal", "packages", "src", "apps", "lib", "cmd"]);

/** The part of the product that all paths share: `internal/x/…`, `packages/x/…` and `src/x/…` give `x`. */
export function inferDomain(filePaths: readonly string[]): string {
  const folders = filePaths.map((path) =>
    path
      .split("/")
      .slice(0, path.endsWith("/") ? undefined : -1)
      .filter(Boolean),
  );
  const first = folders[0];
  if (!first) return "";
  const shared = first.filter((_, i) =>
    folders.every((f) => first.slice(0, i + 1).every((part, k) => f[k] === part)),
  );
  const named = shared.filter(
    (part, i) => !(CONTAINERS.has(part) && shared.slice(0, i).every((p) => CONTAINERS.has(p))),
  );
  return named[0] ?? "";
}

/** 1 concept, 2 design, 3 implementation; 0 where the work type does not tell. */
export function inferWbsLevel(workType: string): number {
  switch (workType) {
    case "spec":
    case "docs":
      return 1;
    case "design":
      return 2;
    case "implementation":
    case "test":
      return 3;
    default:
      return 0;
  }
}
