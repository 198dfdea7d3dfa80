/** Outcomes in the process: insert if absent. A result replaces a poisoned state; nothing replaces a result. */
import { runOf } from './job.ts';
import { decodeJson } from './json.ts';
import type { Acknowledged, News, Outcome } from './queue.ts';

interface RunOutcomes {
  /** results as canonical text */
  readonly results: Map<string, string>;
  readonly poisoned: Map<string, string>;
  readonly conflicts: Map<string, string>;
}

export interface LocalOutcomes {
  insert(id: string, text: string, conflict: string): Acknowledged;
  poison(id: string, reason: string): void;
  revive(id: string): void;
  has(id: string): boolean;
  read(id: string): Outcome | null;
  conflicts(run: string): string[];
  /** runs with outcomes */
  runs(): string[];
  forget(run: string): void;
  watch(listen: (news: News) => void): () => void;
}

export function localOutcomes(): LocalOutcomes {
  const runs = new Map<string, RunOutcomes>();
  const listeners = new Set<(news: News) => void>();
  const of = (run: string): RunOutcomes => {
    const known = runs.get(run) ?? { results: new Map(), poisoned: new Map(), conflicts: new Map() };
    runs.set(run, known);
    return known;
  };
  const tell = (id: string): void => {
    for (const listen of [...listeners]) listen({ kind: 'outcome', id });
  };
  const read = (id: string): Outcome | null => {
    const { results, poisoned } = of(runOf(id));
    const text = results.get(id);
    if (text !== undefined) return { result: decodeJson(text, id) };
    const reason = poisoned.get(id);
    return reason === undefined ? null : { poisoned: reason };
  };
  return {
    read,
    has: (id) => read(id) !== null,
    insert(id, text, conflict) {
      const { results, poisoned, conflicts } = of(runOf(id));
      const stored = results.get(id);
      if (stored === text) return 'duplicate';
      if (stored === undefined) {
        poisoned.delete(id);
        results.set(id, text);
      } else conflicts.set(id, conflict);
      tell(id);
      return stored === undefined ? 'counted' : 'different';
    },
    poison(id, reason) {
      of(runOf(id)).poisoned.set(id, reason);
      tell(id);
    },
    revive: (id) => void of(runOf(id)).poisoned.delete(id),
    conflicts: (run) => [...of(run).conflicts.values()].sort(),
    runs: () => [...runs].filter(([, of]) => of.results.size + of.poisoned.size > 0).map(([run]) => run),
    forget: (run) => void runs.delete(run),
    watch(listen) {
      listeners.add(listen);
      return () => void listeners.delete(listen);
    },
  };
}
