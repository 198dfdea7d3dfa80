import {
  parametersOf,
  Random,
  type ActorCritic,
  type ActorCriticGradient,
  type Answer,
  type ParameterSet,
  type StepEnvironment,
} from '@emac/core';
import { arrayTexts, collectSteps, scoreEpisodes, trainingSeed, type StepTexts } from '@emac/rollout';
import { clippedPolicyLoss, valueLossOf } from '@emac/losses';
import { createSmallNetwork, mlp, type SmallNetwork } from '@emac/small-networks';
import { corridor } from '@emac/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ppo } from './ppo.ts';
import { batchOf, rowsOf } from './ppo/batch.ts';
import { improve } from './ppo/improve.ts';
import { explainedVariance } from './ppo/measures.ts';
import {
  beginPpo,
  type EpisodeChoice,
  type PpoCheckpoint,
  type PpoLine,
  type PpoRun,
} from './ppo/ppo-run.ts';
import { checkPpoSettings, type PpoSettings } from './ppo/ppo-settings.ts';

const settings: PpoSettings = {
  play: { environmentSteps: 1024, stepsPerUpdate: 16, temperature: 1 },
  advantages: {
    discount: 0.95,
    trace: 0.95,
    truncation: 'bootstrap',
    normalize: 'minibatch',
    normalizeEpsilon: 1e-8,
  },
  shaping: { actionFrequencyBonus: 0, utility: null, temporalPredictor: 0 },
  losses: {
    policy: 'ppo',
    clip: { low: 0.2, high: 0.2 },
    credit: 'token',
    thoughtCoefficient: 1,
    ratioGuard: null,
    entropyCoefficient: 0.01,
    valueCoefficient: 0.5,
    valueClip: 0.2,
  },
  optimization: {
    passes: 3,
    minibatchSize: 32,
    learningRate: 0.01,
    schedule: 'linear',
    finalShare: 0.1,
    decayUpdates: null,
    valueSchedule: null,
    clipNorm: 0.5,
    valueClipNorm: null,
    valueInitSteps: 0,
    targetKl: null,
    betas: [0.9, 0.999],
    epsilon: 1e-5,
    weightDecay: 0,
  },
};
type Changes = { [Group in keyof PpoSettings]?: Partial<PpoSettings[Group]> };
const changed = (changes: Changes): PpoSettings => ({
  play: { ...settings.play, ...changes.play },
  advantages: { ...settings.advantages, ...changes.advantages },
  shaping: { ...settings.shaping, ...changes.shaping },
  losses: { ...settings.losses, ...changes.losses },
  optimization: { ...settings.optimization, ...changes.optimization },
});

const cells = mlp({ inputs: [{ array: 'cell', encode: 'one-hot', size: 1, categories: [5] }], hidden: [8] });
async function network(start: Random | ParameterSet = Random.fromSeed(1)): Promise<SmallNetwork> {
  const made = await createSmallNetwork({ architecture: cells, actions: ['left', 'right'], start });
  onTestFinished(() => made.dispose());
  return made;
}
const all = ({ groups }: Pick<ActorCritic, 'groups'>) =>
  parametersOf({ groups: [...groups.policy, ...groups.value] });
const copied = (actorCritic: ActorCritic): ParameterSet =>
  new Map([...all(actorCritic)].map(([name, { shape, data }]) => [name, { shape, data: data.slice() }]));

const corridors = (count = 4, slip = 0.1): StepEnvironment[] =>
  Array.from({ length: count }, () => corridor({ slip }));

interface Recorded {
  readonly lines: PpoLine[];
  readonly run: PpoRun;
}
function recorded(actorCritic: ActorCritic, more: Partial<PpoRun> = {}): Recorded {
  const lines: PpoLine[] = [];
  const run: PpoRun = {
    settings,
    actorCritic,
    environments: corridors(),
    texts: arrayTexts,
    random: Random.fromSeed(7),
    metrics: (line) => void lines.push(line),
    ...more,
  };
  return { lines, run };
}

describe('PPO', () => {
  it('learns to walk to the goal, and reports it', async () => {
    const policy = await network();
    const sampling = { kind: 'search', beams: 1 } as const;
    const score = () =>
      scoreEpisodes({
        policy,
        environments: corridors(8, 0),
        texts: arrayTexts,
        sampling,
        numbers: [...Array(40).keys()],
        random: Random.fromSeed('score'),
      });
    const { run, lines } = recorded(policy);
    const state = await ppo(run);
    for (const each of await score()) expect(each.return).toBe(1);
    // 1024 steps in updates of 4 · 16
    expect(state).toMatchObject({ update: 16, environmentSteps: 1024 });
    // 3 passes of 64 steps in minibatches of 32
    expect(state.gradientSteps).toBe(16 * 3 * 2);
    expect(lines).toHaveLength(16);
    const [first, last] = [lines[0]!, lines.at(-1)!];
    expect(first['entropy']).toBeCloseTo(Math.LN2, 3);
    expect(last['entropy']).toBeLessThan(first['entropy'] as number);
    expect(first['lr']).toBe(0.01);
    // 1 − 0.9 · 15/16 = 0.15625
    expect(last['lr']).toBeCloseTo(0.0015625, 9);
    expect(lines.map((line) => line['fallback_share'])).toEqual(lines.map(() => 0));
    expect(last['mean_return']).toBeGreaterThan(0.9);
    for (const name of ['policy_loss', 'value_loss', 'approx_kl', 'clip_fraction', 'gradient_norm'])
      expect(Number.isFinite(last[name])).toBe(true);
  });

  it.each(['update', 'minibatch'] as const)(
    'changes nothing by advantages of tokens if every answer has one, normalized over the %s',
    async (normalize) => {
      const [plain, ofTokens] = [await network(), await network()];
      await ppo(recorded(plain, { settings: changed({ advantages: { normalize } }) }).run);
      const tokens = { normalize, tokenTrace: 0.3, tokenDiscount: 0.5 };
      await ppo(recorded(ofTokens, { settings: changed({ advantages: tokens }) }).run);
      // values are computed in batches of other sizes
      for (const [name, { data }] of all(ofTokens))
        expect(
          data.every((each, place) => Math.abs(each - all(plain).get(name)!.data[place]!) < 1e-3),
          name,
        ).toBe(true);
    },
  );

  it.each<[string, Changes]>([
    ['with environments in the middle of their episodes', {}],
    ['with what shaping counted in them', { shaping: { actionFrequencyBonus: 0.5 } }],
  ])('resumes from any checkpoint to the same bytes, %s', async (_which, changes) => {
    const policy = await network();
    const checkpoints: { parameters: ParameterSet; stored: PpoCheckpoint }[] = [];
    const keep = (actorCritic: ActorCritic) => (stored: PpoCheckpoint) =>
      void checkpoints.push({
        parameters: copied(actorCritic),
        // as a file would have it
        stored: {
          state: JSON.parse(JSON.stringify(stored.state)) as PpoCheckpoint['state'],
          optimizer: structuredClone(stored.optimizer),
        },
      });
    const { run, lines } = recorded(policy, {
      settings: changed({ ...changes, play: { environmentSteps: 320 } }),
      checkpoint: keep(policy),
    });
    const state = await ppo(run);
    expect(checkpoints).toHaveLength(6);
    for (const at of [0, 3]) {
      const { parameters, stored } = checkpoints[at]!;
      expect(stored.state.running.some(({ steps }) => steps > 0)).toBe(at > 0);
      stored.state.shaping?.actionCounts.forEach((counts, place) => {
        const uses = Object.values(counts).reduce((sum, count) => sum + count, 0);
        expect(uses).toBe(stored.state.running[place]!.steps);
      });
      const again = await network(parameters);
      const resumed = recorded(again, { settings: run.settings, resume: stored });
      expect(await ppo(resumed.run)).toEqual(state);
      expect(resumed.lines).toEqual(lines.slice(at));
      expect(all(again)).toEqual(all(policy));
    }
  });

  it("asks for the next episode after reporting the last one's end, and resumes the choice with the rest", async () => {
    // seeds count the episodes that ended so far
    const counting = (): EpisodeChoice & { readonly asked: number[] } => {
      let ended = 0;
      const asked: number[] = [];
      return {
        asked,
        seedOf: () => (asked.push(ended), 2 * ended),
        ended: () => void ended++,
        measures: () => ({ ended }),
        state: () => ({ ended }),
        restore: (state) => ({ ended } = state as { ended: number }),
      };
    };
    const policy = await network();
    const kept: { parameters: ParameterSet; stored: PpoCheckpoint }[] = [];
    const choice = counting();
    const { run, lines } = recorded(policy, {
      settings: changed({ play: { environmentSteps: 320 } }),
      choice,
      checkpoint: (stored) => void kept.push({ parameters: copied(policy), stored: structuredClone(stored) }),
    });
    const state = await ppo(run);
    // four places begin before any episode has ended; then each end is reported before one request
    expect(choice.asked).toEqual([
      0,
      0,
      0,
      0,
      ...Array.from({ length: state.episodes }, (_, end) => end + 1),
    ]);
    expect(lines.map((line) => line['ended'])).toEqual(
      lines.map((_, at) => lines.slice(0, at + 1).reduce((sum, line) => sum + Number(line['episodes']), 0)),
    );
    const { parameters, stored } = kept[2]!;
    const again = recorded(await network(parameters), {
      settings: run.settings,
      choice: counting(),
      resume: stored,
    });
    expect(await ppo(again.run)).toEqual(state);
    expect(again.lines).toEqual(lines.slice(2));
  });

  it('stops on request after an update, and refuses the state of another run', async () => {
    const stop = new AbortController();
    const stored: PpoCheckpoint[] = [];
    const { run } = recorded(await network(), {
      signal: stop.signal,
      checkpoint: (checkpoint) => {
        stored.push(checkpoint);
        if (stored.length === 3) stop.abort();
      },
    });
    await expect(ppo(run)).rejects.toMatchObject({ code: 'interrupted' });
    expect(stored.at(-1)!.state.update).toBe(2);
    const other = recorded(await network(), { resume: stored.at(-1)!, random: Random.fromSeed(8) });
    await expect(ppo(other.run)).rejects.toThrow('randomPath must be 8, got 7');
  });

  it.each([
    ['chosen', 'not chosen'],
    ['not chosen', 'chosen'],
  ])('does not resume if episodes that were %s are %s', async (before, now) => {
    const choice: EpisodeChoice = { seedOf: () => 2, ended() {}, state: () => null, restore() {} };
    const given = (episodes: string) => (episodes === 'chosen' ? { choice } : {});
    const stored: PpoCheckpoint[] = [];
    const checkpoint = (moment: PpoCheckpoint) => void stored.push(structuredClone(moment));
    await ppo(recorded(await network(), { ...given(before), checkpoint }).run);
    const resumed = recorded(await network(), { ...given(now), resume: stored[1]! });
    await expect(ppo(resumed.run)).rejects.toMatchObject({
      code: 'data',
      message: expect.stringContaining(`were ${before} by earlier results, the run's are ${now}`) as string,
    });
  });

  it('gives equal bytes for equal seeds, and others for others', async () => {
    const linesOf = async (seed: number) => {
      const { run, lines } = recorded(await network(), {
        settings: changed({ play: { environmentSteps: 128 } }),
        random: Random.fromSeed(seed),
      });
      await ppo(run);
      return lines;
    };
    expect(await linesOf(1)).toEqual(await linesOf(1));
    expect(await linesOf(1)).not.toEqual(await linesOf(2));
  });
});

const nothing = { rewards: null, mix: null, bonuses: null, temperature: 1, tokenValues: null };

/** Steps as the run would make them, and their batch. */
async function batched(run: PpoRun) {
  const running = await beginPpo(run);
  const { vector, random } = running;
  const { temperature } = run.settings.play;
  const steps = await collectSteps({
    actor: run.actorCritic,
    vector,
    texts: run.texts,
    sampling: { kind: 'sample', temperature, topP: 1 },
    steps: run.settings.play.stepsPerUpdate,
    randoms: vector.environments.map((_, place) => random.stream(place)),
    running: running.state.running,
  });
  return { running, steps, batch: batchOf(steps, run.settings, { ...nothing, temperature }) };
}

/** A policy away from its start, so that probabilities differ. */
async function lively(): Promise<SmallNetwork> {
  const policy = await network();
  const random = Random.fromSeed(4);
  for (const { data } of all(policy).values()) data.forEach((_, place) => (data[place] = random.normal()));
  policy.commit();
  return policy;
}

describe('faults of the published code', () => {
  it('1: the prompt is that of the step: before an update every ratio is 1', async () => {
    for (const temperature of [1, 0.5]) {
      const { run } = recorded(await lively(), { settings: changed({ play: { temperature } }) });
      const { batch, running } = await batched(run);
      const seen = batch.steps.prompts.map(([part]) => (part?.kind === 'array' ? part.values.data[0] : null));
      expect(new Set(seen).size).toBeGreaterThan(2);
      const places = Array.from(batch.own.keys());
      const rows = rowsOf(batch, places, running.settings);
      const { improved } = await gradientOf(run, rows);
      improved.logProbabilities.forEach(([now], row) =>
        expect(Math.exp(now! - rows[row]!.sampledLogProbabilities[0]!)).toBeCloseTo(1, 5),
      );
    }
  });

  it('1: also at a temperature that falls from update to update', async () => {
    // so little is learned that no ratio leaves 1
    const { run, lines } = recorded(await lively(), {
      settings: changed({
        play: { environmentSteps: 256, temperature: 1, finalTemperature: 0.25 },
        optimization: { learningRate: 1e-12 },
      }),
    });
    await ppo(run);
    [1, 0.75, 0.5, 0.25].forEach((wanted, update) =>
      expect(lines[update]!['temperature']).toBeCloseTo(wanted, 12),
    );
    expect(lines).toHaveLength(4);
    for (const line of lines) expect(line['approx_kl']).toBeCloseTo(0, 9);
    const entropies = lines.map((line) => line['entropy'] as number);
    expect(entropies).toEqual([...entropies].sort((a, b) => b - a));
  });

  it('2: the gradient of a minibatch is the mean of its rows’', async () => {
    const unit = changed({ advantages: { normalize: null } });
    const { run } = recorded(await lively(), { settings: unit });
    const { batch } = await batched(run);
    const places = [0, 5, 9, 31];
    const whole = (await gradientOf(run, rowsOf(batch, places, unit))).improved;
    const alone = await Promise.all(
      places.map(async (place) => (await gradientOf(run, rowsOf(batch, [place], unit))).improved),
    );
    for (const [name, slopes] of whole.gradients)
      slopes.forEach((slope, place) => {
        const mean = alone.reduce((sum, { gradients }) => sum + gradients.get(name)![place]!, 0) / 4;
        expect(slope).toBeCloseTo(mean, 5);
      });
  });

  it('4: entropy counts: with its coefficient alone the policy approaches uniform', async () => {
    const policy = await lively();
    // no advantage at all: rewards and values of 0
    for (const { parameters } of policy.groups.value)
      for (const { data } of parameters.values()) data.fill(0);
    const { run, lines } = recorded(policy, {
      settings: changed({ play: { environmentSteps: 640 }, losses: { entropyCoefficient: 1 } }),
      environments: Array.from({ length: 4 }, () => withoutReward(corridor())),
    });
    await ppo(run);
    expect(lines.at(-1)!['entropy']).toBeGreaterThan((lines[0]!['entropy'] as number) + 0.1);
    expect(lines.at(-1)!['entropy']).toBeGreaterThan(0.65);
  });

  it('5: every environment and episode has its own seed, never a held-out one', () => {
    const seeds = [0, 1, 2, 3].flatMap((place) =>
      [0, 1, 2].map((episode) => Number(trainingSeed(Random.fromSeed(0), place, episode))),
    );
    expect(new Set(seeds).size).toBe(12);
    expect(seeds.every((seed) => seed % 2 === 0)).toBe(true);
  });

  it('6: truncation at the step limit bootstraps the value', async () => {
    const { run } = recorded(await lively(), {
      environments: Array.from({ length: 4 }, () => corridor({ limit: 3, slip: 0.5 })),
    });
    const { batch, steps } = await batched(run);
    const cut = Array.from({ length: steps.truncated.length }, (_, place) => place).filter(
      (place) => steps.truncated[place],
    );
    expect(cut.length).toBeGreaterThan(3);
    for (const place of cut) {
      expect(steps.finalValues[place]).not.toBe(0);
      // such a return is the reward plus γ times the value of the last observation
      expect(batch.returns[place]).toBeCloseTo(steps.rewards[place]! + 0.95 * steps.finalValues[place]!, 6);
    }
  });

  it('7: from a fallback action the policy learns nothing, the critic does', async () => {
    // reads no action in an answer `left`
    const texts: StepTexts = {
      ...arrayTexts,
      read: ({ tokens }: Answer) => ({ action: tokens[0] === 0 ? null : 1, actionStart: 0 }),
    };
    const { run } = recorded(await lively(), { texts });
    const { batch, steps } = await batched(run);
    const fallbacks = steps.readings.flatMap(({ action }, place) => (action === null ? [place] : []));
    expect(fallbacks.length).toBeGreaterThan(5);
    const { improved } = await gradientOf(run, rowsOf(batch, fallbacks, run.settings));
    expect(improved.policyLoss).toBe(0);
    for (const [name, slopes] of improved.gradients)
      expect(slopes.every((slope) => slope === 0)).toBe(name.startsWith('policy'));
    // mixed with others they change neither these' weights nor their advantages
    const own = [...batch.own.keys()].filter((place) => batch.own[place]).slice(0, 8);
    const alone = rowsOf(batch, own, run.settings);
    const mixed = rowsOf(batch, [...own, ...fallbacks], run.settings).slice(0, 8);
    expect(mixed.map(({ weight }) => weight)).toEqual(alone.map(({ weight }) => weight));
    expect(mixed.map(({ constants }) => constants!['advantage'])).toEqual(
      alone.map(({ constants }) => constants!['advantage']),
    );
  });
});

function withoutReward(environment: StepEnvironment): StepEnvironment {
  return { ...environment, step: (action) => ({ ...environment.step(action), reward: 0 }) };
}

/** The gradient that `improve` takes, by a run that keeps it. */
async function gradientOf(run: PpoRun, rows: ReturnType<typeof rowsOf>) {
  const { losses } = run.settings;
  const improved = await run.actorCritic.gradient(rows, {
    policy: clippedPolicyLoss({ ...losses, entropyCoefficient: 0 }),
    value: valueLossOf({ clip: losses.valueClip }),
  });
  return { improved };
}

describe('an update', () => {
  const norms = async (changes: Changes, actorCritic: ActorCritic) => {
    const { run } = recorded(actorCritic, { settings: changed(changes) });
    const { running, batch } = await batched(run);
    const before = copied(actorCritic);
    const improvement = await improve(running, batch);
    const moved = (part: string) =>
      [...all(actorCritic)].some(
        ([name, { data }]) =>
          name.startsWith(part) && data.some((value, place) => value !== before.get(name)!.data[place]),
      );
    return { ...improvement, policy: moved('policy'), value: moved('value') };
  };

  it('moves only the critic during its warm-up', async () => {
    const warm = await norms({ optimization: { valueInitSteps: 1 } }, await lively());
    expect(warm).toMatchObject({ policyLearns: false, policy: false, value: true });
    expect(warm.measures).toMatchObject({ policy_loss: null, approx_kl: null, clip_fraction: null });
    expect(await norms({}, await lively())).toMatchObject({ policyLearns: true, policy: true, value: true });
  });

  it('ends before the policy is too far from the one that acted', async () => {
    const near = await norms({ optimization: { targetKl: 1e-4 } }, await lively());
    // the first minibatch is of the policy that acted
    expect(near.steps).toBeGreaterThanOrEqual(1);
    expect(near.steps).toBeLessThan(6);
    expect((await norms({}, await lively())).steps).toBe(6);
  });

  it('adds bonuses to advantages however they are normalized', async () => {
    for (const normalize of ['update', 'minibatch', null] as const) {
      const { run } = recorded(await lively(), { settings: changed({ advantages: { normalize } }) });
      const { batch, running } = await batched(run);
      const bonuses = batch.advantages.map((_, place) => place / 8);
      const advantagesOf = (of: typeof batch) =>
        rowsOf(of, [4, 9], running.settings).map(({ constants }) => constants!['advantage'] as number);
      const [plain, shaped] = [advantagesOf(batch), advantagesOf({ ...batch, bonuses })];
      expect(shaped[0]).toBeCloseTo(plain[0]! + 4 / 8, 12);
      expect(shaped[1]).toBeCloseTo(plain[1]! + 9 / 8, 12);
    }
  });

  it('limits advantages, and no bonuses', async () => {
    const { run } = recorded(await lively(), { settings: changed({ advantages: { normalize: null } }) });
    const { running, batch } = await batched(run);
    const advantages = batch.advantages.map((_, place) => [-3, -1, 0.5, 2][place % 4]!);
    const bonuses = batch.advantages.map(() => 0.25);
    const settings = { ...running.settings, advantages: { ...running.settings.advantages, limit: 1 } };
    const own = batch.own.map(() => true);
    const rows = rowsOf({ ...batch, advantages, bonuses, own }, [0, 1, 2, 3], settings);
    expect(rows.map(({ constants }) => constants!['advantage'])).toEqual([-0.75, -0.75, 0.75, 1.25]);
  });

  it('adds rewards before advantages are estimated, and mixes utilities into those', async () => {
    const { run } = recorded(await lively(), {
      settings: changed({ advantages: { normalize: null, discount: 0 } }),
    });
    const { steps, batch: plain } = await batched(run);
    const rewards = Float64Array.from(steps.rewards, (_, place) => place / 8);
    const shaped = batchOf(steps, run.settings, { ...nothing, rewards });
    // without a discount A = r − V and R = r
    [4, 9].forEach((place) => {
      expect(shaped.advantages[place]).toBeCloseTo(plain.advantages[place]! + place / 8, 12);
      expect(shaped.returns[place]).toBeCloseTo(plain.returns[place]! + place / 8, 12);
    });
    const utilities = new Float64Array(rewards.length);
    const mixed = batchOf(steps, run.settings, { ...nothing, mix: { share: 0.75, utilities } });
    expect(mixed.advantages[9]).toBeCloseTo(plain.advantages[9]! / 4, 12);
    expect(mixed.returns[9]).toBe(plain.returns[9]);
  });

  it('needs a rater of steps for utility shaping', async () => {
    const { run } = recorded(await network(), { settings: changed({ shaping: { utility: 'reward' } }) });
    await expect(ppo(run)).rejects.toThrow('--utility needs a function that rates steps');
    const short = { ...run.settings, play: { ...run.settings.play, environmentSteps: 64 } };
    expect((await ppo({ ...run, rate: () => () => 10, settings: short })).update).toBe(1);
  });

  it('is clipped jointly', async () => {
    // one step, whose moments are shares of the clipped gradient
    const once: Changes = { optimization: { passes: 1, minibatchSize: 1024, clipNorm: 1e-3 } };
    const { run } = recorded(await lively(), { settings: changed(once) });
    const { running, batch } = await batched(run);
    const { measures } = await improve(running, batch);
    expect(measures!.gradient_norm).toBeGreaterThan(0.05);
    const { policy, value } = running.optimizers;
    const first = [policy, value].flatMap((optimizer) =>
      [...optimizer.state().tensors]
        .filter(([name]) => name.includes('first'))
        .map(([, { data }]) => [...data]),
    );
    const squares = first.flat().reduce((sum, moment) => sum + (moment / (1 - 0.9)) ** 2, 0);
    expect(Math.sqrt(squares)).toBeCloseTo(1e-3, 7);
  });

  it('with the published guard learns only from answers whose ratio is below it', async () => {
    const losses = { ratioGuard: 10, credit: 'answer', entropyCoefficient: 0 } as const;
    const once = { passes: 1, minibatchSize: 1024, clipNorm: null };
    const settings = changed({ losses, optimization: once, advantages: { normalize: null } });
    const found: ActorCriticGradient[] = [];
    const actor = await lively();
    const watched: ActorCritic = {
      ...actor,
      gradient: async (rows, formulas) => {
        found.push(await actor.gradient(rows, formulas));
        return found.at(-1)!;
      },
    };
    const { run } = recorded(watched, { settings });
    const { running, batch } = await batched(run);
    // the first answer's probability rose a hundredfold, and should have fallen
    const advantages = batch.advantages.slice().fill(1, 1).fill(-1, 0, 1);
    const answers = batch.steps.answers.map((answer, place) =>
      place > 0
        ? answer
        : { ...answer, logProbabilities: answer.logProbabilities.map((x) => x - Math.log(100)) },
    );
    const rare = { ...batch, advantages, steps: { ...batch.steps, answers } };
    const alone = { ...rare, own: rare.own.map((own, place) => own && place > 0) };
    const places = [...rare.own.keys()];
    const others = await gradientOf({ ...run, actorCritic: actor }, rowsOf(alone, places, settings));
    const { measures } = await improve(running, rare);
    expect(found).toHaveLength(2);
    const count = rare.own.filter(Boolean).length;
    for (const [name, gradient] of others.improved.gradients)
      if (name.startsWith('policy'))
        gradient.forEach((value, at) =>
          expect(found[1]!.gradients.get(name)![at]! * count).toBeCloseTo(value * (count - 1), 4),
        );
    // 1.1 is the clamped ratio of a clip of 0.1; here it is 1.2, and the others' ratio is 1
    expect(measures!.policy_loss).toBeCloseTo((1.2 - (count - 1)) / count, 4);
  });

  it('with RLEF clones its own answers by min(eᴬ, 10), without clip or guard', async () => {
    const losses = { policy: 'rlef', credit: 'answer', ratioGuard: 10, entropyCoefficient: 0 } as const;
    const once = { passes: 1, minibatchSize: 1024, clipNorm: null };
    const actor = await lively();
    const found: ActorCriticGradient[] = [];
    const watched: ActorCritic = {
      ...actor,
      gradient: async (rows, formulas) => {
        found.push(await actor.gradient(rows, formulas));
        return found.at(-1)!;
      },
    };
    const settings = changed({ losses, optimization: once, advantages: { normalize: null } });
    const { run } = recorded(watched, { settings });
    const { running, batch } = await batched(run);
    // the first answer is a hundred times as likely now: it would be guarded, but has a weight above 10
    const advantages = batch.advantages.slice().fill(0, 1).fill(5, 0, 1);
    const sampled = batch.steps.answers.map(({ logProbabilities }) => logProbabilities[0]!);
    const answers = batch.steps.answers.map((answer, place) =>
      place > 0 ? answer : { ...answer, logProbabilities: [sampled[0]! - Math.log(100)] },
    );
    const { measures } = await improve(running, { ...batch, advantages, steps: { ...batch.steps, answers } });
    expect(found).toHaveLength(1);
    // the weights are min(e⁵, 10) and e⁰
    const sum = sampled.reduce((all, value) => all - value, -9 * sampled[0]!);
    expect(measures!.policy_loss).toBeCloseTo(sum / sampled.length, 4);
    expect(found[0]!.policyLoss).toBeCloseTo(sum / sampled.length, 4);
  });

  it('has one ratio per answer, its thoughts weighted by λ', async () => {
    const whole = changed({ losses: { credit: 'answer', thoughtCoefficient: 0.5 } });
    const { run } = recorded(await lively(), { settings: whole });
    const { batch } = await batched(run);
    const answers = batch.steps.answers.map((answer) => ({
      ...answer,
      tokens: [1, 2, 3],
      logProbabilities: [-1, -2, -4],
    }));
    const readings = batch.steps.readings.map(() => ({ action: 1, actionStart: 2 }));
    const [row] = rowsOf({ ...batch, steps: { ...batch.steps, answers, readings } }, [0], whole);
    // ½ (−1 − 2) − 4
    expect(row!.sampledLogProbabilities).toEqual([-5.5]);
    expect(row!.constants).toMatchObject({ sampledLogProbability: -5.5, factors: [0.5, 0.5, 1] });
    const [token] = rowsOf({ ...batch, steps: { ...batch.steps, answers, readings } }, [0], settings);
    expect(token!.sampledLogProbabilities).toEqual([-1, -2, -4]);
    // the mean over three tokens
    expect(token!.weight).toBeCloseTo(1 / 3, 12);
  });

  it('is refused if a number is not finite', async () => {
    const actor = await lively();
    const { run } = recorded(actor);
    const { running, batch } = await batched(run);
    batch.returns[3] = NaN;
    await expect(improve(running, batch)).rejects.toMatchObject({ code: 'check-failed' });
  });
});

describe('explained variance', () => {
  it('is 1 for values equal to the returns, 0 for constant values, and null for equal returns', () => {
    expect(explainedVariance([1, 2, 4], [1, 2, 4])).toBe(1);
    expect(explainedVariance([5, 5, 5], [1, 2, 4])).toBeCloseTo(0, 12);
    // errors 0, 1, −1 of returns 1, 2, 3: 1 − (2/3)/(2/3)
    expect(explainedVariance([1, 1, 4], [1, 2, 3])).toBeCloseTo(0, 12);
    expect(explainedVariance([1, 2], [3, 3])).toBeNull();
  });
});

describe('settings', () => {
  it.each<[Changes, string]>([
    [{ play: { environmentSteps: 0 } }, '--steps: must be a whole number from 1 to 999999999999, got 0'],
    [
      { play: { stepsPerUpdate: 2 ** 18 } },
      '--num-steps: an update may have at most 1048576 steps over all 8 environments, got 262144',
    ],
    [{ play: { temperature: 0 } }, '--temperature: must be a number from 0.000001 to 1000000, got 0'],
    [{ advantages: { discount: 1.1 } }, '--gamma: must be a number from 0 to 1, got 1.1'],
    [{ advantages: { trace: NaN } }, '--gae-lambda: must be a number from 0 to 1, got NaN'],
    [
      { shaping: { actionFrequencyBonus: -1 } },
      '--action-frequency-bonus: must be a number from 0 to 1000000, got -1',
    ],
    [
      { advantages: { tokenTrace: 0.9 }, losses: { credit: 'answer' } },
      '--token-lambda: needs --credit token, since a ratio an answer has one advantage an answer, got 0.9',
    ],
    [
      { advantages: { tokenTrace: 0.9 }, shaping: { utility: 'advantage' } },
      '--token-lambda: needs another --utility than advantage, which mixes ratings of steps into their advantages, got 0.9',
    ],
    [{ advantages: { tokenDiscount: 0.9 } }, '--token-gamma: needs --token-lambda, got 0.9'],
    [{ losses: { clip: { low: 0, high: 0.2 } } }, '--clip: must be a number above 0 to 1, got 0'],
    [{ losses: { ratioGuard: 1 } }, '--ratio-guard: must be a number above 1 to 1000000000, got 1'],
    [{ losses: { ratioGuard: 10 } }, '--ratio-guard: must be none unless --credit is answer, got 10'],
    [{ losses: { entropyCoefficient: -1 } }, '--entropy-coef: must be a number from 0 to 1000000, got -1'],
    [{ losses: { valueClip: 0 } }, '--value-clip: must be a number above 0 to 1000000, got 0'],
    [{ optimization: { passes: 1.5 } }, '--passes: must be a whole number from 1 to 10000, got 1.5'],
    [
      { optimization: { minibatchSize: 0 } },
      '--batch-size: must be a whole number from 1 to 999999999, got 0',
    ],
    [{ optimization: { learningRate: Infinity } }, '--lr: must be a number above 0 to 1000000, got Infinity'],
    [
      { optimization: { valueInitSteps: -1 } },
      '--value-init-steps: must be a whole number from 0 to 999999999, got -1',
    ],
    [{ optimization: { targetKl: 0 } }, '--target-kl: must be a number above 0 to 1000000, got 0'],
    [{ optimization: { clipNorm: 0 } }, '--max-grad-norm: must be a number above 0 to 1000000, got 0'],
    [
      { optimization: { valueClipNorm: 0 } },
      '--value-max-grad-norm: must be a number above 0 to 1000000, got 0',
    ],
    [{ optimization: { betas: [0.9, 1] } }, '--adam-beta2: must be a number from 0 to below 1, got 1'],
  ])('%j are refused by the name of their flag', (changes, message) => {
    expect(() => checkPpoSettings(changed(changes), 8)).toThrow(message);
  });
});
