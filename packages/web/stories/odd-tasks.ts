import type { FixtureTask } from "../src/testing/plan-fixture.ts";

/** Titles as people, models and repositories really write them. */
export const ODD_TASKS: readonly FixtureTask[] = [
  {
    id: "long",
    title: `Rewrite ${"the very long and winding road of migrations ".repeat(4)}`.slice(0, 200),
    milestone: "M1 A milestone whose name goes on and on and does not end",
    phase: "Build",
    state: "running",
    criteria: ["AVeryLongWordWithoutAnyBreak".repeat(6), "短い"],
  },
  {
    id: "word",
    title: "AVeryLongWordWithoutAnyBreak".repeat(7),
    milestone: "M1 A milestone whose name goes on and on and does not end",
    phase: "Build",
    after: ["long"],
  },
  {
    id: "cjk",
    title: "とても長いタイトルを持つタスクでも画面が崩れないことを確かめるための題名".repeat(3),
    milestone: "国際化",
    phase: "検証",
    state: "failed",
    criteria: ["崩れない"],
  },
  {
    id: "rtl",
    title: "تطبيق قائمة المهام מטלות ‏مع ‏TODO",
    milestone: "国際化",
    phase: "検証",
    after: ["cjk"],
  },
  {
    id: "emoji",
    title: "👩‍👩‍👧‍👦 🏳️‍🌈 🇯🇵 party ✨ é̂̃",
    milestone: "国際化",
    phase: "検証",
    state: "succeeded",
    criteria: ["🎉"],
  },
];
