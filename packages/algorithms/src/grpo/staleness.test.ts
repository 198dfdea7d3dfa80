/** Answers of older policies: their weight, when workers give them, and resuming. */
import { setImmediate as turn } from 'node:timers/promises';
import { Random, type GradientRow, type ParameterSet } from '@emac/core';
import { numberedPrompt, type TokenTable } from '@emac/testing';
import { describe, expect, it } from 'vitest';
import { grpo } from '../grpo.ts';
import {
  answeredGroups,
  type AnsweredTask,
  type Answering,
  type AnswersElsewhere,
} from './answered-groups.ts';
import type { GrpoCheckpoint, GrpoLine, GrpoRun } from './grpo-run.ts';
import { checkGrpoSettings, type GrpoSettings } from './grpo-settings.ts';
import { copied, plainOptimization, tableOf } from './small-attempts.test.support.ts';

const updates = 6;
const settingsOf = (maxStaleness: number): GrpoSettings => ({
  play: { updates, promptsPerUpdate: 2, groupSize: 4, temperature: 0.8, finalTemperature: 0.4, together: 1 },
  losses: { clip: null, beta: 0, scale: 'none', normalization: 'grpo', maxLength: 4 },
  optimization: { ...plainOptimization, learningRate: 0.2, maxStaleness },
});

// each update asks both
const tasks = { count: 2, at: (place: number) => ({ prompt: numberedPrompt(place) }) };
const rewards = {
  words: (_: object, said: string) => said.split(' ').length + (said.startsWith('a') ? 0.5 : 0),
};

const table = (parameters?: ParameterSet): TokenTable =>
  tableOf({ prompts: 2, words: ['a', 'b', 'c'], maxLength: 4 }, parameters);

interface Numbered {
  readonly prompt: ReturnType<typeof numberedPrompt>;
}
type Run = GrpoRun<AnsweredTask<Numbered>>;
type Parts = Partial<Run> & Partial<Pick<Answering<Numbered>, 'elsewhere' | 'tasks'>>;

/** A run with its training data and the policy before each update. */
function begun(
  maxStaleness: number,
  { elsewhere, tasks: own = tasks, ...more }: Parts = {},
  policy = table(),
) {
  const lines: GrpoLine[] = [];
  const learned: (readonly GradientRow[])[] = [];
  const stored: { readonly parameters: ParameterSet; readonly moment: GrpoCheckpoint }[] = [];
  const run: Run = {
    settings: settingsOf(maxStaleness),
    policy: {
      ...policy,
      gradient: (rows, loss) => {
        learned.push(rows);
        return policy.gradient(rows, loss);
      },
    },
    reference: null,
    attempts: answeredGroups({ tasks: own, rewards, elsewhere }),
    random: Random.fromSeed(7),
    metrics: (line) => void lines.push(line),
    checkpoint: (moment) => void stored.push({ parameters: copied(policy), moment: structuredClone(moment) }),
    ...more,
  };
  return { run, lines, learned, stored };
}

/** Workers with policies of their own, at the requested version. */
function others(around: (asking: Parameters<AnswersElsewhere>[1]) => unknown = ({ put }) => put()) {
  const asked: number[] = [];
  const elsewhere: AnswersElsewhere = async ({ update, parameters, temperature, groups }, asking) => {
    asked.push(update);
    const policy = table(parameters);
    await around(asking);
    return Promise.all(
      groups.map((prompts) => {
        const questions = prompts.flatMap(({ prompt, randoms }) =>
          randoms.map((path) => ({ prompt, allowed: null, random: Random.fromSeed(path) })),
        );
        return policy.decide(questions, { kind: 'sample', temperature, topP: 1 });
      }),
    );
  };
  return { asked, elsewhere };
}

describe('an update with answers of an older policy', () => {
  it.each([0, 1, 2])('weighs each token by π_θ / π_behaviour: K = %i', async (limit) => {
    const { run, lines, learned, stored } = begun(limit);
    await grpo(run);
    for (const [update, rows] of learned.entries()) {
      const [then, now] = await Promise.all(
        [Math.max(0, update - limit), update].map((version) =>
          table().under(stored[version]!.parameters).score(rows),
        ),
      );
      const answers = run.settings.play.promptsPerUpdate * run.settings.play.groupSize;
      // no deviation divides, so A = reward − mean of the group; loss = −(1/N) Σ (1/L) Σ ratio · A
      let loss = 0;
      rows.forEach(({ constants }, row) => {
        const [old, current] = [then![row]![0]!, now![row]![0]!];
        const sampled = constants!['sampledLogProbability'] as readonly number[];
        sampled.forEach((logProbability, token) => expect(logProbability).toBeCloseTo(old[token]!, 5));
        const ratios = Array.from(current, (value, token) => Math.exp(value - old[token]!));
        const mean = ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length;
        // answers without an advantage cost no gradient, and still count
        loss -= (mean * (constants!['advantage'] as number)) / answers;
      });
      expect(lines[update]!['loss']).toBeCloseTo(loss, 5);
      expect(lines[update]!['staleness']).toBe(limit === 0 ? undefined : Math.min(update, limit));
      // ratios are 1 where nothing is stale, and only there
      const isStale = Math.min(update, limit) > 0;
      expect((lines[update]!['approx_kl'] as number) > 1e-6).toBe(isStale);
    }
  });
});

describe('answering workers', () => {
  it.each([0, 1, 3, 16])('give the answers of a single process: K = %i', async (limit) => {
    const here = begun(limit);
    const state = await grpo(here.run);
    const slow = Random.fromSeed(3);
    const waits = async () => {
      for (let left = slow.integer(6); left > 0; left--) await turn();
    };
    const { elsewhere } = others(async ({ put }) => (await waits(), put(), await waits()));
    const there = begun(limit, { elsewhere });
    expect(await grpo(there.run)).toEqual(state);
    expect(there.lines).toEqual(here.lines);
    expect(there.stored).toEqual(here.stored);
  });

  it.each([0, 1, 2])('have all allowed requests before the trainer learns: K = %i', async (limit) => {
    const { asked, elsewhere } = others(async ({ put }) => {
      await turn();
      put();
      for (let turns = 0; turns < 10; turns++) await turn();
    });
    const learns: number[] = [];
    await grpo(begun(limit, { elsewhere, metrics: () => void learns.push(asked.length) }).run);
    expect(learns).toEqual(
      Array.from({ length: updates }, (_, update) => Math.min(updates, update + 1 + limit)),
    );
  });

  it('get prompts made for one update at a time, as in one process', async () => {
    const made: number[][] = [];
    for (const elsewhere of [undefined, others().elsewhere]) {
      const [underWay, most]: [number[], number[]] = [[0], []];
      const at = async (place: number) => {
        most.push(++underWay[0]!);
        await turn();
        underWay[0]!--;
        return tasks.at(place);
      };
      await grpo(begun(2, { tasks: { count: 2, at }, ...(elsewhere && { elsewhere }) }).run);
      made.push(most);
    }
    // two prompts of each of six updates
    expect(made).toEqual([1, 2].map(() => Array.from({ length: updates }, () => [1, 2]).flat()));
  });
});

it.each([1, 2])('resumes from any checkpoint to the same bytes: K = %i', async (limit) => {
  const whole = begun(limit);
  const state = await grpo(whole.run);
  for (const [update, { parameters, moment }] of whole.stored.entries()) {
    expect(moment.earlier).toEqual(
      whole.stored.slice(Math.max(0, update - limit), update).map((before) => before.parameters),
    );
    for (const elsewhere of [undefined, others().elsewhere]) {
      const again = begun(limit, { resume: moment, ...(elsewhere && { elsewhere }) }, table(parameters));
      expect(await grpo(again.run)).toEqual(state);
      expect(again.lines).toEqual(whole.lines.slice(update));
    }
  }
});

it.each([-1, 0.5, 17])('a staleness of %d is refused', (maxStaleness) => {
  const message = `--max-staleness: must be a whole number from 0 to 16, got ${maxStaleness}`;
  expect(() => checkGrpoSettings(settingsOf(maxStaleness))).toThrow(message);
});
