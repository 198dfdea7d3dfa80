/** Sessions of one thread each that compute parts of a batch side by side; what comes out does not depend on their number. */
import { createSession, type Graph, type Session, type Value } from '@emac/graph';

export interface SideBySide {
  /** one result for each part, in the order of the parts */
  run(parts: readonly Readonly<Record<string, Value>>[]): Promise<Record<string, Value>[]>;
  dispose(): Promise<void>;
}

export async function sideBySide(graph: Graph, count: number): Promise<SideBySide> {
  const sessions: Session[] = [];
  while (sessions.length < count)
    sessions.push(
      await createSession(graph, { threads: 1, thread: sessions.length === 0 ? 'worker' : 'another' }),
    );
  return {
    async run(parts) {
      const waiting = [...parts.entries()];
      const results: Record<string, Value>[] = [];
      const work = async (session: Session) => {
        for (let next = waiting.shift(); next; next = waiting.shift())
          results[next[0]] = await session.run(next[1]);
      };
      await Promise.all(sessions.map(work));
      return results;
    },
    dispose: async () => void (await Promise.all(sessions.map((session) => session.dispose()))),
  };
}

/** The outputs `gradient NAME` summed over parts, in their order, by name. */
export function summedGradients(results: readonly Record<string, Value>[]): Map<string, Float32Array> {
  const [first, ...others] = results as [Record<string, Value>, ...Record<string, Value>[]];
  const names = Object.keys(first).filter((name) => name.startsWith('gradient '));
  return new Map(
    names.map((name) => {
      const sum = first[name]!.data as Float32Array;
      for (const other of others) {
        const part = other[name]!.data as Float32Array;
        for (let i = 0; i < sum.length; i++) sum[i]! += part[i]!;
      }
      return [name.slice('gradient '.length), sum];
    }),
  );
}
