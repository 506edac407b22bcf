import { z } from "zod";
import { LIMITS } from "./limits.ts";
import { Title } from "./text.ts";

/** What plans are grouped and filtered by. They live on the node and are copied into the task's inputs. */

/** 0 undefined, 1 concept, 2 design, 3 implementation. */
export const WbsLevel = z.int().min(0).max(3);
const Tags = z.array(z.string().min(1).max(100)).max(LIMITS.tags);

/** The wire form of the facets, for spreading into an object schema. */
export const facetShape = {
  phase_name: Title,
  milestone: Title,
  wbs_level: WbsLevel,
  work_type: Title,
  domain: Title,
  tags: Tags,
};
