/** Imitation and preferences outside ALFWorld: started, stopped, resumed, evaluated. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onFailpoint } from '@emac/files';
import { plainHost } from '@emac/opening';
import type { EvaluationResult } from '@emac/rollout';
import { lewisEnvironments, type GivenTrainConfig } from '@emac/settings';
import { alsoLong } from '@emac/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { resume } from '../methods.ts';
import { evaluatePolicy } from '../evaluation/evaluate-policy.ts';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { localWorkers } from '../workers/workers.test.support.ts';
import { train } from './train.ts';

const folder = temporaryFolder();
const environments = [
  ['gym_cards/NumberLine-v0', 2],
  ['tabletop/spatial/0', 1],
  ...alsoLong([
    ['lewis/speaker', 1],
    ['MiniGrid-Empty-5x5-v0', 2],
    ['lewis/listener', 1],
  ] as const),
] as const;

function given(env: string, maxSteps: number, changes: Partial<GivenTrainConfig> = {}): GivenTrainConfig {
  return {
    phase: 'bc',
    env,
    play: { rounds: 1, gamesPerRound: 1, maxSteps, expertShare: { start: 1, decay: 1 } },
    optimization: { updatesPerEpisode: 1, batchSize: 1 },
    samples: { trainAfter: 'every-episode' },
    speech: { maxLength: 24 },
    evaluation: { episodes: 1 },
    ...changes,
    out: join(folder, `${env.replaceAll('/', '-')}-${changes.phase ?? 'bc'}`),
  };
}

/** Everything that must not depend on interruptions. */
function bytesOf(run: string): Record<string, string> {
  const { latest, ...files } = Object.fromEntries(
    ['metrics.jsonl', 'eval.json', 'eval-before.json', 'checkpoints/latest'].map((name) => [
      name.split('/').at(-1),
      readFileSync(join(run, name), 'utf8'),
    ]),
  );
  const last = join(run, 'checkpoints', latest!.trim());
  const parts = readdirSync(last).map((name) => [name, readFileSync(join(last, name)).toString('base64')]);
  return { ...files, ...Object.fromEntries(parts) };
}

function updatesOf(run: string): number {
  const lines = readFileSync(join(run, 'metrics.jsonl'), 'utf8').trim().split('\n');
  return lines.filter((line) => (JSON.parse(line) as { readonly kind: string }).kind === 'update').length;
}

/** Stopped at the first update, and resumed. */
async function stoppedAndResumed(config: GivenTrainConfig): Promise<string> {
  const stop = new AbortController();
  const out = join(config.out!, 'stopped');
  onFailpoint((name) => {
    if (name === 'updating') stop.abort();
  });
  try {
    await expect(train({ ...config, out }, plainHost({ signal: stop.signal }))).rejects.toMatchObject({
      code: 'interrupted',
    });
  } finally {
    onFailpoint(null);
  }
  const run = join(out, readdirSync(out)[0]!);
  await resume(run);
  return run;
}

describe.each(environments)('training in %s', (env, maxSteps) => {
  let bc: string;
  const dpo = () =>
    given(env, maxSteps, {
      phase: 'dpo',
      start: { ref: bc },
      // answers in the Lewis game are free texts: there are no other commands to draw from
      samples: {
        trainAfter: 'every-episode',
        agreed: lewisEnvironments.some((id) => id === env) ? 'drop' : 'random',
      },
    });

  beforeAll(async () => {
    bc = (await train(given(env, maxSteps))).folder;
  });

  it('imitates the scripted player on rl-tiny, and records this in its checkpoint', async () => {
    const state: unknown = JSON.parse(Buffer.from(bytesOf(bc)['state.json']!, 'base64').toString());
    expect(state).toMatchObject({ policy: { env, maxSteps } });
    expect(updatesOf(bc)).toBeGreaterThan(0);
    for (const none of ['logging_results', 'world.jsonl']) expect(existsSync(join(bc, none))).toBe(false);
    const evaluation = JSON.parse(readFileSync(join(bc, 'eval.json'), 'utf8')) as EvaluationResult;
    expect(evaluation.games).toHaveLength(1);
    expect(evaluation.games[0]!.seen_in_training).toBe(false);
  });

  it('resumes imitation and preferences to the same bytes', async () => {
    expect(bytesOf(await stoppedAndResumed(given(env, maxSteps)))).toEqual(bytesOf(bc));
    const whole = await train(dpo());
    expect(updatesOf(whole.folder)).toBeGreaterThan(0);
    expect(bytesOf(await stoppedAndResumed(dpo()))).toEqual(bytesOf(whole.folder));
  });

  it('ends in the same bytes if a worker plays and labels', async () => {
    const config = given(env, maxSteps);
    const workers = localWorkers(config.out!, 1);
    const { folder: run } = await train(
      { ...config, out: join(config.out!, 'over-workers') },
      { ...plainHost(), workers },
    );
    expect(bytesOf(run)).toEqual(bytesOf(bc));
    const [worker] = await workers.stop();
    expect(worker!.counted).toBeGreaterThan(2);
  });

  it('is evaluated by the name of the run alone, as after training', async () => {
    const evaluated = await evaluatePolicy({ ckpt: bc, numGames: 1 });
    const after = JSON.parse(readFileSync(join(bc, 'eval.json'), 'utf8')) as EvaluationResult;
    expect(evaluated.result).toMatchObject({ games: after.games });
  });
});

describe('settings of ALFWorld', () => {
  const ofGames = 'the games of ALFWorld';
  const ofWords = 'environments whose tasks and actions are words';
  it.each<[string, string, Partial<GivenTrainConfig>]>([
    ['--games', ofWords, { games: 'builtin:train' }],
    ['--expert planner', ofGames, { expert: { kind: 'planner' } }],
    ['--expert openai', ofGames, { expert: { kind: 'openai' } }],
    ['--eval-on', ofWords, { evaluation: { on: 'builtin:valid_seen' } }],
    ['--observe image', ofGames, { speech: { observe: 'image' } }],
  ])('are refused elsewhere in a sentence: %s', async (flag, owner, changes) => {
    await expect(train({ phase: 'bc', env: 'gym_cards/NumberLine-v0', ...changes })).rejects.toMatchObject({
      code: 'usage',
      message: `${flag}: is for ${owner}, got --env gym_cards/NumberLine-v0; leave it out`,
    });
  });
});
