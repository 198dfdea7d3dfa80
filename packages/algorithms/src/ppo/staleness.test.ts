/** Steps of older policies: their weight, when workers play them, and refusals. */
import { setImmediate as turn } from 'node:timers/promises';
import { Random, vectorOf, type ActorCritic, type ActorCriticRow, type ParameterSet } from '@emac/core';
import { arrayTexts, sayingSteps } from '@emac/rollout';
import { corridor } from '@emac/testing';
import { describe, expect, it } from 'vitest';
import type { Asking } from '../ahead.ts';
import { ppo } from '../ppo.ts';
import { stalenessOf } from '../versions.ts';
import {
  beginPpo,
  type AskedSteps,
  type PpoCheckpoint,
  type PpoLine,
  type PpoRun,
  type StepsElsewhere,
} from './ppo-run.ts';
import { checkPpoSettings, type PpoSettings } from './ppo-settings.ts';
import { ppoPreset } from './presets.ts';

const standard = ppoPreset('tiny').settings;
const [environments, steps, updates] = [3, 8, 6];
const rate = 0.5;

/** Clips so far from 1 that nothing is clipped, and steps of constant length. */
function settingsOf(maxStaleness: number, clip = 0.9): PpoSettings {
  return {
    ...standard,
    play: { environmentSteps: environments * steps * updates, stepsPerUpdate: steps, temperature: 1 },
    advantages: {
      discount: 1,
      trace: 1,
      truncation: 'termination',
      normalize: null,
      normalizeEpsilon: 0,
    },
    losses: {
      ...standard.losses,
      clip: { low: clip, high: clip },
      entropyCoefficient: 0,
      valueClip: null,
    },
    optimization: {
      ...standard.optimization,
      passes: 1,
      minibatchSize: environments * steps,
      learningRate: rate,
      schedule: 'constant',
      clipNorm: null,
      valueInitSteps: 0,
      targetKl: null,
      epsilon: 1e-12,
      weightDecay: 0,
      maxStaleness,
    },
  };
}

const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));
const setOf = (theta: number) => new Map([['theta', { shape: [1], data: Float32Array.of(theta) }]]);

interface Coin extends ActorCritic {
  readonly theta: () => number;
  /** rows of every gradient */
  readonly learned: (readonly ActorCriticRow[])[];
}

/**
 * Goes right with probability σ(θ), values everything θ, and has slope −1 in θ for any loss. AdamW's step is then the
 * learning rate, lr · m̂ / √v̂ with m̂ = −1 and v̂ = 1, so after u updates θ = u · lr.
 */
function coin(theta = 0, learning: () => Promise<unknown> = turn): Coin {
  const parameters: ParameterSet = setOf(theta);
  const live = parameters.get('theta')!.data;
  const log = (action: number): number => Math.log(sigmoid(action === 1 ? live[0]! : -live[0]!));
  const nothing = () => Promise.reject(new Error('is not asked'));
  const learned: (readonly ActorCriticRow[])[] = [];
  return {
    theta: () => live[0]!,
    learned,
    groups: { policy: [{ name: 'coin', parameters, learningRateScale: 1 }], value: [] },
    act: async (questions) => ({
      answers: questions.map(({ random }) => {
        const action = random!.uniform() < sigmoid(live[0]!) ? 1 : 0;
        return { text: '', tokens: [action], logProbabilities: [log(action)], entropies: [0] };
      }),
      values: new Float32Array(questions.length).fill(live[0]!),
    }),
    values: async (prompts) => new Float32Array(prompts.length).fill(live[0]!),
    gradient: async (rows) => {
      await learning();
      learned.push(rows);
      return {
        policyLoss: 0,
        valueLoss: 0,
        gradients: new Map([['theta', Float32Array.of(-1)]]),
        logProbabilities: rows.map(({ answers }) => (answers[0] as readonly number[]).map(log)),
        values: new Float32Array(rows.length),
      };
    },
    commit: () => {},
    encode: nothing,
    decide: nothing,
    countPromptTokens: () => 0,
  };
}

/** One step: right brings 1, left nothing. */
const lotteries = () => Array.from({ length: environments }, () => corridor({ cells: 2, limit: 1 }));

interface Made {
  readonly lines: PpoLine[];
  readonly run: PpoRun;
  readonly policy: Coin;
}

function begun(maxStaleness: number, more: Partial<PpoRun> = {}, policy = coin()): Made {
  const lines: PpoLine[] = [];
  const run: PpoRun = {
    settings: settingsOf(maxStaleness),
    actorCritic: policy,
    environments: lotteries(),
    texts: arrayTexts,
    random: Random.fromSeed(7),
    metrics: (line) => void lines.push(line),
    ...more,
  };
  return { lines, run, policy };
}

/** Workers with policies of their own, at the requested version. */
function others(
  around: (asked: AskedSteps, asking: Asking) => unknown = (_, { put }) => put(),
): StepsElsewhere & { readonly asked: { readonly update: number; readonly theta: number }[] } {
  const asked: { update: number; theta: number }[] = [];
  return {
    asked,
    // the environments' random state is ignored: every episode is one step
    digest: () => 'the same',
    play: async (sent, asking) => {
      const theta = sent.parameters.get('theta')!.data[0]!;
      asked.push({ update: sent.update, theta });
      await around(sent, asking);
      return Promise.all(
        sent.groups.map(({ state, randoms }) => {
          const vector = vectorOf(lotteries(), { seedOf: (place, episode) => 2 * (episode * 16 + place) });
          vector.restore(state);
          return sayingSteps(
            {
              actor: coin(theta),
              vector,
              texts: arrayTexts,
              sampling: { kind: 'sample', temperature: 1, topP: 1 },
              steps: sent.steps,
              randoms: randoms.map((path) => Random.fromSeed(path)),
              running: randoms.map(() => ({ return: 0, steps: 0 })),
            },
            () => 'the same',
          );
        }),
      );
    },
  };
}

describe('an update with steps of an older policy', () => {
  // update, K, θ of the acting policy, θ of the trainer
  it.each([
    [0, 1, 0, 0],
    [1, 1, 0, 0.5],
    [2, 1, 0.5, 1],
    [1, 2, 0, 0.5],
    [2, 2, 0, 1],
    [3, 2, 0.5, 1.5],
    [3, 0, 1.5, 1.5],
  ])('%i of K = %i weighs each by π_θ / π_behaviour', async (update, limit, played, learning) => {
    const { run, lines, policy } = begun(limit);
    await ppo(run);
    const rows = policy.learned[update]!;
    const line = lines[update]!;
    const right = line['mean_return'] as number;
    expect(right > 0.2 && right < 1).toBe(true);
    rows.forEach(({ answers: [tokens], constants }) => {
      const way = tokens![0] === 1 ? 1 : -1;
      // of the acting policy: log σ(±θ), and value θ of a terminal step, so A = r − θ
      expect((constants!['sampledLogProbability'] as number[])[0]).toBeCloseTo(
        Math.log(sigmoid(way * played)),
        6,
      );
      expect(constants!['sampledValue']).toBeCloseTo(played, 6);
      expect(constants!['advantage']).toBeCloseTo((way === 1 ? 1 : 0) - played, 6);
    });
    const ratio = (way: number) => sigmoid(way * learning) / sigmoid(way * played);
    const surrogate = right * ratio(1) * (1 - played) + (1 - right) * ratio(-1) * -played;
    expect(line['policy_loss']).toBeCloseTo(-surrogate, 6);
    expect(line['staleness']).toBe(limit === 0 ? undefined : Math.min(update, limit));
  });

  it('is clipped as ever', async () => {
    const { run, lines } = begun(1, { settings: settingsOf(1, 0.1) });
    await ppo(run);
    // σ(0.5) / σ(0) = 1.2449 counts as 1.1 where A = 1; A = 0 for the others
    expect(lines[1]!['policy_loss']).toBeCloseTo(-1.1 * (lines[1]!['mean_return'] as number), 6);
    expect(lines[1]!['clip_fraction']).toBe(1);
    expect(lines[0]!['clip_fraction']).toBe(0);
  });

  it('leaves the policy as trained', async () => {
    const { run, policy } = begun(3);
    await ppo(run);
    expect(policy.theta()).toBeCloseTo(updates * rate, 6);
  });
});

describe('playing workers', () => {
  it.each([0, 1, 2, 16])(
    'are asked for the policy of K = %i updates before, and give the steps of one process',
    async (limit) => {
      const here = begun(limit);
      const state = await ppo(here.run);
      // now one is faster, now the other
      const slow = Random.fromSeed(3);
      const waits = async () => {
        for (let left = slow.integer(6); left > 0; left--) await turn();
      };
      const elsewhere = others(async (_, { put }) => (await waits(), put(), await waits()));
      const there = begun(limit, { elsewhere }, coin(0, waits));
      expect(await ppo(there.run)).toEqual(state);
      expect(there.lines).toEqual(here.lines);
      expect(elsewhere.asked).toHaveLength(updates);
      elsewhere.asked.forEach(({ update, theta }, place) => {
        expect(update).toBe(place);
        expect(theta).toBeCloseTo(Math.max(0, update - limit) * rate, 6);
      });
    },
  );

  it.each([0, 1, 2])('play %i updates ahead while one learns here, and no more', async (limit) => {
    // workers answer at once: when an update begins learning, all allowed requests have been made
    const elsewhere = others();
    const learns: number[] = [];
    const learning = async () => {
      for (let turns = 0; turns < 20; turns++) await turn();
      learns.push(elsewhere.asked.length);
    };
    await ppo(begun(limit, { elsewhere }, coin(0, learning)).run);
    expect(learns).toEqual(
      Array.from({ length: updates }, (_, update) => Math.min(updates, update + 1 + limit)),
    );
  });

  it('get their next request before this process learns', async () => {
    let isPut = false;
    const elsewhere = others(async (_, { put }) => {
      isPut = false;
      for (let turns = 0; turns < 10; turns++) await turn();
      isPut = true;
      put();
      for (let turns = 0; turns < 50; turns++) await turn();
    });
    const seen: boolean[] = [];
    // never gives others a turn
    const busy = async () => void seen.push(isPut);
    await ppo(begun(1, { elsewhere }, coin(0, busy)).run);
    expect(seen).toEqual(Array(updates).fill(true));
  });

  it('are not awaited if the run ends early, and are told', async () => {
    const ended: number[] = [];
    const elsewhere = others(async ({ update }, { signal, put }) => {
      put();
      if (update < 3) return;
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      ended.push(update);
      throw new Error('nobody waits');
    });
    const { run, lines } = begun(1, {
      elsewhere,
      isOver: () => lines.length === 3,
    });
    expect(await ppo(run)).toMatchObject({ update: 3 });
    expect(ended).toEqual([3]);
  });

  it('fail when their steps are needed: the update before is whole', async () => {
    const elsewhere = others(({ update }, { put }) => {
      if (update === 2) throw new Error('gone');
      put();
    });
    const kept: number[] = [];
    const { run, lines } = begun(1, {
      elsewhere,
      checkpoint: ({ state }) => void kept.push(state.update),
    });
    await expect(ppo(run)).rejects.toThrow('gone');
    expect([lines.length, kept]).toEqual([2, [0, 1, 2]]);
  });
});

describe('a checkpoint', () => {
  it.each([
    [1, 'here'],
    [2, 'here'],
    [1, 'elsewhere'],
    [2, 'elsewhere'],
    [16, 'elsewhere'],
  ])('of K = %i, played %s, resumes to the same bytes', async (limit, where) => {
    const playing = () => (where === 'here' ? {} : { elsewhere: others() });
    const stored: { checkpoint: PpoCheckpoint; theta: number }[] = [];
    const policy = coin();
    const checkpoint = (moment: PpoCheckpoint) =>
      void stored.push({ checkpoint: structuredClone(moment), theta: policy.theta() });
    const { run, lines } = begun(limit, { ...playing(), checkpoint }, policy);
    const state = await ppo(run);
    stored.forEach(({ checkpoint: resume, theta }, update) => {
      // of versions max(0, u − K) to u − 1
      const thetas = resume.earlier!.map((version) => version.get('theta')!.data[0]!);
      expect(thetas).toHaveLength(Math.min(update, limit));
      thetas.forEach((old, place) => expect(old).toBeCloseTo((update - thetas.length + place) * rate, 6));
      expect(theta).toBeCloseTo(update * rate, 6);
    });
    for (const [update, { checkpoint: resume, theta }] of stored.entries()) {
      const again = begun(limit, { ...playing(), resume }, coin(theta));
      expect(await ppo(again.run)).toEqual(state);
      expect(again.lines).toEqual(lines.slice(update));
    }
  });

  it('without the versions for steps to come is refused', async () => {
    const { state, optimizers, versions } = await beginPpo(begun(2).run);
    const resume: PpoCheckpoint = {
      state: { ...state, update: 3 },
      optimizer: { policy: optimizers.policy.state(), value: optimizers.value.state() },
      earlier: [versions.at(0)],
    };
    const fault = /the next steps need 2 earlier versions .* the checkpoint has 1;/;
    await expect(beginPpo(begun(2, { resume }).run)).rejects.toThrow(fault);
    const other = new Map([['eta', { shape: [1], data: new Float32Array(1) }]]);
    const strange = { ...resume, earlier: [versions.at(0), other] };
    await expect(beginPpo(begun(2, { resume: strange }).run)).rejects.toThrow(fault);
  });
});

describe('refusals', () => {
  it('reject steps of a policy that is too old, or newer than the trainer', () => {
    expect([stalenessOf({ update: 5, version: 5 }, 0), stalenessOf({ update: 5, version: 3 }, 2)]).toEqual([
      0, 2,
    ]);
    for (const [version, limit] of [
      [4, 0],
      [2, 2],
      [6, 2],
    ] as const)
      expect(() => stalenessOf({ update: 5, version }, limit)).toThrow(
        `update 5 must learn from a policy at most ${limit} updates old (--max-staleness), got steps of the policy after update ${version}`,
      );
  });

  it.each([
    [-1, 'a whole number from 0 to 16, got -1'],
    [1.5, 'a whole number from 0 to 16, got 1.5'],
    [17, 'a whole number from 0 to 16, got 17'],
    [NaN, 'a whole number from 0 to 16, got NaN'],
  ])('is a staleness of %d', (maxStaleness, message) => {
    expect(() => checkPpoSettings(settingsOf(maxStaleness), 1)).toThrow(
      `--max-staleness: must be ${message}`,
    );
  });

  it('is a loss without ratios', () => {
    const losses = { ...standard.losses, policy: 'rlef' as const };
    expect(() => checkPpoSettings({ ...settingsOf(1), losses }, 1)).toThrow(
      '--max-staleness: must be 0 with',
    );
    expect(() => checkPpoSettings({ ...settingsOf(0), losses }, 1)).not.toThrow();
  });
});
