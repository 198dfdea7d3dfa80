/** What runs, sweeps and workers read: configurations, jobs, plans, values between processes. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EmacError } from '@emac/core';
import { sweepCells, sweepFile } from '@emac/experiment';
import { canonicalJson, sha256 } from '@emac/files';
import { encodePng } from '@emac/images';
import { localQueue, sharedFolder, timerClock, type Json, type SharedFolder } from '@emac/queue';
import { begunBy, readStoredConfig, storedConfig, trainConfig } from '@emac/settings';
import { carried, carry, storePlan, workWith } from '@emac/workers';
import type { Parser } from '../try-inputs.ts';
import type { Place } from './place.ts';

const json = (...values: readonly object[]) => values.map((value) => Buffer.from(JSON.stringify(value)));

export async function workRows(place: Place): Promise<{ readonly rows: Parser[]; close(): Promise<void> }> {
  const jobs = jobRow(place);
  return { rows: [sweepRow, configRow(place), await carriedRow(place), jobs.row], close: jobs.close };
}

const sweepRow: Parser = {
  name: 'sweep',
  isText: true,
  shape: 'document',
  share: 100,
  seeds: json({
    command: 'emac train --method ppo --env MiniGrid-Empty-5x5-v0',
    grid: { 'optimization.learningRate': [0.001, 0.01], 'policy.clip': [0.1] },
    random: {
      draws: 2,
      seed: 1,
      settings: { 'play.temperature': { from: 0.1, to: 1, scale: 'log' }, 'play.environments': [4, 8] },
    },
    seeds: [0, 1],
    'stop-worst': { after: [0.5], by: 'mean_return' },
  }),
  read: (input) => sweepCells(sweepFile(parsed(input), 'sweep.yaml')),
};

/** Errors: `config`, as readers of these files say. */
function parsed(input: Uint8Array): unknown {
  try {
    const value: unknown = JSON.parse(Buffer.from(input).toString('utf8'));
    // 1e999 is JSON and no number
    canonicalJson(value);
    return value;
  } catch (cause) {
    throw new EmacError('config', 'is no JSON', { cause });
  }
}

function configRow({ folder }: Place): Parser {
  const run = join(folder, 'run');
  mkdirSync(run);
  return {
    name: 'config',
    isText: true,
    shape: 'document',
    share: 20,
    seeds: json(
      storedConfig('train', trainConfig({ phase: 'bc' })),
      storedConfig('train', trainConfig({ phase: 'dpo', start: { ref: 'latest' } } as never)),
    ),
    read: (input) => {
      writeFileSync(join(run, 'config.yaml'), input);
      // as the folder of a stranger's run is: its record knows the content
      const config = sha256(canonicalJson(parsed(input)));
      writeFileSync(join(run, 'run.json'), JSON.stringify({ v: 1, config }));
      return readStoredConfig(run, begunBy(run), []);
    },
  };
}

async function carriedRow({ folder }: Place): Promise<Parser> {
  const shared = sharedFolder(join(folder, 'shared'));
  const frame = { width: 1, height: 1, data: Uint8Array.of(1, 2, 3) };
  const picture = shared.put(await encodePng(frame));
  const large = { hash: shared.put(Buffer.from(new Float32Array(600).buffer)) };
  return {
    name: 'carried',
    isText: true,
    shape: 'document',
    share: 60,
    seeds: json(
      { a: { $: 'number', is: 'NaN' }, b: { $: 'Float32Array', base64: 'AAAAAA==' }, c: [null, 'text'] },
      {
        $: 'object',
        entries: [
          ['$', 1],
          ['data', { $: 'Uint8Array', ...large }],
        ],
      },
      { features: { $: 'Features', key: 'a', ...large }, frame: { $: 'Frame', hash: picture } },
    ),
    read: (input) => carried(withoutPatience(shared), { text: Buffer.from(input).toString('utf8') }),
  };
}

/** A file that is not there is looked for again, after seconds. */
function withoutPatience(shared: SharedFolder): SharedFolder {
  return { ...shared, timers: { after: (_ms, action) => (queueMicrotask(action), () => {}) } };
}

/** A worker that outlives every job: its input, and the plan that it names. */
function jobRow({ folder }: Place) {
  const shared = withoutPatience(sharedFolder(join(folder, 'jobs')));
  const queue = localQueue({ clock: timerClock(() => 0) });
  const players = {
    stepped: () => Promise.reject(new EmacError('config', 'plays records only')),
    episodes: () => ({
      async *play(episode: number) {
        yield episode;
      },
      pack: async (step: unknown) => step,
      unpack: (step: unknown) => step,
    }),
  };
  const stop = new AbortController();
  const host = { env: {}, now: () => 0, signal: stop.signal };
  const identity = { id: 'w', host: 'here', pid: 1 };
  const plan = storePlan(shared, {
    plays: 'records',
    config: { env: 'e' },
    policy: { identity: null, computing: null },
    host: {},
  });
  const planText = JSON.parse(Buffer.from(shared.get(plan)).toString()) as object;
  let working: Promise<unknown> | null = null;
  let [jobs, ended]: [number, unknown] = [0, null];
  const read = async (input: Uint8Array): Promise<unknown> => {
    working ??= workWith(players, { queue, folder: shared, identity, host }).catch((thrown: unknown) => {
      [ended, working] = [thrown, null];
    });
    const given = parsed(input) as { readonly input?: Json; readonly plan?: unknown } | null;
    const named = { plan, start: null, asked: await carry(shared, { first: 0, count: 1 }) };
    const asked =
      given?.plan === undefined
        ? (given?.input ?? null)
        : { ...named, plan: shared.put(Buffer.from(JSON.stringify(given.plan))) };
    const name = { kind: 'play', run: 'r', policy: 'p', task: 't', seed: jobs++, shard: 0 };
    await queue.put([{ name, input: asked as Json }]);
    const { counts } = queue;
    for (let left = 10_000; left > 0 && ended === null; left--) {
      const { waiting, leased } = await counts.call(queue);
      if (waiting + leased === 0) return null;
      await new Promise((resolve) => setImmediate(resolve));
    }
    const why = ended ?? new Error('the job does not end');
    ended = null;
    // this worker cannot do what the plan asks for: it says so, and stops
    if (why instanceof EmacError && why.code === 'config') {
      await queue.forget('r');
      return null;
    }
    throw why;
  };
  const row: Parser = {
    name: 'job',
    isText: true,
    shape: 'document',
    share: 20,
    seeds: json(
      { input: { plan, start: null, asked: { text: '{"first":0,"count":1}' } } },
      { plan: planText },
    ),
    read,
  };
  return {
    row,
    async close() {
      stop.abort();
      await queue.close();
      await working;
    },
  };
}
