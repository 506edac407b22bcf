import { z } from "zod";

/** The parts of the engine's answers that we read. */
export const Created = z.object({ Id: z.string() });
export const ExecState = z.object({
  Running: z.boolean(),
  ExitCode: z.int().nullable(),
  Pid: z.int().default(0),
});
export const ContainerState = z.object({
  Id: z.string(),
  State: z.object({
    Running: z.boolean(),
    OOMKilled: z.boolean().default(false),
    ExitCode: z.int().default(0),
    Error: z.string().default(""),
  }),
  NetworkSettings: z.object({ IPAddress: z.string().default("") }).optional(),
});
export const ContainerList = z.array(
  z.object({
    Id: z.string(),
    Labels: z.record(z.string(), z.string()).nullable(),
    Mounts: z.array(z.object({ Source: z.string().default("") })).default([]),
  }),
);
/** One line of a pull or a build. */
export const Progress = z.object({
  stream: z.string().optional(),
  status: z.string().optional(),
  id: z.string().optional(),
  progress: z.string().optional(),
  error: z.string().optional(),
});
