/**
 * How much longer work takes here than it needs, because others use the machine too: wall time over processor time of
 * a busy loop. 1 on a quiet machine; limits in milliseconds are multiplied by it, so that they stay about the page.
 */
export function contention(): number {
  const started = performance.now();
  const before = process.cpuUsage().user;
  let spent = 0;
  while (spent < 300) spent = (process.cpuUsage().user - before) / 1_000;
  const factor = (performance.now() - started) / spent;
  return factor < 1.25 ? 1 : factor * 1.5;
}
