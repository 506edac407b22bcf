import { z } from "zod";
import type { Camel } from "./case.ts";
import { Id } from "./id.ts";

/** worker-pools.json: named queues with their own number of slots, written by people. */
export const WorkerPools = z.object({
  pools: z
    .array(
      z.object({
        id: Id,
        name: z.string().max(200).default(""),
        description: z.string().max(2_000).default(""),
        max_parallel: z.int().min(1).max(256).optional(),
        agents: z
          .array(
            z.object({
              agent_id: z.string().min(1).max(200),
              kind: z.string().max(100).default("code"),
              max_parallel: z.int().min(1).max(256).default(1),
              capabilities: z.array(z.string().max(100)).max(100).default([]),
            }),
          )
          .max(100)
          .default([]),
      }),
    )
    .max(100),
});
export type WorkerPools = Camel<z.output<typeof WorkerPools>>;
export type WorkerPool = WorkerPools["pools"][number];

export const DEFAULT_POOLS: readonly { id: string; name: string }[] = [
  { id: "default", name: "Default" },
  { id: "codegen", name: "Code generation" },
  { id: "test", name: "Tests" },
];
