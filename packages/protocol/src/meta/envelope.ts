import { z } from "zod";

export const META_CALLS = [
  "plan_task",
  "next_action",
  "completion_assessment",
  "decompose",
  "plan_patch",
  "build_task",
] as const;
export type MetaCall = (typeof META_CALLS)[number];

/** `{"type", "version", "payload"}`; the older flat form has the payload's fields beside `type`. */
const Envelope = z.looseObject({
  type: z.string().optional(),
  version: z.union([z.number(), z.string()]).optional(),
  payload: z.unknown().optional(),
});

const VERSION = 1;

/** The payload of an answer in either form, or the reason why it is not one. */
export function openEnvelope(
  call: MetaCall,
  answer: unknown,
): { payload: unknown } | { problem: string } {
  const parsed = Envelope.safeParse(answer);
  if (!parsed.success) return { problem: "the answer is not an object" };
  const { type, version, payload, ...flat } = parsed.data;
  if (type !== undefined && type !== call)
    return { problem: `type is ${JSON.stringify(type)}, expected "${call}"` };
  if (version !== undefined && Number(version) !== VERSION) {
    return { problem: `version ${JSON.stringify(version)} is not supported, expected ${VERSION}` };
  }
  return { payload: payload === undefined ? flat : payload };
}
