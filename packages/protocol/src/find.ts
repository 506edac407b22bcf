/** The record under a key that must be there: not finding it is a bug, since facts keep the records in step. */
export function find<K extends string | number, T>(
  records: { get(key: K): T | undefined },
  key: K,
): T {
  const record = records.get(key);
  if (record === undefined) throw new Error(`there is no record under ${JSON.stringify(key)}`);
  return record;
}
