import { stringify } from "yaml";
import type { Form, Item } from "./forms.ts";
import type { Request } from "./wanted.ts";

/** Something that models do to an answer they mean well. `items` spoils the tasks, `text` the document. */
interface Slip {
  readonly name: string;
  items?(items: readonly Item[], form: Form): readonly Item[];
  text?(document: Item): string;
}

const each =
  (change: (item: Item, form: Form) => Item) =>
  (items: readonly Item[], form: Form): readonly Item[] =>
    items.map((item) => change(item, form));
const without =
  (...names: string[]) =>
  (item: Item): Item =>
    Object.fromEntries(Object.entries(item).filter(([name]) => !names.includes(name)));
const idOf = (form: Form): string => (form.call === "plan_patch" ? "temp_id" : "id");
const json = (document: Item): string => JSON.stringify(document);
/** The list of the form: the only part that can be misnamed as a whole. */
const LIST = { plan_patch: "operations", decompose: "phases" } as const;

export const NO_SLIP: Slip = { name: "none" };

export const SLIPS: readonly Slip[] = [
  NO_SLIP,
  { name: "fenced", text: (document) => `\`\`\`json\n${json(document)}\n\`\`\`` },
  { name: "prose around", text: (document) => `Sure!\n${json(document)}\nDone {for now}.` },
  { name: "YAML", text: (document) => stringify(document) },
  {
    name: "no envelope",
    text: ({ payload }) => JSON.stringify(payload),
  },
  { name: "cut off", text: (document) => json(document).slice(0, -12) },
  {
    name: "list under another name",
    text: ({ type, payload }) => {
      const list = type === "decompose" ? LIST.decompose : LIST.plan_patch;
      const { [list]: tasks, ...rest } = payload as Item;
      return JSON.stringify({ type, version: 1, payload: { ...rest, tasks } });
    },
  },
  { name: "no ids", items: each((item, form) => without(idOf(form), "dependencies")(item)) },
  { name: "the same id twice", items: each((item, form) => ({ ...item, [idOf(form)]: "a" })) },
  { name: "no phase", items: each(without("phase", "phase_name", "milestone")) },
  { name: "no op", items: each(without("op")) },
  { name: "only titles", items: each((item, form) => pick(item, "op", "title", idOf(form))) },
  { name: "effort in hours", items: each((item) => ({ ...item, estimated_effort: "2h" })) },
  { name: "level as text", items: each((item) => ({ ...item, wbs_level: "3" })) },
  { name: "nulls", items: each((item) => ({ ...item, suggested_impl: null, tags: null })) },
  {
    name: "criteria with checks",
    items: each((item) => ({
      ...item,
      acceptance_criteria: [{ description: "it works", check: { command: "npm test" } }],
    })),
  },
  { name: "unknown dependency", items: each((item) => ({ ...item, dependencies: ["nobody"] })) },
  {
    name: "a cycle",
    items: (items, form) =>
      items.map((item, i) => ({
        ...item,
        dependencies: [items[(i + 1) % items.length]?.[idOf(form)]],
      })),
  },
];

const pick = (item: Item, ...names: string[]): Item =>
  Object.fromEntries(Object.entries(item).filter(([name]) => names.includes(name)));

/** The answer a model gives in this form when it makes this slip. */
export function answerText(form: Form, request: Request, slip: Slip): string {
  const good = request.tasks.map((task) => form.item(task));
  const items = slip.items?.(good, form) ?? good;
  const document = { type: form.call, version: 1, payload: form.payload(request, items) };
  return slip.text?.(document) ?? json(document);
}
