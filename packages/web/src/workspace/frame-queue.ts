/** How the next flush is scheduled; the browser's is `nextFrame`. */
export type Schedule = (flush: () => void) => void;

/** Collects items and hands them over together, at most once a frame, however fast they come. */
export interface FrameQueue<T> {
  readonly push: (item: T) => void;
  /** Hand over what waits right now. */
  readonly flush: () => void;
}

export function createFrameQueue<T>(
  schedule: Schedule,
  deliver: (items: T[]) => void,
): FrameQueue<T> {
  let waiting: T[] = [];
  let scheduled = false;
  function flush(): void {
    scheduled = false;
    if (waiting.length === 0) return;
    const items = waiting;
    waiting = [];
    deliver(items);
  }
  return {
    push(item) {
      waiting.push(item);
      if (scheduled) return;
      scheduled = true;
      schedule(flush);
    },
    flush,
  };
}

/** The next animation frame; a hidden tab has none, so there a timer stands in. */
export function nextFrame(flush: () => void): void {
  if (document.hidden) setTimeout(flush, 250);
  else requestAnimationFrame(flush);
}
