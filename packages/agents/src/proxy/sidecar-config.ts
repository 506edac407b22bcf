import { z } from "zod";

/** What a side-car is told on its input, in one JSON document. It never comes by arguments or variables: it holds a key. */
export const SidecarConfig = z.object({
  proxy: z
    .object({ socket: z.string(), allow: z.array(z.string()), allowPrivate: z.array(z.string()) })
    .optional(),
  gateway: z
    .object({
      /** A socket of the file system, or a port on all of the container's addresses. */
      listen: z.union([z.string(), z.int()]),
      upstream: z.string(),
      key: z.string(),
      token: z.string(),
      allowPrivate: z.array(z.string()),
    })
    .optional(),
  relays: z.array(z.object({ port: z.int(), socket: z.string() })).default([]),
});
export type SidecarConfig = z.input<typeof SidecarConfig>;

/** What a side-car says on its output, one JSON document a line. */
export const SidecarLine = z.discriminatedUnion("event", [
  z.object({ event: z.literal("ready") }),
  z.object({ event: z.literal("refused"), asked: z.string(), why: z.string() }),
]);
export type SidecarLine = z.output<typeof SidecarLine>;
