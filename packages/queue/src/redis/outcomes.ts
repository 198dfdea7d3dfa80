/**
 * Outcomes in Redis, one hash per run: insert and publish in one atomic script, only if absent. Separate hashes hold
 * poisoned jobs and conflicts.
 */
import type { Redis } from 'ioredis';
import { runOf } from '../job.ts';
import { decodeJson } from '../json.ts';
import type { Acknowledged, Outcome } from '../queue.ts';

// KEYS: results, poisoned, conflicts; ARGV: id, text, words, channel
export const insertScript = `
local stored = redis.call('HGET', KEYS[1], ARGV[1])
if stored == ARGV[2] then return 'duplicate' end
if stored then
  redis.call('HSET', KEYS[3], ARGV[1], ARGV[3])
else
  redis.call('HDEL', KEYS[2], ARGV[1])
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
end
redis.call('PUBLISH', ARGV[4], ARGV[1])
return stored and 'different' or 'counted'`;

// an earlier result stays
export const poisonScript = `
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then redis.call('HSET', KEYS[2], ARGV[1], ARGV[2]) end
redis.call('PUBLISH', ARGV[3], ARGV[1])`;

export interface RedisOutcomes {
  /** channel for the id of every new outcome */
  readonly channel: string;
  insert(id: string, text: string, words: string): Promise<Acknowledged>;
  poison(id: string, reason: string): Promise<void>;
  revive(ids: readonly string[]): Promise<void>;
  read(ids: readonly string[]): Promise<(Outcome | null)[]>;
  conflicts(run: string): Promise<string[]>;
  /** runs with outcomes */
  runs(): Promise<string[]>;
  forget(run: string): Promise<void>;
}

/** keys scanned per step when listing runs */
const keysAtOnce = 1_000;
const runOfKey = /^:(?:results|poisoned|conflicts):(.*)$/s;

/** Outcomes under a prefix unique to the queue. */
export function redisOutcomes(redis: Redis, prefix: string): RedisOutcomes {
  const channel = `${prefix}:news`;
  const keysOf = (run: string) =>
    ['results', 'poisoned', 'conflicts'].map((kind) => `${prefix}:${kind}:${run}`) as [
      string,
      string,
      string,
    ];
  return {
    channel,
    insert: (id, text, words) =>
      redis.eval(insertScript, 3, ...keysOf(runOf(id)), id, text, words, channel) as Promise<Acknowledged>,
    async poison(id, reason) {
      const [results, poisoned] = keysOf(runOf(id));
      await redis.eval(poisonScript, 2, results, poisoned, id, reason, channel);
    },
    async revive(ids) {
      for (const [run, own] of byRun(ids)) await redis.hdel(keysOf(run)[1], ...own);
    },
    async read(ids) {
      const found = new Map<string, Outcome>();
      for (const [run, own] of byRun(ids)) {
        const [results, poisoned] = keysOf(run);
        const [texts, reasons] = await Promise.all([
          redis.hmget(results, ...own),
          redis.hmget(poisoned, ...own),
        ]);
        own.forEach((id, index) => {
          const outcome = outcomeOf(id, texts[index] ?? null, reasons[index] ?? null);
          if (outcome) found.set(id, outcome);
        });
      }
      return ids.map((id) => found.get(id) ?? null);
    },
    conflicts: async (run) => (await redis.hvals(keysOf(run)[2])).sort(),
    async runs() {
      const runs: string[] = [];
      let cursor = '0';
      do {
        const [next, keys] = await redis.scan(cursor, 'MATCH', `${prefix}:*`, 'COUNT', keysAtOnce);
        runs.push(...keys.flatMap((key) => runOfKey.exec(key.slice(prefix.length))?.[1] ?? []));
        cursor = next;
      } while (cursor !== '0');
      return runs;
    },
    forget: async (run) => void (await redis.del(...keysOf(run))),
  };
}

function outcomeOf(id: string, text: string | null, reason: string | null): Outcome | null {
  if (text !== null) return { result: decodeJson(text, id) };
  return reason === null ? null : { poisoned: reason };
}

function byRun(ids: readonly string[]): Map<string, string[]> {
  const runs = new Map<string, string[]>();
  for (const id of ids) {
    const own = runs.get(runOf(id)) ?? [];
    own.push(id);
    runs.set(runOf(id), own);
  }
  return runs;
}
