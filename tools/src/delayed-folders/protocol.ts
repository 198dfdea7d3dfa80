/** Every read of the protocol over a shared folder, between a trainer and a worker on hosts of their own. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EmacError, LostEpisode, messageOf, Random, type Gradient, type GradientRow } from '@emac/core';
import { canonicalJson, createFolder } from '@emac/files';
import { imitationLoss } from '@emac/losses';
import { gather, localQueue, timerClock, type SharedFolder } from '@emac/queue';
import {
  carried,
  carry,
  readGradient,
  readRows,
  readVersion,
  rowStore,
  sharedGame,
  shareGame,
  shareStart,
  storeGradient,
  storePlan,
  storeVersion,
  withStart,
  workWith,
} from '@emac/workers';
import { builtinGame } from '@emac/world';
import { delayedHosts, type Tally } from './hosts.ts';

interface Both {
  readonly trainer: SharedFolder;
  readonly worker: SharedFolder;
  /** a folder of the trainer's own */
  readonly own: string;
}

const parameters = new Map([
  ['w', { shape: [400], data: Float32Array.from({ length: 400 }, (_, at) => at / 7) }],
]);
const gradient: Gradient = {
  loss: 0.5,
  gradients: new Map([['w', Float32Array.from({ length: 400 }, (_, at) => -at)]]),
  logProbabilities: [[-0.1]],
};
const picture = { width: 20, height: 10, data: Uint8Array.from({ length: 600 }, (_, at) => at % 256) };
const value = {
  text: 'x'.repeat(9_000),
  picture,
  numbers: Float64Array.from({ length: 300 }, (_, at) => at),
};
const rows: GradientRow[] = [
  {
    prompt: [{ kind: 'image', features: { key: 'a', data: new Float32Array(500).fill(0.25) } }],
    answers: ['go'],
    weight: 1,
  },
];

/** What is written on one host and read on the other; both must be equal. */
const reads: Readonly<Record<string, (both: Both) => Promise<readonly [written: unknown, read: unknown]>>> = {
  'a job’s input': async ({ trainer, worker }) => [value, await carried(worker, await carry(trainer, value))],
  'a job’s result': async ({ trainer, worker }) => [
    value,
    await carried(trainer, await carry(worker, value)),
  ],
  'a policy version': async ({ trainer, worker }) => {
    const version = { parameters, adapter: null };
    return [version, await readVersion(worker, storeVersion(trainer, version))];
  },
  'rows of a gradient': async ({ trainer, worker }) => {
    const stored = rowStore(trainer)({ rows, losses: imitationLoss });
    return [rows, (await readRows(worker, stored)).rows];
  },
  'a gradient': async ({ trainer, worker }) => {
    const expected = { parameters, names: ['w'], rows: 1, hasCritic: false };
    return [gradient, await readGradient(trainer, storeGradient(worker, gradient), expected)];
  },
  'a game': async ({ trainer, worker, own }) => {
    const { id, file } = builtinGame('valid_seen', 3);
    const path = join(own, 'game.tw-pddl');
    writeFileSync(path, JSON.stringify(file));
    return [id, (await sharedGame(worker, shareGame(trainer, { id, path }))).id];
  },
  'a policy’s start': async ({ trainer, worker, own }) => {
    const path = join(own, 'network.onnx');
    writeFileSync(path, 'a network');
    const read = (from: string | null) => Promise.resolve(readFileSync(from!, 'utf8'));
    return ['a network', await withStart(worker, shareStart(trainer, path), read)];
  },
  'a plan': planned,
};

/** A worker opens a plan and does its job; the trainer reads the result. */
async function planned({ trainer, worker }: Both): Promise<readonly [unknown, unknown]> {
  const queue = localQueue({ clock: timerClock(() => 0) });
  const stop = new AbortController();
  const players = {
    stepped: () => Promise.reject(new Error('plays records only')),
    episodes: () => ({
      async *play(episode: number) {
        yield { episode, picture };
      },
      pack: async (step: unknown) => step,
      unpack: (step: unknown) => step,
    }),
  };
  const policy = { identity: null, computing: null };
  const plan = storePlan(trainer, { plays: 'records', config: { env: 'e' }, policy, host: {} });
  const asked = await carry(trainer, { first: 3, count: 1, long: 'y'.repeat(9_000) });
  const name = { kind: 'play', run: 'r', policy: 'p', task: 't', seed: 0, shard: 0 };
  const identity = { id: 'w', host: 'there', pid: 1 };
  const host = { env: {}, now: () => 0, signal: stop.signal };
  const working = workWith(players, { queue, folder: worker, identity, host });
  try {
    const gathered = gather(queue, [{ name, input: { plan, start: null, asked } }]);
    const [result] = await Promise.race([gathered, working.then(() => gathered)]);
    return [[[{ episode: 3, picture }]], await carried(trainer, result!)];
  } finally {
    stop.abort();
    await queue.close();
    await working.catch(() => {});
  }
}

export interface Schedule extends Tally {
  /** reads that ended in a sentence, as words */
  readonly refused: readonly string[];
  /** broken promises */
  readonly broken: readonly string[];
}

/** Spoils a host's folder, to see whether that is found. */
export type Spoil = (folder: SharedFolder, place: string) => SharedFolder;

/** milliseconds that readers wait for a file in all */
export const patience = 3_000;

/** Every read under drawn delays, each up to `longest`: equal within the patience of readers; beyond it equal, or a sentence. */
export async function delayedReads(
  place: string,
  {
    seed,
    longest,
    spoil = (folder) => folder,
  }: { readonly seed: number; readonly longest: number; readonly spoil?: Spoil },
): Promise<Schedule> {
  const [refused, broken]: [string[], string[]] = [[], []];
  const sum: Tally = { files: 0, torn: 0, waits: 0 };
  for (const [what, read] of Object.entries(reads)) {
    const under = join(place, what.replaceAll(/\W/g, '-'));
    createFolder(under);
    const random = Random.fromSeed(seed).stream(what);
    const { hosts, tally } = delayedHosts(under, ['trainer', 'worker'], { longest, random });
    const both = {
      trainer: spoil(hosts.trainer, join(under, 'trainer')),
      worker: spoil(hosts.worker, join(under, 'worker')),
      own: under,
    };
    try {
      const [written, found] = await read(both);
      if (plain(written) !== plain(found)) broken.push(`${what}: other bytes were read`);
    } catch (thrown) {
      if (!(thrown instanceof EmacError) || thrown instanceof LostEpisode || thrown.code === 'internal')
        broken.push(`${what}: ${messageOf(thrown)}`);
      else if (longest <= patience) broken.push(`${what}: given up within the patience: ${thrown.message}`);
      else refused.push(`${what}: ${thrown.message}`);
    }
    for (const name of ['files', 'torn', 'waits'] as const) sum[name] += tally[name];
  }
  return { ...sum, refused, broken };
}

/** Equal for equal values, arrays and maps included. */
function plain(value: unknown): string {
  return canonicalJson(
    JSON.parse(
      JSON.stringify(value, (_, each: unknown) => {
        if (each instanceof Map) return [...(each as Map<unknown, unknown>)];
        return ArrayBuffer.isView(each) ? [...(each as Uint8Array)] : each;
      }),
    ),
  );
}
