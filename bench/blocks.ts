/** The longest time between two turns: on the wall, and at most as much as the process computed meanwhile. */
export function watchBlocks() {
  const longest = { wall: 0, processor: 0 };
  const now = () => ({ wall: performance.now(), cpu: process.cpuUsage() });
  let last = now();
  const timer = setInterval(() => {
    const wall = performance.now() - last.wall;
    const { user, system } = process.cpuUsage(last.cpu);
    longest.wall = Math.max(longest.wall, wall);
    longest.processor = Math.max(longest.processor, Math.min(wall, (user + system) / 1_000));
    last = now();
  }, 1);
  return {
    end: () => {
      clearInterval(timer);
      return longest;
    },
  };
}
