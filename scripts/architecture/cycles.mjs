/**
 * The cycles a depth-first walk meets: each as the way round, first and last the same.
 * @param {Map<string, string[]>} graph
 * @returns {string[][]}
 */
export function findCycles(graph) {
  /** @type {string[][]} */
  const cycles = [];
  /** @type {Set<string>} */
  const done = new Set();
  /** @type {string[]} */
  const trail = [];

  /** @param {string} node */
  function walk(node) {
    const met = trail.indexOf(node);
    if (met !== -1) cycles.push([...trail.slice(met), node]);
    if (met !== -1 || done.has(node)) return;
    trail.push(node);
    for (const next of graph.get(node) ?? []) walk(next);
    trail.pop();
    done.add(node);
  }

  for (const node of graph.keys()) walk(node);
  return cycles;
}
