/**
 * PPO in a custom environment: trained, resumed, evaluated, and with a worker whose command line names the same code.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadEnvironmentModule, plainHost, type GivenEnvironment } from '@emac/opening';
import { readRecord } from '@emac/runs';
import type { GivenPpoConfig } from '@emac/settings';
import { beforeAll, describe, expect, it } from 'vitest';
import { resume } from '../methods.ts';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { train } from '../training/train.ts';
import { localWorkers } from '../workers/workers.test.support.ts';
import { evaluatedSteps } from '../evaluation/evaluated-steps.test.support.ts';
import type { FinishedPpo } from './recipe.ts';
import { contentOf } from './run-content.test.support.ts';
import { stoppedAndGoneOn } from './stopped-run.test.support.ts';
import { trainPpo } from './train-ppo.ts';

const folder = temporaryFolder();
const env = join(folder, 'turns.mjs');

/** Three turns of a path announced at each step; the reward is 1 for taking the right one. */
const turns = `
const wayOf = (task) => task.split(' ');
export default {
  tasks: {
    training: ['left left right', 'right left right', 'left right right'],
    heldOut: ['right right left', 'left left left'],
  },
  actions: ['left', 'right'],
  begin(task) {
    const way = wayOf(task);
    let place = 0;
    const shown = () => (place < way.length ? 'Go ' + way[place] + '.' : 'There.');
    return {
      observation: shown(),
      step(action) {
        const reward = action === way[place] ? 1 : 0;
        place++;
        return { observation: shown(), reward, done: place === way.length };
      },
    };
  },
  expert: (task, { turns }) => wayOf(task)[turns.length],
};
`;

const short: GivenPpoConfig = {
  env,
  play: { environments: 2, environmentSteps: 8, stepsPerUpdate: 2 },
  optimization: { passes: 1, minibatchSize: 4, valueInitSteps: 0, targetKl: null },
  trained: { rank: 2 },
  value: { hiddenWidths: [4] },
  speech: { maxLength: 6, maxPromptTokens: 128 },
  evaluation: { episodes: 2 },
  checkpointEvery: 1,
};

let environment: GivenEnvironment;
let whole: FinishedPpo;
beforeAll(async () => {
  writeFileSync(env, turns);
  environment = await loadEnvironmentModule(env);
  whole = await trainPpo({ ...short, out: join(folder, 'whole') }, { ...plainHost(), environment });
});

describe('a PPO run in a custom module', () => {
  it('trains the model that reads such words, and plays held-out tasks before and after', () => {
    const { config, before, outcome } = whole;
    expect(config).toMatchObject({ env, policy: 'emma-tiny' });
    expect(outcome).toMatchObject({ update: 2, environmentSteps: 8 });
    expect(new Set(before!.games.map(({ id }) => id))).toEqual(
      new Set(['right right left', 'left left left']),
    );
    expect(before!.games[0]).toMatchObject({ type: './turns.mjs', steps: 3 });
    expect(readFileSync(join(whole.folder, 'metrics.jsonl'), 'utf8')).not.toContain(folder);
    const state = readFileSync(join(whole.folder, 'checkpoints', '00000010', 'state.json'), 'utf8');
    expect(JSON.parse(state)).toMatchObject({ environment: { env: './turns.mjs' } });
    expect(state).not.toContain(folder);
    expect(readRecord(whole.folder).versions['environment']).toBe(environment.sha256);
  });

  it('resumes to the same bytes in the middle of its episodes, if the code is given', async () => {
    const stopped = await stoppedAndGoneOn({ ...short, out: join(folder, 'stopped') }, 1, { environment });
    expect(contentOf(stopped)).toEqual(contentOf(whole.folder));
  });

  it('is refused without the code, and with code for an environment by id', async () => {
    const out = join(folder, 'refused');
    await expect(trainPpo({ ...short, out })).rejects.toThrow(/is code, .*; add --env .*turns\.mjs$/);
    const elsewhere = { ...short, env: 'alfworld', out };
    await expect(trainPpo(elsewhere, { ...plainHost(), environment })).rejects.toThrow(
      /was given, but the configuration says alfworld$/,
    );
    const { trained: _trained, speech: _speech, ...small } = { ...short, policy: 'mlp', out };
    await expect(trainPpo(small, { ...plainHost(), environment })).rejects.toThrow(
      /^--policy mlp: reads arrays, but .*turns\.mjs has none in its first observation; let begin and step return arrays beside the text, or leave --policy out$/,
    );
    await expect(
      trainPpo({ ...small, speech: { maxLength: 6 } }, { ...plainHost(), environment }),
    ).rejects.toThrow(/^--max-new-tokens: is for language models, got --policy mlp; leave it out$/);
    expect(existsSync(out)).toBe(false);
    await expect(resume(whole.folder)).resolves.toEqual([]);
  });

  it('is evaluated with the code, with its own final result', async () => {
    const asked = { env, ckpt: whole.folder, numGames: 2 };
    const { result } = await evaluatedSteps(asked, { ...plainHost(), environment });
    expect(result.games).toEqual(whole.after!.games);
  });
});

describe('workers of a custom module', () => {
  it('play PPO to the bytes of one process if given the code', async () => {
    const workers = localWorkers(join(folder, 'ppo'), 1, { environment });
    const host = { ...plainHost(), environment, workers };
    const { folder: run } = await trainPpo({ ...short, out: join(folder, 'ppo', 'runs') }, host);
    expect(contentOf(run)).toEqual(contentOf(whole.folder));
    const { counted } = (await workers.stop())[0]!;
    expect(counted).toBe(2 + 2 + 2);
  });

  it('also play and label imitation in a custom environment', async () => {
    const given = {
      phase: 'bc',
      env,
      play: { gamesPerRound: 2, rounds: 1 },
      optimization: { updatesPerEpisode: 1, batchSize: 1 },
      speech: { maxLength: 6, maxPromptTokens: 128 },
      evaluation: { episodes: 1 },
    } as const;
    const alone = await train({ ...given, out: join(folder, 'bc') }, { ...plainHost(), environment });
    const workers = localWorkers(join(folder, 'bc'), 1, { environment });
    const host = { ...plainHost(), environment, workers };
    const { folder: run } = await train({ ...given, out: join(folder, 'bc', 'over') }, host);
    expect(contentOf(run)).toEqual(contentOf(alone.folder));
    const { counted } = (await workers.stop())[0]!;
    expect(counted).toBeGreaterThan(2);
  });

  it.each<[string, () => Promise<{ environment?: GivenEnvironment }>, RegExp]>([
    ['no code', () => Promise.resolve({}), /is code, .*; start workers with --env .*turns\.mjs$/],
    [
      'other code',
      async () => {
        const path = join(folder, 'other.mjs');
        writeFileSync(path, `${turns}// changed\n`);
        return { environment: await loadEnvironmentModule(path) };
      },
      /environment is [0-9a-f]{12} here and [0-9a-f]{12} on the trainer; make them equal/,
    ],
  ])('end with one sentence if they have %s', async (what, theirs, message) => {
    const out = join(folder, what);
    const workers = localWorkers(out, 1, await theirs());
    const stop = new AbortController();
    const host = { ...plainHost({ signal: stop.signal }), environment, workers };
    const failed = trainPpo({ ...short, out: join(out, 'runs') }, host).catch((thrown: unknown) => thrown);
    const [ended] = await workers.ended();
    expect(ended).toMatchObject({
      status: 'rejected',
      reason: { code: 'config', message: expect.stringMatching(message) as string },
    });
    stop.abort();
    expect(await failed).toMatchObject({ code: 'interrupted' });
  });
});

/** Every step costs; the task alone decides whether the one step wins. */
const costly = `export default {
  tasks: { training: ['good 0'], heldOut: ['good 1', 'bad 1'] },
  actions: ['go'],
  begin: (task) => ({
    observation: 'Go.',
    step: () => ({ observation: 'There.', reward: -1, done: true, won: task.startsWith('good') }),
  }),
};`;

it('counts what the environment reports as won, in training and evaluation, whatever the return', async () => {
  const own = join(folder, 'costly.mjs');
  writeFileSync(own, costly);
  const host = { ...plainHost(), environment: await loadEnvironmentModule(own) };
  const run = await trainPpo({ ...short, env: own, out: join(folder, 'costly') }, host);
  expect(run.after!.games.map(({ id, won }) => [id, won]).sort()).toEqual([
    ['bad 1', false],
    ['good 1', true],
  ]);
  expect(run.after).toMatchObject({ success: 0.5, mean_return: -1 });
  const updates = readFileSync(join(run.folder, 'metrics.jsonl'), 'utf8').trim().split('\n');
  const lines = updates
    .map((line) => JSON.parse(line) as { success?: number })
    .filter((line) => 'success' in line);
  expect(new Set(lines.map(({ success }) => success))).toEqual(new Set([1]));
});
