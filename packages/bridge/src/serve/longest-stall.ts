/** The longest stall of the event loop since the last report, for `/metrics`. */
import type { IntervalHistogram } from 'node:perf_hooks';

/** Seconds, from the nanoseconds of `monitorEventLoopDelay`. */
export function longestStall(delays: Pick<IntervalHistogram, 'max' | 'reset'>): () => number {
  return () => {
    const longest = delays.max / 1e9;
    delays.reset();
    return longest;
  };
}
