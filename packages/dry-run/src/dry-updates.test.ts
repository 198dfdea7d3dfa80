import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Prompt } from '@emac/core';
import { trainGrpo, trainPpo, type Rehearsal } from '@emac/experiment';
import { plainHost } from '@emac/opening';
import type { GivenGrpoConfig, GivenPpoConfig } from '@emac/settings';
import { describe, expect, it } from 'vitest';
import type { DryHost } from './dry-run.ts';
import { dryGrpo, dryPpo } from './dry-updates.ts';
import { updatesTime } from './hours.ts';
import { measureUpdates } from './measure-updates.ts';
import { exactly } from './range.ts';
import { temporaryFolder } from './temporary-folder.test.support.ts';

const folder = temporaryFolder();
const gib = 2 ** 30;
const host = (free = gib): DryHost => ({
  ...plainHost(),
  measureLimit: 0,
  machine: { memory: () => ({ resident: 1000, peak: 3000, available: gib }), freeSpace: () => free },
});

const cards: GivenPpoConfig = {
  env: 'NumberLine',
  play: { environments: 2, environmentSteps: 24, stepsPerUpdate: 4 },
  evaluation: { episodes: 2 },
  out: folder,
};

it.each<[string, GivenPpoConfig, number]>([
  // two numbers from 0 to 5, one-hot, and two actions: two networks 12 → 64 → 64 → 2 and 1
  ['a small network', { ...cards, policy: 'mlp' }, (12 * 64 + 64 + 64 * 64 + 64) * 2 + 64 * 2 + 2 + 64 + 1],
  ['a model', { ...cards, policy: 'rl-tiny' }, 60_545],
])('a dry run of PPO with %s writes nothing and counts its updates', async (_name, given, trained) => {
  const [run] = await dryPpo(given, host());
  expect(run).toMatchObject({ name: 'ppo', config: { env: 'gym_cards/NumberLine-v0' }, expert: null });
  // 24 steps, 2 environments of 4
  expect(run!.of).toMatch(/^24 steps of gym_cards\/NumberLine-v0 in 3 updates of 8; 2 held-out episodes/);
  expect(run!.model.parameters.trained).toBe(trained);
  expect(run!.example === null).toBe(given.policy === 'mlp');
  expect(run!.time.parts.map(({ name }) => name)).toEqual([
    'opening',
    'evaluation before',
    'training',
    'evaluation after',
  ]);
  expect(run!.memory).toMatchObject({ opened: 1000, peak: 3000 });
  expect(readdirSync(folder)).toEqual([]);
});

it.each<[string, GivenGrpoConfig, RegExp]>([
  ['an environment', { env: 'NumberLine' }, /NumberLine: 3 updates of 6 attempts, 2 groups of 3/],
  ['the Lewis game', { role: 'both' }, /^(listener|speaker) .*: 3 updates of 6 attempts/],
])('a dry run of GRPO in %s shows what the policy reads and says', async (_name, given, of) => {
  const play = { updates: 3, promptsPerUpdate: 2, groupSize: 3 };
  const runs = await dryGrpo({ ...given, play, evaluation: { games: 4 }, out: folder }, host());
  expect(runs).toHaveLength(given.role === 'both' ? 2 : 1);
  for (const run of runs) {
    expect(run.of).toMatch(of);
    expect(run.example!.prompt.length).toBeGreaterThan(0);
    expect(run.disk!.total.least).toBeGreaterThan(0);
  }
  expect(readdirSync(folder)).toEqual([]);
});

it.each<[string, () => Promise<unknown>]>([
  ['reads game files', () => dryPpo({ ...cards, env: 'alfworld', world: { kind: 'http' } }, host())],
  ['reads game files', () => dryGrpo({ env: 'alfworld', world: { kind: 'http' } }, host())],
  [
    'asks no service, but --listener http://127.0.0.1:1 answers',
    () => dryGrpo({ role: 'speaker', listener: 'http://127.0.0.1:1' }, host()),
  ],
  [
    'asks no service, but --inference http://127.0.0.1:1 answers',
    () =>
      dryPpo(
        { ...cards, policy: 'rl-tiny', inference: { url: 'http://127.0.0.1:1', adapters: folder } },
        host(),
      ),
  ],
])('a dry run where workers play or a server answers %s', async (sentence, attempt) => {
  await expect(attempt()).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining(sentence) as string,
  });
});

it('needs the room that the run needs', async () => {
  await expect(dryPpo({ ...cards, policy: 'mlp' }, host(1000))).rejects.toMatchObject({ code: 'io' });
});

it('takes the parameters that the run stores', async () => {
  const out = join(folder, 'made');
  const [dry] = await dryPpo({ ...cards, policy: 'mlp', out }, host());
  const { config } = await trainPpo({ ...cards, policy: 'mlp', out });
  expect(dry!.config).toEqual(config);
  const small: GivenGrpoConfig = {
    env: 'NumberLine',
    play: { updates: 1, promptsPerUpdate: 1, groupSize: 2 },
  };
  const asked = { ...small, evaluation: { games: 1 }, out };
  const [grpo] = await dryGrpo(asked, host());
  expect(grpo!.config).toEqual((await trainGrpo({ ...asked, role: null })).config);
});

it('extrapolates an update from the largest one there is time for', async () => {
  let time = 0;
  const prompt: Prompt = [];
  const answer = { text: '', tokens: [1], logProbabilities: [0] };
  const sizes: number[] = [];
  // opening sessions takes a second; then each step is played in 10 ms and learned from in 5
  const rehearsal = {
    updates: 3,
    size: 400,
    noun: 'step',
    together: 2,
    passes: 4,
    heldOut: 6,
    longest: 10,
    update: (most, { said, learning }) => {
      time += 10 * most + (sizes.length === 0 ? 1000 : 0);
      said(prompt, answer);
      learning();
      time += 5 * most;
      sizes.push(most);
      return Promise.resolve(most);
    },
    evaluate: (episodes) => {
      time += episodes * 70;
      return Promise.resolve();
    },
  } as Omit<Rehearsal, 'of' | 'policy'> as Rehearsal;
  const measured = await measureUpdates(rehearsal, {
    now: () => time,
    limit: 8000,
    memory: () => ({ resident: 0, peak: 0 }),
  });
  // half of the 6985 ms that are left, over the 1015 of the first; half of 6940 over 15
  expect(sizes).toEqual([1, 3, 231]);
  expect(measured).toMatchObject({ play: exactly(10), learn: 5, evaluate: exactly(70) });
  const { parts } = updatesTime(rehearsal, {
    ...measured,
    opening: 0,
    memory: { opened: 0, acting: 0, usual: 0, peak: 0 },
  });
  // 3 · 400 · (10 + 4 · 5)
  expect(parts.find(({ name }) => name === 'training')!.milliseconds).toEqual(exactly(36_000));
});

describe('attempts that decide together', () => {
  /** Whatever is under way takes 4 s, up to eight attempts, and a second the first time. */
  const measured = (limit: number) => {
    let time = 0;
    const sizes: number[] = [];
    const rehearsal = {
      updates: 2,
      size: 96,
      noun: 'attempt',
      together: 8,
      passes: 1,
      heldOut: 0,
      longest: 1,
      update: (most, { said, learning }) => {
        const size = Math.max(2, most);
        time += 4000 * Math.ceil(size / 8) + (sizes.length === 0 ? 1000 : 0);
        said([], { text: '', tokens: [1], logProbabilities: [0] });
        learning();
        sizes.push(size);
        return Promise.resolve(size);
      },
    } as Omit<Rehearsal, 'of' | 'policy' | 'evaluate'> as Rehearsal;
    const memory = () => ({ resident: 0, peak: 0 });
    return measureUpdates(rehearsal, { now: () => time, limit, memory }).then((found) => ({
      ...found,
      sizes,
      training: updatesTime(rehearsal, {
        ...found,
        opening: 0,
        memory: { opened: 0, acting: 0, usual: 0, peak: 0 },
      }).total,
    }));
  };

  it('are measured as many as the run has under way, even if the smallest update used the time', async () => {
    // two attempts in 5 s, twice the limit; then eight in 4 s: 2 · 96 / 8 · 4 s
    const { sizes, play, training } = await measured(2500);
    expect(sizes).toEqual([2, 8]);
    expect(play).toEqual(exactly(500));
    expect(training).toEqual(exactly(96_000));
  });

  it('have bounds if only the smallest update was measured', async () => {
    // two in 5 s: eight take 5 s at least and 20 s at most
    const { sizes, play, training } = await measured(2000);
    expect(sizes).toEqual([2]);
    expect(play).toEqual({ least: 625, most: 2500 });
    expect(training).toEqual({ least: 120_000, most: 480_000 });
  });
});
