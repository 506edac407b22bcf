/** A task as a good planner means it, before it is put into either form. */
export interface Meant {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly criteria: readonly string[];
  readonly after: readonly string[];
  readonly phase: string;
  readonly milestone: string;
  readonly level: number;
  readonly effort: "small" | "medium" | "large";
  readonly files: readonly string[];
  readonly test?: string;
  readonly priority?: "high" | "low";
}

/** A request for an empty plan, and what a good planner would answer. */
export interface Request {
  readonly text: string;
  readonly tasks: readonly Meant[];
  readonly question?: { readonly text: string; readonly options: readonly string[] };
}

const task = (id: string, title: string, more: Partial<Meant> = {}): Meant => ({
  id,
  title,
  description: `${title}, as the design says; nothing else.`,
  criteria: [`${title}: done and shown by its test (check: \`npm test -- ${id}\`)`],
  after: [],
  phase: "Implementation",
  milestone: "M1",
  level: 3,
  effort: "small",
  files: [`src/${id}.ts`, `test/${id}.test.ts`],
  test: `npm test -- ${id}`,
  ...more,
});
const design = task("design", "Design it", {
  phase: "Design",
  level: 2,
  files: ["docs/design.md"],
  criteria: ["docs/design.md names every file (check: `test -s docs/design.md`)"],
  priority: "high",
});
const outside = (after: readonly string[]): Meant =>
  task("whole", "Check the whole from outside", { phase: "Verification", after, effort: "medium" });

/** Plain, Japanese, one task, wide, long, vague, contradictory, and one that is no work at all. */
export const REQUESTS: readonly Request[] = [
  {
    text: "Create a TODO app",
    tasks: [
      design,
      task("list", "Build the list", { after: ["design"] }),
      task("page", "Make the page", { after: ["design"] }),
      outside(["list", "page"]),
    ],
  },
  {
    text: "TODO アプリを作成して",
    tasks: [
      task("design", "TODO アプリを設計する", {
        phase: "実装設計",
        level: 2,
        milestone: "M1 土台",
      }),
      task("list", "リストの処理を作る", { phase: "実装", after: ["design"] }),
      task("test", "全体を確認する", { phase: "検証", after: ["list"] }),
    ],
  },
  { text: "Fix the typo in the README", tasks: [task("typo", "Fix the typo")] },
  {
    text: "Translate the docs into five languages",
    tasks: ["de", "fr", "es", "it", "pl"].map((code) =>
      task(code, `Translate the docs into ${code}`, { files: [`docs/${code}.md`] }),
    ),
  },
  {
    text: "Move the store from files to SQLite, step by step",
    tasks: ["schema", "writer", "reader", "import", "switch"].map((id, i, all) =>
      task(id, `Step ${i + 1}: ${id}`, { after: all.slice(Math.max(0, i - 1), i) }),
    ),
  },
  {
    text: "Make it nicer",
    tasks: [task("style", "Tidy up the page", { priority: "low" })],
  },
  {
    text: "Use PostgreSQL, but nothing may be installed",
    tasks: [],
    question: { text: "Which of the two matters more?", options: ["PostgreSQL", "no install"] },
  },
  { text: "What can you do?", tasks: [] },
];
