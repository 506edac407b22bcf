import { z } from "zod";
import { BACKLOG_CHOICES } from "../backlog.ts";
import { Id } from "../id.ts";
import { LIMITS } from "../limits.ts";
import { PlanOperation } from "../plan-patch.ts";
import { Text, Title } from "../text.ts";

/** Bodies of the routes of spec page 80 (camelCase; plan operations as the planner writes them). */
export const OpenWorkspaceBody = z.strictObject({ path: z.string().min(1).max(LIMITS.pathLength) });
export const CreateTaskBody = z.strictObject({
  title: Title.min(1),
  description: Text.optional(),
  poolId: Id.optional(),
  acceptanceCriteria: z.array(Text).max(LIMITS.criteria).optional(),
  dependencies: z.array(Id).max(LIMITS.dependencies).optional(),
  phaseName: Title.optional(),
  milestone: Title.optional(),
});
export const SendMessageBody = z.strictObject({ text: Text.min(1), clientId: Id.optional() });
export const ExecutionBody = z.strictObject({
  action: z.enum(["start", "pause", "resume", "stop"]),
});
export const ResolveBody = z.strictObject({
  resolution: Text.default(""),
  choice: z.enum(BACKLOG_CHOICES).optional(),
});
export const PlanBody = z.strictObject({
  operations: z.array(PlanOperation).min(1).max(LIMITS.operations),
});
export const RestoreBody = z.strictObject({ force: z.boolean().default(false) });
export const LoginBody = z.strictObject({ code: z.string().min(1).max(200) });
export const ValidateToolBody = z.strictObject({
  tool: z.string().max(100),
  model: z.string().max(200),
});
export type ExecutionAction = z.output<typeof ExecutionBody>["action"];
