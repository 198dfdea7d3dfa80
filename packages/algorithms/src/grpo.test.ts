import { parametersOf, Random, type ParameterSet } from '@emac/core';
import { grpoLoss } from '@emac/losses';
import { numberedPrompt, tokenTable, type TokenTable } from '@emac/testing';
import { describe, expect, it } from 'vitest';
import { grpo } from './grpo.ts';
import { grpoBatchOf, ofAnswers, weighted } from './grpo/batch.ts';
import { beginGrpo, type GrpoCheckpoint, type GrpoLine, type GrpoRun } from './grpo/grpo-run.ts';
import { checkGrpoSettings, stepsPerGrpoUpdate, type GrpoSettings } from './grpo/grpo-settings.ts';
import { improveGroups, learningRateOf } from './grpo/improve.ts';
import { beginPlaying } from './grpo/played-groups.ts';
import {
  changed as changedFrom,
  copied,
  plainOptimization,
  questions,
  blind,
  tableOf,
  type Changes,
} from './grpo/small-attempts.test.support.ts';

const settings: GrpoSettings = {
  play: { updates: 40, promptsPerUpdate: 3, groupSize: 8, temperature: 1 },
  losses: { clip: null, beta: 0, scale: 'group', normalization: 'grpo', maxLength: 4 },
  optimization: plainOptimization,
};
const changed = (changes: Changes): GrpoSettings => changedFrom(changes, settings);

/** the rewarded word of each task */
const wanted = ['a', 'b', 'c', 'a', 'b'];
type Reward = (word: string, said: string) => number | Promise<number>;
const rewards = {
  // only the last word counts, so earlier tokens learn from later ones
  right: (word: string, said: string) => (said.split(' ').at(-1) === word ? 1 : 0),
  short: (_: string, said: string) => Promise.resolve(said.split(' ').length > 2 ? -0.2 : 0),
};

const table = (parameters?: ParameterSet): TokenTable =>
  tableOf({ prompts: 5, words: ['a', 'b', 'c'], maxLength: 4 }, parameters);

type Run = GrpoRun;

function recorded(
  policy: TokenTable,
  {
    rewards: own = rewards,
    ...more
  }: Partial<Run> & { readonly rewards?: Readonly<Record<string, Reward>> } = {},
) {
  const lines: GrpoLine[] = [];
  const run: Run = {
    settings,
    policy: blind(policy),
    reference: null,
    attempts: questions(wanted, own),
    random: Random.fromSeed(7),
    metrics: (line) => void lines.push(line),
    ...more,
  };
  return { run, lines };
}

/** An answer's average reward. */
async function worth(policy: TokenTable): Promise<number> {
  const draws = Random.fromSeed('worth');
  const questions = Array.from({ length: 500 }, (_, which) => ({
    prompt: numberedPrompt(which % 5),
    allowed: null,
    random: draws.stream(which),
  }));
  const answers = await policy.decide(questions, { kind: 'sample', temperature: 1, topP: 1 });
  const right = answers.filter(({ text }, which) => text.split(' ').at(-1) === wanted[which % 5]);
  return right.length / answers.length;
}

describe('GRPO', () => {
  it.each(['grpo', 'bnpo', 'dr_grpo', 'dapo'] as const)(
    'learns rewarded answers, with %s',
    async (normalization) => {
      const policy = table();
      expect(await worth(policy)).toBeLessThan(0.45);
      const { run, lines } = recorded(policy, { settings: changed({ losses: { normalization } }) });
      const state = await grpo(run);
      expect(await worth(policy)).toBeGreaterThan(0.95);
      // 40 updates of 3 · 8 answers, each one gradient step
      expect(state).toMatchObject({ update: 40, answers: 960, gradientSteps: 40 });
      const [first, last] = [lines[0]!, lines.at(-1)!];
      expect(first).toMatchObject({
        v: 1,
        kind: 'update',
        phase: 'grpo',
        update: 0,
        answers: 24,
        kl: null,
        lr: 0.1,
      });
      expect(first['reward']).toBeCloseTo(
        (first['reward_right'] as number) + (first['reward_short'] as number),
        9,
      );
      expect(last['reward_right']).toBeGreaterThan(0.9);
      expect(last['entropy']).toBeLessThan(first['entropy'] as number);
      // groups that always say the same teach nothing any more
      expect(last['frac_reward_zero_std']).toBeGreaterThan(first['frac_reward_zero_std'] as number);
      for (const line of lines) expect(line).toMatchObject({ clip_fraction: 0, gradient_steps: 1 });
      for (const line of lines) expect(Math.abs(line['approx_kl'] as number)).toBeLessThan(1e-9);
    },
  );

  it('resumes from any checkpoint to the same bytes', async () => {
    const policy = table();
    const reference = table();
    const several = changed({
      play: { updates: 6 },
      losses: { beta: 0.04, clip: { low: 0.2, high: 0.28 } },
      optimization: { passes: 2, minibatchSize: 10, schedule: 'linear', finalShare: 0, warmup: 3 },
    });
    const stored: { parameters: ParameterSet; checkpoint: GrpoCheckpoint }[] = [];
    const { run, lines } = recorded(policy, {
      settings: several,
      reference,
      checkpoint: (each) =>
        void stored.push({
          parameters: copied(policy),
          checkpoint: {
            state: JSON.parse(JSON.stringify(each.state)) as GrpoCheckpoint['state'],
            optimizer: structuredClone(each.optimizer),
          },
        }),
    });
    const state = await grpo(run);
    expect(stored).toHaveLength(7);
    // two passes over 24 answers in minibatches of 10
    expect(state.gradientSteps).toBe(6 * 2 * 3);
    for (const at of [0, 3, 5]) {
      const again = table(stored[at]!.parameters);
      const resumed = recorded(again, { settings: several, reference, resume: stored[at]!.checkpoint });
      expect(await grpo(resumed.run)).toEqual(state);
      expect(resumed.lines).toEqual(lines.slice(at));
      expect(parametersOf(again)).toEqual(parametersOf(policy));
    }
  });

  it('stops on request after an update, and refuses the state of another run', async () => {
    const stop = new AbortController();
    const stored: GrpoCheckpoint[] = [];
    const { run } = recorded(table(), {
      signal: stop.signal,
      checkpoint: (checkpoint) => {
        stored.push(checkpoint);
        if (stored.length === 3) stop.abort();
      },
    });
    await expect(grpo(run)).rejects.toMatchObject({ code: 'interrupted' });
    expect(stored.at(-1)!.state.update).toBe(2);
    const other = recorded(table(), { resume: stored.at(-1)!, random: Random.fromSeed(8) });
    await expect(grpo(other.run)).rejects.toThrow('randomPath must be 8, got 7');
  });

  it('gives equal bytes for equal seeds, and others for others', async () => {
    const linesOf = async (seed: number) => {
      const { run, lines } = recorded(table(), {
        settings: changed({ play: { updates: 3 } }),
        random: Random.fromSeed(seed),
      });
      await grpo(run);
      return lines;
    };
    expect(await linesOf(1)).toEqual(await linesOf(1));
    expect(await linesOf(1)).not.toEqual(await linesOf(2));
  });

  it('reports every answer with its rewards', async () => {
    const told: { update: number; place: string; reward: number }[] = [];
    const { run, lines } = recorded(table(), {
      settings: changed({ play: { updates: 5 } }),
      learned: ({ update, attempts }) => {
        for (const { reward, rewards: parts, steps, trajectory } of attempts) {
          const { id } = trajectory.task;
          expect(parts['right']).toBe(rewards.right(wanted[Number(id)]!, steps[0]!.answer.text));
          expect(reward).toBe(parts['right']! + parts['short']!);
          expect(trajectory.won).toBe(parts['right'] === 1);
          told.push({ update, place: id, reward });
        }
      },
    });
    await grpo(run);
    expect(told).toHaveLength(5 * 24);
    for (const line of lines) expect(line['success']).toBe(line['reward_right']);
    // 15 prompts: three passes over the five tasks, without gaps
    const asked = told.filter((_, which) => which % 8 === 0).map(({ place }) => place);
    for (const pass of [0, 5, 10]) expect(new Set(asked.slice(pass, pass + 5)).size).toBe(5);
    expect(asked.slice(0, 5)).not.toEqual(asked.slice(5, 10));
  });
});

/** The batch of the first update. */
async function batched(run: Run) {
  const running = beginGrpo(run);
  const groups = await beginPlaying(running).next();
  return { running, groups, batch: await grpoBatchOf(running, groups) };
}

describe('a batch', () => {
  it('has the ratio 1 before the first update, at any temperature', async () => {
    for (const temperature of [1, 0.5]) {
      const policy = table();
      const { run } = recorded(policy, { settings: changed({ play: { temperature } }) });
      const { batch, running } = await batched(run);
      const { logProbabilities } = await policy.gradient(
        weighted(batch.rows, running.settings),
        grpoLoss({ clip: null, beta: 0 }),
      );
      const ratios = batch.rows.flatMap(({ constants }, row) =>
        constants.sampledLogProbability.map((sampled, token) =>
          Math.exp(logProbabilities[row]![token]! - sampled),
        ),
      );
      expect(ratios.length).toBeGreaterThan(24);
      for (const ratio of ratios) expect(ratio).toBeCloseTo(1, 6);
    }
  });

  it('has it at a temperature that falls from update to update', async () => {
    // so little is learned that no ratio leaves 1
    const { run, lines } = recorded(table(), {
      settings: changed({
        play: { updates: 4, temperature: 0.5, finalTemperature: 2 },
        optimization: { learningRate: 1e-12 },
      }),
    });
    await grpo(run);
    [0.5, 1, 1.5, 2].forEach((wanted, update) =>
      expect(lines[update]!['temperature']).toBeCloseTo(wanted, 12),
    );
    expect(lines).toHaveLength(4);
    for (const line of lines) expect(line['approx_kl']).toBeCloseTo(0, 9);
  });

  it('reads the prompt of a group once in each half of the episodes, and once with the reference', async () => {
    const policy = table();
    const reference = table();
    const { run } = recorded(policy, { reference, settings: changed({ losses: { beta: 0.1 } }) });
    const { groups } = await batched(run);
    expect(groups.attempts).toHaveLength(24);
    expect(policy.reads.map(({ method }) => method)).toEqual(Array.from({ length: 6 }, () => 'decide'));
    expect(reference.reads.map(({ method }) => method)).toEqual(['score', 'score', 'score']);
    expect(new Set(policy.reads.map(({ prompt }) => prompt)).size).toBe(3);
  });

  it('counts answers that were cut at the longest length like all others', async () => {
    const { running, batch } = await batched(recorded(table()).run);
    const rows = weighted(batch.rows, running.settings);
    // the end token comes after the words a, b and c
    const cut = rows.filter(({ answers: [tokens] }) => (tokens as number[]).at(-1) !== 3);
    expect(cut.length).toBeGreaterThan(0);
    // 24 answers of equal weight, spread over the tokens of each: here 4
    for (const { weight } of cut) expect(weight).toBeCloseTo(1 / 24 / 4, 15);
  });

  it('draws other answers in each place of a group', async () => {
    const { groups } = await batched(recorded(table()).run);
    for (const group of [0, 8, 16])
      expect(
        new Set(groups.attempts.slice(group, group + 8).map(({ steps: [step] }) => step!.answer.text)).size,
      ).toBeGreaterThan(2);
  });

  it('has the gradient of finite differences, penalty and normalization included', async () => {
    const policy = table();
    const reference = tokenTable({ prompts: 5, words: ['a', 'b', 'c'], maxLength: 4 }, Random.fromSeed(2));
    const { run } = recorded(policy, {
      reference,
      settings: changed({ losses: { beta: 0.3, normalization: 'dapo' }, play: { temperature: 0.7 } }),
    });
    const { batch, running } = await batched(run);
    const rows = weighted(batch.rows, running.settings);
    const loss = grpoLoss(running.settings.losses);
    const { gradients } = await policy.gradient(rows, loss);
    const { data } = parametersOf(policy).get('table')!;
    const lossAt = async (place: number, value: number) => {
      const before = data[place]!;
      data[place] = value;
      policy.commit();
      const found = await policy.gradient(rows, loss);
      data[place] = before;
      policy.commit();
      return found.loss;
    };
    const slopes = gradients.get('table')!;
    expect(slopes.some((slope) => Math.abs(slope) > 0.01)).toBe(true);
    for (let place = 0; place < data.length; place++) {
      const value = data[place]!;
      const difference = ((await lossAt(place, value + 0.01)) - (await lossAt(place, value - 0.01))) / 0.02;
      expect(Math.abs(slopes[place]! - difference)).toBeLessThan(2e-4);
    }
  });

  it('has the same gradient with a ratio per answer as long as ratios are 1, if answers count alike', async () => {
    const gradientOf = async (ratio: 'token' | 'answer') => {
      const policy = table();
      const { run } = recorded(policy, { settings: changed({ losses: { ratio } }) });
      const { batch, running } = await batched(run);
      const rows = weighted(batch.rows, running.settings);
      const compared = ratio === 'answer' ? rows.map(ofAnswers) : rows;
      return (await policy.gradient(compared, grpoLoss(running.settings.losses))).gradients.get('table')!;
    };
    // at ratio 1 each token of an answer has the slope −A / |y| in both
    const [ofTokens, ofAnswer] = [await gradientOf('token'), await gradientOf('answer')];
    expect(ofTokens.some((slope) => Math.abs(slope) > 0.01)).toBe(true);
    ofAnswer.forEach((slope, place) => expect(slope).toBeCloseTo(ofTokens[place]!, 6));
  });

  it('clips answers as a whole with a ratio per answer', async () => {
    const losses = { ratio: 'answer', clip: { low: 3e-4, high: 4e-4 } } as const;
    const asked = changed({ losses, play: { updates: 2 }, optimization: { passes: 2 } });
    const { run, lines } = recorded(table(), { settings: asked });
    await grpo(run);
    // in the first of two passes every ratio is 1; a step at this rate moves answers far past the narrow bounds
    for (const line of lines) {
      expect(line['clip_fraction']).toBeGreaterThan(0);
      expect(line['clip_fraction']).toBeLessThanOrEqual(0.5);
      expect(line['approx_kl']).toBeGreaterThan(0);
    }
  });

  it('without spread in its rewards has no gradient, and reports this', async () => {
    const policy = table();
    const before = copied(policy);
    const { run, lines } = recorded(policy, {
      settings: changed({ play: { updates: 2 } }),
      rewards: { same: () => 0.1 },
    });
    await grpo(run);
    expect(parametersOf(policy)).toEqual(before);
    expect(lines[0]).toMatchObject({ frac_reward_zero_std: 1, reward_std: 0, loss: 0, gradient_norm: 0 });
  });
});

describe('the penalty', () => {
  it('keeps the policy near the reference: β affects metrics and learning', async () => {
    const distance = async (beta: number) => {
      const policy = table();
      const { run, lines } = recorded(policy, {
        reference: table(),
        settings: changed({ losses: { beta } }),
      });
      await grpo(run);
      return {
        kl: lines.map((line) => line['kl'] as number),
        right: lines.at(-1)!['reward_right'] as number,
      };
    };
    const [near, far] = [await distance(1), await distance(0.001)];
    // the first gradient is taken at the reference itself
    expect(far.kl[0]).toBeCloseTo(0, 9);
    expect(far.kl.at(-1)).toBeGreaterThan(0.5);
    expect(near.kl.at(-1)).toBeLessThan(far.kl.at(-1)! / 3);
    expect(near.right).toBeLessThan(far.right);
  });

  it('needs a reference', () => {
    const { run } = recorded(table(), { settings: changed({ losses: { beta: 0.04 } }) });
    expect(() => beginGrpo(run)).toThrow('--beta: 0.04 needs a reference, and there is none');
  });
});

describe('several gradient steps', () => {
  it('are clipped: outside the bounds in its own direction a ratio has no slope', async () => {
    const clip = { low: 0.01, high: 0.01 };
    const measures = async (clipping: GrpoSettings['losses']['clip']) => {
      const { run } = recorded(table(), {
        settings: changed({ losses: { clip: clipping }, optimization: { passes: 4 } }),
      });
      const { running, batch } = await batched(run);
      return improveGroups(running, batch);
    };
    const bounded = await measures(clip);
    const free = await measures(null);
    expect(bounded.gradient_steps).toBe(4);
    expect(bounded.clip_fraction).toBeGreaterThan(0.1);
    expect(bounded.approx_kl).toBeGreaterThan(0);
    expect(bounded.approx_kl).toBeLessThan(free.approx_kl);
    expect(free.clip_fraction).toBe(0);
  });

  it('warm up from 0 and fall to their share', () => {
    const rates = changed({
      play: { updates: 12 },
      optimization: { warmup: 4, schedule: 'linear', finalShare: 0.5, learningRate: 1 },
    });
    // 12 steps: 4 of warm-up, then 1 − ½ · n/8
    expect([0, 1, 4, 8, 12].map((step) => learningRateOf(rates, step))).toEqual([0, 0.25, 1, 0.75, 0.5]);
    expect(stepsPerGrpoUpdate(changed({ optimization: { passes: 2, minibatchSize: 10 } }))).toBe(6);
  });
});

describe('a reward that cannot be had', () => {
  const failing = (reward: Reward) => recorded(table(), { rewards: { ...rewards, asked: reward } });

  it('ends the run with the thrown error, without learning from it', async () => {
    const policy = table();
    const stored: GrpoCheckpoint[] = [];
    let calls = 0;
    const { run, lines } = recorded(policy, {
      rewards: {
        asked: async () => {
          await Promise.resolve();
          if (++calls > 30) throw new Error('the listener is busy');
          return calls % 2;
        },
      },
      checkpoint: (checkpoint) => void stored.push(structuredClone(checkpoint)),
    });
    await expect(grpo(run)).rejects.toThrow('the listener is busy');
    // the first update had 24 answers, the second one failed
    expect(lines).toHaveLength(1);
    expect(stored.at(-1)!.state).toMatchObject({ update: 1, answers: 24 });
    // the whole update was awaited: nothing runs on after the error
    expect(calls).toBe(48);
  });

  it('is refused if it is no number', async () => {
    await expect(grpo(failing(() => NaN).run)).rejects.toMatchObject({ code: 'data' });
    await expect(grpo(failing(() => NaN).run)).rejects.toThrow(
      'reward asked: must be a finite number, got NaN for an attempt at',
    );
  });

  it('and answers beyond the limit are refused', async () => {
    const { run } = recorded(table(), { settings: changed({ losses: { maxLength: 2 } }) });
    await expect(grpo(run)).rejects.toThrow('--max-new-tokens: an answer has 4 tokens, the limit is 2');
  });
});

describe('settings', () => {
  it.each<[Changes, string]>([
    [{ play: { updates: 0 } }, '--updates: must be a whole number from 1 to 999999999, got 0'],
    [{ play: { groupSize: 1 } }, '--group-size: one attempt has none to be compared with, got 1'],
    [{ play: { promptsPerUpdate: 65_536, groupSize: 32 } }, '--group-size: an update may have at most'],
    [{ play: { temperature: 0 } }, '--temperature: must be a number from 0.000001 to 1000000, got 0'],
    [{ losses: { beta: -1 } }, '--beta: must be a number from 0 to 1000000, got -1'],
    [{ losses: { clip: { low: 1.5, high: 1 } } }, '--clip: must be a number above 0 to 1, got 1.5'],
    [{ losses: { clip: { low: 0.2, high: 0 } } }, '--clip-high: must be a number above 0 to 1000000, got 0'],
    [{ losses: { maxLength: 0 } }, '--max-new-tokens: must be a whole number from 1 to 65536, got 0'],
    [{ optimization: { passes: 0 } }, '--passes: must be a whole number from 1 to 10000, got 0'],
    [
      { optimization: { minibatchSize: 0 } },
      '--batch-size: must be a whole number from 1 to 999999999, got 0',
    ],
    [{ optimization: { microBatchSize: 0.5 } }, '--micro-batch-size: must be a whole number from 1'],
    [{ optimization: { warmup: -1 } }, '--warmup: must be a whole number from 0 to 999999999, got -1'],
    [{ optimization: { learningRate: NaN } }, '--lr: must be a number above 0 to 1000000, got NaN'],
    [{ optimization: { betas: [0.9, 1] } }, '--adam-beta2: must be a number from 0 to below 1, got 1'],
  ])('%j are refused by the name of their flag', (changes, message) => {
    expect(() => checkGrpoSettings(changed(changes))).toThrow(message);
  });
});
