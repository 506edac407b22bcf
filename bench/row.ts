/** One line of the benchmark table: a measurement and the floor it is compared with, both from the same run. */
export interface Row {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly floor: number;
  readonly ratio: number;
  /** Null where a row is only reported. */
  readonly target: number | null;
  /** The ratio is to be at least the target, not at most. */
  readonly atLeast?: boolean;
  readonly ok: boolean;
}

/** A row that is only reported, beside its floor. */
export const beside = (name: string, value: number, unit: string, floor: number): Row => ({
  name,
  value,
  unit,
  floor,
  ratio: value / floor,
  target: null,
  ok: true,
});

/** A row without a floor: a limit takes its place. */
export const atMost = (name: string, value: number, unit: string, limit: number): Row => ({
  name,
  value,
  unit,
  floor: limit,
  ratio: value / limit,
  target: 1,
  ok: value <= limit,
});
