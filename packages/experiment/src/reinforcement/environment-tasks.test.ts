/** Environments of MiniGrid as the tasks of one run. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Random, seenOf } from '@emac/core';
import type { CurriculumState } from '@emac/curriculum';
import { miniGrid } from '@emac/minigrid';
import { environmentTasks, seedOfTask, taskOfSeed, tasksEnvironment, taskTexts } from '@emac/opening';
import { trainingSeed } from '@emac/rollout';
import { loadCheckpoint, resolveCheckpoint } from '@emac/runs';
import type { GivenPpoConfig } from '@emac/settings';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { evaluatedSteps } from '../evaluation/evaluated-steps.test.support.ts';
import { contentOf } from './run-content.test.support.ts';
import { stoppedAndGoneOn } from './stopped-run.test.support.ts';
import type { FinishedPpo } from './recipe.ts';
import { trainPpo } from './train-ppo.ts';

const folder = temporaryFolder();
const tasks = ['MiniGrid-Empty-5x5-v0', 'MiniGrid-DoorKey-5x5-v0', 'MiniGrid-Empty-Random-6x6-v0'];

describe('the seed of a task', () => {
  const seeds = fc.integer({ min: 0, max: 2 ** 52 - 1 });
  const counts = fc.integer({ min: 1, max: 1000 });

  it('keeps its parity, selects its task, and is close to the drawn one', () => {
    fc.assert(
      fc.property(seeds, counts, fc.nat(), (seed, count, which) => {
        const moved = seedOfTask(seed, which % count, count) as number;
        expect(taskOfSeed(moved, count).task).toBe(which % count);
        expect(moved % 2).toBe(seed % 2);
        expect(Number(taskOfSeed(moved, count).seed) % 2).toBe(seed % 2);
        expect(Math.abs(moved - seed)).toBeLessThan(2 * count);
      }),
    );
  });

  it('drawn as by PPO without a curriculum selects the tasks uniformly', () => {
    const drawn = Array.from({ length: 3000 }, (_, episode) => trainingSeed(Random.fromSeed(5), 0, episode));
    for (const task of [0, 1, 2]) {
      const count = drawn.filter((seed) => taskOfSeed(seed, 3).task === task).length;
      // a third of 3000, deviation 26
      expect(Math.abs(count - 1000)).toBeLessThan(5 * 26);
    }
  });

  it('of three tasks: 2 · (3 · 5 + 1) + 1 is number 1 with seed 2 · 5 + 1', () => {
    expect(taskOfSeed(33, 3)).toEqual({ task: 1, seed: 11 });
    expect(taskOfSeed(2n ** 60n, 1)).toEqual({ task: 0, seed: 2n ** 60n });
  });
});

describe('environments as one', () => {
  const all = () => tasksEnvironment(tasks.map((id) => miniGrid(id, { maxSteps: 20 })));

  it('play the one that the seed names, as it is played alone', () => {
    const { seedOf } = environmentTasks(tasks);
    const environment = all();
    for (const [number, id] of tasks.entries()) {
      const seed = seedOf(id, Random.fromSeed(number));
      const alone = miniGrid(id);
      environment.reset(seed);
      alone.reset(taskOfSeed(seed, tasks.length).seed);
      const { task, ...arrays } = environment.observe();
      expect([environment.text(), arrays, task!.data[0]]).toEqual([alone.text(), alone.observe(), number]);
      for (const action of [2, 1, 2, 2]) expect(environment.step(action)).toEqual(alone.step(action));
      expect(environment.frame()).toEqual(alone.frame());
    }
    expect(() => environment.reset(-1)).toThrow(/seed/);
  });

  it("resume mid-episode from their own state, and refuse others' states", () => {
    const [one, other] = [all(), all()];
    one.reset(seedOfTask(77, 1, 3));
    one.step(2);
    other.reset(0);
    other.restore(JSON.parse(JSON.stringify(one.state())) as ReturnType<typeof one.state>);
    for (const action of [0, 2, 1, 2]) expect(other.step(action)).toEqual(one.step(action));
    expect(other.observe()).toEqual(one.observe());
    expect(() => other.restore({ task: 3, environment: {} })).toThrow(/of one of 3 tasks, got task 3/);
  });

  it('are prompted with their own texts', async () => {
    const texts = taskTexts(
      tasks.map((id) => ({
        frames: false,
        prompt: () => [{ kind: 'text', text: id }] as const,
        read: () => ({ action: 0, actionStart: 0 }),
      })),
    );
    const environment = all();
    for (const [number, id] of tasks.entries()) {
      environment.reset(seedOfTask(10, number, 3));
      expect(await texts.prompt(seenOf(environment, texts))).toEqual([{ kind: 'text', text: id }]);
    }
  });
});

const given: GivenPpoConfig = {
  env: tasks[0]!,
  policy: 'mlp',
  play: { environments: 4, stepsPerUpdate: 32, environmentSteps: 512, maxSteps: 12 },
  optimization: { minibatchSize: 64, passes: 1 },
  curriculum: { formula: 'half', decay: 0.5, tasks: tasks.join(',') },
  evaluation: { episodes: 7, temperature: 1 },
  checkpointEvery: 1,
};

describe('a run of several environments', () => {
  let whole: FinishedPpo;
  beforeAll(async () => {
    whole = await trainPpo({ ...given, out: join(folder, 'whole') });
  });

  const stateOf = (run: string) =>
    loadCheckpoint(resolveCheckpoint(`${run}@latest`).folder).state as unknown as {
      readonly tasks: readonly string[];
      readonly training: {
        readonly episodes: number;
        readonly choice: { readonly curriculum: CurriculumState; readonly underWay: readonly string[] };
        readonly vector: { readonly environments: readonly { readonly task: number }[] };
      };
    };

  it('reports every episode to its task, in checkpoint and metrics', () => {
    const { tasks: stored, training } = stateOf(whole.folder);
    const { curriculum, underWay } = training.choice;
    expect(stored).toEqual(tasks);
    expect(curriculum.tasks).toEqual(tasks);
    expect(curriculum.counts.reduce((sum, count) => sum + count, 0)).toBe(training.episodes);
    expect(curriculum.counts.every((count) => count > 0)).toBe(true);
    // the unfinished draws match the environments' current tasks
    expect(training.vector.environments.map(({ task }) => tasks[task])).toEqual(underWay);
    const last = JSON.parse(
      readFileSync(join(whole.folder, 'metrics.jsonl'), 'utf8').trim().split('\n').at(-1)!,
    ) as Record<string, number>;
    expect(tasks.map((_, number) => last[`curriculum/task_${number}_avg_success_rate`])).toEqual(
      curriculum.ema,
    );
    const sum = tasks.reduce((total, _, number) => total + last[`curriculum/task_${number}_probability`]!, 0);
    expect(sum).toBeCloseTo(1, 12);
  });

  it('is evaluated on the tasks in turn, separately, on held-out seeds', () => {
    const games = whole.after!.games;
    expect(games.map(({ type }) => type)).toEqual([0, 1, 2, 0, 1, 2, 0].map((number) => tasks[number]));
    expect(Object.keys(whole.after!.by_type)).toEqual(tasks);
    for (const { id, type } of games) {
      expect(id.startsWith(`${type}/`)).toBe(true);
      expect(Number(id.split('/')[1]) % 2).toBe(1);
    }
  });

  it.each([1, 3])('resumes after a stop in update %d with the same draws', async (update) => {
    const stopped = await stoppedAndGoneOn({ ...given, out: join(folder, `stopped-${update}`) }, update);
    expect(contentOf(stopped)).toEqual(contentOf(whole.folder));
  });

  it('can be evaluated in each of them, and in no other', async () => {
    const asked = { ckpt: whole.folder, numGames: 2 };
    for (const env of tasks) {
      const { result } = await evaluatedSteps({ ...asked, env });
      expect(new Set(result.games.map(({ type }) => type))).toEqual(new Set([env]));
    }
    await expect(evaluatedSteps({ ...asked, env: 'MiniGrid-FourRooms-v0' })).rejects.toThrow(
      `was trained in ${tasks.join(', ')} and cannot read`,
    );
  });

  it('of a model prompts each with its own texts, for any picture size', async () => {
    const { folder: run } = await trainPpo({
      ...given,
      policy: 'rl-tiny',
      play: { environments: 2, stepsPerUpdate: 4, environmentSteps: 8, maxSteps: 2 },
      curriculum: { formula: 'half', tasks: `${tasks[0]},${tasks[2]}` },
      evaluation: { episodes: 0 },
      out: join(folder, 'model'),
    });
    const { training } = stateOf(run);
    // 2 · 4 steps of episodes that are cut off after two, or end earlier
    expect(training.episodes).toBeGreaterThanOrEqual(4);
    expect(training.choice.curriculum.counts.reduce((sum, count) => sum + count, 0)).toBe(training.episodes);
  });
});

it.each<[string, Partial<GivenPpoConfig>, string]>([
  [
    'cards',
    {
      env: 'gym_cards/NumberLine-v0',
      curriculum: { tasks: 'gym_cards/NumberLine-v0,gym_cards/Blackjack-v0' },
    },
    'must be environments of MiniGrid-…, got gym_cards/NumberLine-v0',
  ],
  [
    'a curriculum of one environment',
    { curriculum: { formula: 'half' } },
    '--curriculum-tasks (MiniGrid-…), got MiniGrid-Empty-5x5-v0',
  ],
  ['one task', { curriculum: { tasks: tasks[0]! } }, 'must be two different environments or more'],
  [
    'a task twice',
    { curriculum: { tasks: `${tasks[0]},${tasks[1]},MiniGrid-Empty-5x5` } },
    'must be two different environments',
  ],
  [
    'tasks without the environment',
    { curriculum: { tasks: `${tasks[1]},${tasks[2]}` } },
    'including --env MiniGrid-Empty-5x5-v0',
  ],
  [
    'what is not an environment',
    { curriculum: { tasks: `${tasks[0]},MiniGrid-Nothing` } },
    'is not an environment',
  ],
  ['ratings', { shaping: { utility: 'reward' } }, '--utility: rates the steps of one environment'],
  [
    'a predictor beside a curriculum',
    { policy: 'rl-tiny', shaping: { temporalPredictor: 0.1 } },
    '--temporal-predictor: needs sampled episodes',
  ],
  // six cells of 8 pixels, and five
  ['pictures of another size for cnn', { policy: 'cnn' }, 'has 40 × 40 pixels'],
  [
    'actions that a model is not offered everywhere',
    { policy: 'rl-tiny' },
    'MiniGrid-DoorKey-5x5-v0 the actions turn left, turn right, move forward, pick up, toggle',
  ],
])('%s: is refused before a run is made', async (_what, changes, sentence) => {
  const out = join(folder, 'refused');
  const begun = trainPpo({ ...given, ...changes, out });
  await expect(begun).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining(sentence) as string,
  });
  expect(existsSync(out)).toBe(false);
});
