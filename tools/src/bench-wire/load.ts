/** Shared by the wire benchmarks: concurrent clients, latencies, and medians over turns. */
import { performance } from 'node:perf_hooks';

export interface Asked {
  /** questions a second */
  readonly perSecond: number;
  /** of a question, from its sending to its answer */
  readonly medianMs: number;
  readonly p99Ms: number;
}

/** Asks a question and takes its time. */
export type Timed = <Answer>(question: () => Promise<Answer>) => Promise<Answer>;

/** So many clients at once, until all are done. */
export async function asked(
  clients: number,
  client: (place: number, timed: Timed) => Promise<void>,
): Promise<Asked> {
  const times: number[] = [];
  const timed: Timed = async (question) => {
    const start = performance.now();
    const answer = await question();
    times.push(performance.now() - start);
    return answer;
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: clients }, (_, place) => client(place, timed)));
  const seconds = (performance.now() - start) / 1000;
  times.sort((one, other) => one - other);
  return {
    perSecond: times.length / seconds,
    medianMs: times[Math.floor(times.length / 2)]!,
    p99Ms: times[Math.floor(times.length * 0.99)]!,
  };
}

/** A turn of a benchmark, and the longest stall of the server's event loop. */
export interface Turn extends Asked {
  readonly stallMs: number;
}

/** The middle of several turns, but the longest stall. */
export function middleOf(turns: readonly Turn[]): Turn {
  const middle = (of: (turn: Turn) => number) => turns.map(of).sort((a, b) => a - b)[turns.length >> 1]!;
  return {
    perSecond: middle(({ perSecond }) => perSecond),
    medianMs: middle(({ medianMs }) => medianMs),
    p99Ms: middle(({ p99Ms }) => p99Ms),
    stallMs: Math.max(...turns.map(({ stallMs }) => stallMs)),
  };
}
