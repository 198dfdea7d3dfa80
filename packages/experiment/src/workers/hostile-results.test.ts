/**
 * Results of a hostile worker, of every kind: one that no worker of these versions gives is refused in a sentence, and any other change
 * of one is either that or a run that ends. Nothing is an error of EMAC, and no claimed size is allocated.
 */
import { openSync, closeSync, ftruncateSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { collectEnvironment } from '@emac/datasets';
import { EmacError, Random } from '@emac/core';
import { plainHost, type Host } from '@emac/opening';
import type { Json, Outcome } from '@emac/queue';
import { alsoLong, isLong } from '@emac/testing';
import { carried, carry } from '@emac/workers';
import { describe, expect, it } from 'vitest';
import { evaluatePolicy } from '../evaluation/evaluate-policy.ts';
import { trainPpo } from '../reinforcement/train-ppo.ts';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { train } from '../training/train.ts';
import { localWorkers, watched } from './workers.test.support.ts';

const folder = temporaryFolder();
let runs = 0;

type Run = (out: string, host: Host) => Promise<unknown>;

const ppo = {
  env: 'MiniGrid-Empty-5x5-v0',
  policy: 'mlp',
  play: { environmentSteps: 8, environments: 2, stepsPerUpdate: 4, maxSteps: 6 },
  optimization: { gradientShards: 2 },
} as const;

/** A run that asks for one kind of result first, and where a job of that kind stands in its name. */
const kinds: Readonly<Record<string, readonly [part: string, run: Run]>> = {
  episodes: [
    'play/',
    (_out, host) =>
      evaluatePolicy({ ckpt: 'emma-tiny', numGames: 1, maxSteps: 2, speech: { beams: 1 } }, host),
  ],
  steps: ['.updates', (out, host) => trainPpo({ ...ppo, evaluation: { episodes: 0 }, out }, host)],
  scores: ['.before', (out, host) => trainPpo({ ...ppo, evaluation: { episodes: 1 }, out }, host)],
  'gradients of a critic': [
    'gradient/',
    (out, host) => trainPpo({ ...ppo, evaluation: { episodes: 0 }, out }, host),
  ],
  gradients: [
    'gradient/',
    (out, host) =>
      train(
        {
          phase: 'bc',
          play: { rounds: 1, gamesPerRound: 1, maxSteps: 2, expertShare: { start: 1, decay: 1 } },
          optimization: { updatesPerEpisode: 1, batchSize: 2, gradientShards: 2 },
          evaluation: { episodes: 0 },
          probe: false,
          out,
        },
        host,
      ),
  ],
  records: [
    'play/',
    (out, host) =>
      collectEnvironment({ env: 'tabletop/spatial', samples: 2, maxSteps: 3, validation: 0, out }, host),
  ],
};

/** What a run ends with if the first result of the kind is forged: a sentence with its code, or null. */
async function endOf(
  kind: string,
  forge: (result: Json, place: ReturnType<typeof localWorkers>) => Promise<Json>,
): Promise<EmacError | null> {
  const [part, run] = kinds[kind]!;
  const place = join(folder, `run-${++runs}`);
  const workers = localWorkers(place, 1);
  const forged = new Map<string, Outcome>();
  const queue = watched(workers, {
    async outcomes(ids) {
      const found = await workers.queue.outcomes(ids);
      for (const [at, id] of ids.entries()) {
        const outcome = found[at];
        if (!outcome || !('result' in outcome) || !id.includes(part) || forged.size > 0) continue;
        forged.set(id, { result: await forge(outcome.result, workers) });
      }
      return found.map((outcome, at) => forged.get(ids[at]!) ?? outcome);
    },
  });
  try {
    await run(join(place, 'out'), { ...plainHost(), workers: { ...workers, queue } });
    return null;
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(EmacError);
    return thrown as EmacError;
  } finally {
    await workers.stop();
    expect(forged.size).toBe(1);
  }
}

/** Values that no result of any kind is. */
const never: readonly (readonly [
  string,
  (workers: ReturnType<typeof localWorkers>) => Json | Promise<Json>,
])[] = [
  ['nothing', ({ folder: shared }) => carry(shared, null)],
  ['a list of too few', ({ folder: shared }) => carry(shared, [])],
  [
    'a file of 5 GB',
    () => {
      const hash = '5'.repeat(64);
      const path = join(folder, `run-${runs}`, 'shared-1', '55', hash);
      mkdirSync(dirname(path), { recursive: true });
      const file = openSync(path, 'w');
      ftruncateSync(file, 5e9);
      closeSync(file);
      return { hash };
    },
  ],
  ...alsoLong([
    ['not of this form', () => ({ text: '{' })] as const,
    [
      'of another part',
      ({ folder: shared }: ReturnType<typeof localWorkers>) => carry(shared, { return: 1 }),
    ] as const,
  ]),
];

const cases = Object.keys(kinds).flatMap((kind) =>
  never.map(([what, forge]) => [kind, what, forge] as const),
);

describe('a forged result', () => {
  it.each(cases)('of %s: %s is refused by name', async (_kind, _what, forge) => {
    const fault = await endOf(_kind, async (_result, workers) => forge(workers));
    expect(fault?.code).toBe('data');
    expect(fault?.message).toMatch(
      /^workers: the result of \S+ must be one of this program, .*find who wrote it, then npx emac workers/,
    );
  });

  it.each(Object.keys(kinds))(
    'of %s with any leaf changed ends the run in a sentence, if it ends it',
    async (kind) => {
      const faults: string[] = [];
      for (let seed = 0; seed < (isLong ? 60 : 2); seed++) {
        const random = Random.fromSeed(seed).stream(kind);
        const fault = await endOf(kind, async (result, { folder: shared }) => {
          const value = await carried<unknown>(shared, result);
          return carry(shared, changed(value, random));
        });
        if (fault && !['data', 'check-failed', 'interrupted', 'missing'].includes(fault.code))
          faults.push(`${seed}: ${fault.code}: ${fault.message}`);
      }
      expect(faults).toEqual([]);
    },
  );
});

const strange = [null, NaN, -1, 0.5, 1e9, 2 ** 53, Infinity, '', 'x'.repeat(100_000), [], {}, true];

/** The value with a part of it, drawn anywhere, made another one. */
function changed(value: unknown, random: Random): unknown {
  const isLeaf =
    typeof value !== 'object' ||
    value === null ||
    ArrayBuffer.isView(value) ||
    Object.keys(value).length === 0;
  if (isLeaf || random.integer(6) === 0) return random.pick(strange);
  const names = Object.keys(value);
  const name = random.pick(names);
  const inner = changed((value as Readonly<Record<string, unknown>>)[name], random);
  if (Array.isArray(value))
    return value.map((each: unknown, place) => (String(place) === name ? inner : each));
  return { ...value, [name]: inner };
}
