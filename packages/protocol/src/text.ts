import { z } from "zod";
import { LIMITS } from "./limits.ts";

export const Title = z.string().max(LIMITS.titleLength);
export const Text = z.string().max(LIMITS.textLength);
export const Path = z.string().max(LIMITS.pathLength);
export const IsoTime = z.iso.datetime({ offset: true });
export const Count = z.int().nonnegative();
