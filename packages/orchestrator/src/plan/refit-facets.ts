import type { NodeChanges, PlanNode } from "@multiverse/protocol/plan-node";
import { inferDomain, inferWbsLevel, inferWorkType } from "./infer-facets.ts";

type Facets = Pick<PlanNode, "workType" | "domain" | "wbsLevel">;
type Described = Pick<PlanNode, "title" | "description" | "phaseName" | "suggestedImpl">;

const pathsOf = ({ suggestedImpl }: Described): readonly string[] => suggestedImpl?.filePaths ?? [];
const workTypeOf = (node: Described): string =>
  inferWorkType({ ...node, filePaths: pathsOf(node) });

const afterwards = (node: PlanNode, changes: NodeChanges): Described & Facets => ({
  title: changes.title ?? node.title,
  description: changes.description ?? node.description,
  phaseName: changes.phaseName ?? node.phaseName,
  suggestedImpl: changes.suggestedImpl === undefined ? node.suggestedImpl : changes.suggestedImpl,
  workType: changes.workType ?? node.workType,
  domain: changes.domain ?? node.domain,
  wbsLevel: changes.wbsLevel ?? node.wbsLevel,
});

/**
 * The facets that have to follow an update: one that is what would have been inferred before it is inferred anew, one that
 * somebody chose stays. Nothing has to be remembered for that, and who chose just what was inferred loses nothing.
 */
export function refitFacets(node: PlanNode, changes: NodeChanges): Partial<Facets> {
  const after = afterwards(node, changes);
  const isFree = (given: string | undefined, was: string, inferred: string): boolean =>
    given === "" || (given === undefined && was === inferred);
  const workType = isFree(changes.workType, node.workType, workTypeOf(node))
    ? workTypeOf(after)
    : after.workType;
  const domain = isFree(changes.domain, node.domain, inferDomain(pathsOf(node)))
    ? inferDomain(pathsOf(after))
    : after.domain;
  const isLevelFree =
    changes.wbsLevel === undefined && node.wbsLevel === inferWbsLevel(node.workType);
  const wbsLevel = isLevelFree ? inferWbsLevel(workType) : after.wbsLevel;
  return {
    ...(workType === after.workType ? {} : { workType }),
    ...(domain === after.domain ? {} : { domain }),
    ...(wbsLevel === after.wbsLevel ? {} : { wbsLevel }),
  };
}
