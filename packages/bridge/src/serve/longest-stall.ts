/** How long the event loop heard nothing, as `/metrics` tells it: the longest time since it was last told. */
import type { IntervalHistogram } from 'node:perf_hooks';

/** Seconds, from the nanoseconds of `monitorEventLoopDelay`. */
export function longestStall(delays: Pick<IntervalHistogram, 'max' | 'reset'>): () => number {
  return () => {
    const longest = delays.max / 1e9;
    delays.reset();
    return longest;
  };
}
