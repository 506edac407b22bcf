import { toCamel, toSnake } from "./case.ts";
import { FACT_PAYLOADS, type Fact, type FactWire, type NewFact } from "./fact.ts";

/** A fact for disk or wire. Values are already checked: decisions are typed, and outside input was parsed at its edge. */
export function factToWire(fact: Fact): FactWire {
  const { v, seq, id, at, kind, workspaceId, by, tx, i, n, payload } = fact;
  return {
    v,
    seq,
    id,
    at,
    kind,
    workspace_id: workspaceId,
    by,
    tx,
    i,
    n,
    payload: toSnake(payload),
  };
}

/** A fact we wrote ourselves and whose checksum or sender vouches for it. */
export function factFromWire(wire: FactWire): Fact {
  const { workspace_id: workspaceId, payload, ...stamp } = wire;
  return { ...stamp, workspaceId, payload: toCamel(payload) } as Fact;
}

/** The problem with a new fact's payload, if any: the last check before it becomes the truth. */
export function payloadProblem(fact: NewFact): string | undefined {
  const parsed = FACT_PAYLOADS[fact.kind].safeParse(toSnake(fact.payload));
  return parsed.success
    ? undefined
    : `${fact.kind}: ${parsed.error.issues.map((i) => `${i.path.join(".")} ${i.message}`).join("; ")}`;
}
