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
