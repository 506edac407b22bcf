/** history/actions-YYYYMMDD.jsonl: one file a UTC day. Names are for people; order comes from the facts. */
const DAY_FILE = /^actions-(\d{8})\.jsonl$/;

export const dayOf = (at: Date): string => at.toISOString().slice(0, 10).replaceAll("-", "");
export const dayFile = (day: string): string => `actions-${day}.jsonl`;
export const dayOfFile = (name: string): string | undefined => DAY_FILE.exec(name)?.[1];

/** A place in history: the next line starts here. */
export interface HistoryPosition {
  readonly file: string;
  readonly offset: number;
}
