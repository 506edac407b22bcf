import { z } from "zod";
import { LIMITS } from "./limits.ts";
import { Title } from "./text.ts";

/** What plans are grouped and filtered by. They live on the node and are copied into the task's inputs. */
export const WBS_LEVELS = { undefined: 0, concept: 1, design: 2, implementation: 3 } as const;
export const WbsLevel = z.int().min(0).max(3);
export const Tags = z.array(z.string().min(1).max(100)).max(LIMITS.tags);

/** The wire form of the facets, for spreading into an object schema. */
export const facetShape = {
  phase_name: Title,
  milestone: Title,
  wbs_level: WbsLevel,
  work_type: Title,
  domain: Title,
  tags: Tags,
};
