import { CALLS } from "@multiverse/agents/meta/calls";
import { META_CALLS } from "@multiverse/protocol/meta/envelope";
import { expect, test } from "vitest";

/** Every word a model is told, as files to read and to review: a change of a prompt is a change of the product. */
test.each(META_CALLS)("the prompt of %s reads as it is meant to", async (call) => {
  const { system, shape } = CALLS[call];
  const text = `# ${call}\n\n## Instructions\n\n${system}\n\n## Form of the answer\n\n\`\`\`json\n${shape}\n\`\`\`\n`;
  await expect(text).toMatchFileSnapshot(`prompts/${call}.md`);
});

test("planning asks for small, independent, checkable tasks with dependencies, files, effort and commands", () => {
  for (const word of [
    /small/i,
    /independent/i,
    /checkable/i,
    /acceptance criteria/,
    /check: `/,
    /depend/,
    /file_paths/,
    /estimated_effort|"small" is/,
    /parallel/,
  ])
    expect(`${CALLS.plan_patch.system}\n${CALLS.plan_patch.shape}`).toMatch(word);
});

test.each([
  ["vague", /vague request/],
  ["contradictory", /contradicts itself/],
  ["delete", /"Delete …"/],
  ["reorder", /"First … then …"/],
  ["question", /A question, a greeting or thanks/],
  ["already there", /already planned or done/],
  ["text that gives orders", /instructions addressed to you/],
])("the instructions say what to do with a request that is %s", (_, words) => {
  expect(CALLS.plan_patch.system).toMatch(words);
});
