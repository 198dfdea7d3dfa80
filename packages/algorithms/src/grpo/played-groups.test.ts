/** Whole episodes as attempts: learning and resuming. */
import { LostEpisode, parametersOf, Random, type Episode, type GradientRow, type Task } from '@emac/core';
import { grpoLoss } from '@emac/losses';
import { recordedEpisode, rollout, type Rollout } from '@emac/rollout';
import { describe, expect, it } from 'vitest';
import { grpo } from '../grpo.ts';
import type { EndedAttempt } from './attempt-rewards.ts';
import { grpoBatchOf, weighted } from './batch.ts';
import { publishedCredit } from './grpo-settings.ts';
import type { PlayedAttempt } from './attempts.ts';
import { beginGrpo, type AttemptsElsewhere, type GrpoRun, type Playing } from './grpo-run.ts';
import { beginPlaying } from './played-groups.ts';
import {
  blind,
  changed,
  copied,
  cells,
  corridors,
  recorded,
  seeing,
  table,
  tableOf,
  words,
} from './small-attempts.test.support.ts';

/** The attempts and the batch of the first update. */
async function batched(run: GrpoRun) {
  const running = beginGrpo(run);
  const { attempts } = await beginPlaying(running).next();
  const groups = { update: 0, version: 0, attempts, groupSize: running.settings.play.groupSize };
  const batch = await grpoBatchOf(running, groups);
  return { running, attempts, batch };
}

describe('attempts of a group', () => {
  it('begin alike, and continue with separate draws', async () => {
    const begun: (readonly [task: string, seed: string])[] = [];
    const playing = corridors();
    const environment: Playing['environment'] = {
      begin: (task, seed) => {
        begun.push([task.id, seed]);
        return playing.environment.begin(task, seed);
      },
    };
    const { attempts } = await batched(recorded(table(), corridors({ environment })).run);
    expect(attempts).toHaveLength(12);
    for (const first of [0, 4, 8]) {
      const group = attempts.slice(first, first + 4);
      const { task, first: seen } = group[0]!.trajectory;
      expect(new Set(group.map(({ trajectory }) => trajectory.task))).toEqual(new Set([task]));
      for (const { trajectory } of group) expect(trajectory.first.text).toBe(seen.text);
      const said = group.map(({ steps }) => steps.map(({ answer }) => answer.text).join());
      expect(new Set(said).size).toBeGreaterThan(1);
      const seeds = begun.filter(([id]) => id === task.id).map(([, seed]) => seed);
      expect(seeds).toEqual(Array.from({ length: 4 }, () => `7/attempts/0/${first / 4}`));
    }
  });

  it('are other tasks in every update: without end by number, of a list in passes', async () => {
    const endless = recorded(table());
    await grpo(endless.run);
    const ids = endless.attempts.map(({ trajectory }) => trajectory.task.id);
    expect(new Set(ids).size).toBe(9);
    const listed = corridors({
      tasks: { count: 3, at: (place) => ({ id: `corridor/${place}`, type: null }) },
    });
    const counted = recorded(table(), listed);
    await grpo(counted.run);
    for (const update of [0, 1, 2]) {
      const own = counted.attempts.filter((attempt) => attempt.update === update);
      expect(new Set(own.map(({ trajectory }) => trajectory.task.id)).size).toBe(3);
    }
  });

  it('are the same however many are under way at once', async () => {
    const linesOf = async (parallel: number) => {
      const { run, lines } = recorded(table(), corridors({ parallel }));
      await grpo(run);
      return lines;
    };
    expect(await linesOf(1)).toEqual(await linesOf(12));
  });
});

describe('rewards', () => {
  const of = async (more: Partial<Playing>) =>
    (await batched(recorded(table(), corridors(more)).run)).attempts;

  it('are the return and the penalties of answers without an action, which have rows too', async () => {
    const attempts = await of({});
    for (const { trajectory, reward, rewards, steps } of attempts) {
      expect(steps).toHaveLength(trajectory.steps.length);
      const odd = steps.filter(({ answer }) => !['left', 'right'].includes(answer.text));
      const unnamed = trajectory.steps.filter(({ own }) => own === null);
      expect(unnamed.map(({ answer }) => answer)).toEqual(odd.map(({ answer }) => answer));
      for (const step of steps) expect(step.penalty).toBe(odd.includes(step) ? -0.1 : undefined);
      // the corridor pays 1 at its end, once
      expect(rewards['return']).toBe(trajectory.won ? 1 : 0);
      expect(rewards['penalty']).toBeCloseTo(-0.1 * odd.length, 12);
      expect(reward).toBe(rewards['return']! + rewards['penalty']!);
    }
    expect(attempts.some(({ rewards: { penalty } }) => penalty! < 0)).toBe(true);
    expect(attempts.some(({ trajectory }) => trajectory.won)).toBe(true);
  });

  it('sum over the steps of an attempt to its own, and charge for commands that are not admissible', async () => {
    for (const reward of ['return', 'success'] as const)
      for (const attempt of await of({ reward, invalidCost: 0.25 })) {
        const sum = attempt.steps.reduce((total, step) => total + step.reward, 0);
        expect(sum).toBeCloseTo(attempt.reward, 12);
        // the corridor accepts left and right; any other answer costs its own tenth and a quarter
        for (const { answer, penalty } of attempt.steps)
          expect(penalty ?? 0).toBeCloseTo(['left', 'right'].includes(answer.text) ? 0 : -0.35, 12);
      }
  });

  it('are success alone, if asked', async () => {
    const won = (await of({})).map(({ trajectory }) => trajectory.won);
    const named = (attempts: readonly PlayedAttempt[]) => attempts.map(({ rewards }) => rewards['success']);
    expect(named(await of({ reward: 'success' }))).toEqual(won.map((each) => (each ? 1 : 0)));
    expect(named(await of({ reward: { won: 10, lost: -1 } }))).toEqual(won.map((each) => (each ? 10 : -1)));
  });

  it('are what a function says of the whole episode, or of each of its steps', async () => {
    const seen: EndedAttempt[] = [];
    const whole = await of({ reward: (episode) => (seen.push(episode), -episode.steps.length) });
    whole.forEach(({ trajectory, steps, rewards }, place) => {
      expect(rewards['own']).toBe(-steps.length);
      expect(steps.slice(0, -1).every(({ reward, penalty = 0 }) => reward === penalty)).toBe(true);
      const { task, won, steps: turns } = seen[place]!;
      expect([task, won]).toEqual([trajectory.task, trajectory.won]);
      turns.forEach((turn, index) => {
        const { observation, own, result } = trajectory.steps[index]!;
        expect(turn).toMatchObject({ observation: observation.text, next: result.observation.text });
        expect(turn).toMatchObject({ action: own, reward: result.reward, answer: steps[index]!.answer.text });
      });
    });
    const each = await of({ reward: ({ steps }) => steps.map((_, index) => index + 0.5) });
    for (const { steps, rewards, reward, return: earned, trajectory } of each) {
      steps.forEach((step, index) => expect(step.reward).toBeCloseTo(index + 0.5 + (step.penalty ?? 0), 12));
      // Σ (i + ½) over n steps
      expect(rewards['own']).toBeCloseTo(steps.length ** 2 / 2, 9);
      expect(reward).toBeCloseTo(rewards['own']! + rewards['penalty']!, 9);
      expect(earned).toBe(trajectory.steps.reduce((sum, { result }) => sum + result.reward, 0));
    }
  });
});

describe('a batch of attempts', () => {
  it('has a row for every step, with the advantage of its attempt', async () => {
    for (const [advantages, expected] of [
      // of n = 4: (r − mean) / (σ + 1e-4), and r − (Σ r − r) / 3
      ['group', (reward: number, mean: number, deviation: number) => (reward - mean) / (deviation + 1e-4)],
      ['leave-one-out', (reward: number, mean: number) => reward - (4 * mean - reward) / 3],
    ] as const) {
      const { run } = recorded(table(), corridors(), { settings: changed({ losses: { advantages } }) });
      const { batch, attempts } = await batched(run);
      expect(batch.rows).toHaveLength(attempts.reduce((sum, { steps }) => sum + steps.length, 0));
      attempts.forEach(({ reward, steps }, which) => {
        const group = attempts.slice(4 * Math.floor(which / 4)).slice(0, 4);
        const mean = group.reduce((sum, each) => sum + each.reward, 0) / 4;
        const squares = group.reduce((sum, each) => sum + (each.reward - mean) ** 2, 0);
        const wanted = squares < 1e-12 ? 0 : expected(reward, mean, Math.sqrt(squares / 3));
        for (const { answer } of steps) {
          const rows = batch.rows.filter(({ answers }) => answers[0] === answer.tokens);
          expect(rows).toHaveLength(1);
          expect(rows[0]!.constants.advantage).toBeCloseTo(wanted, 9);
        }
      });
    }
  });

  it("adds each step's advantage among steps from equal states to its attempt's advantage", async () => {
    const credit = { ...publishedCredit, discount: 0.5, weight: 2 };
    const losses = { advantages: 'steps', scale: 'none', credit } as const;
    const { run } = recorded(table(), corridors(), { settings: changed({ losses }) });
    const { batch, attempts } = await batched(run);
    for (const first of [0, 4, 8]) {
      const group = attempts.slice(first, first + 4);
      const mean = group.reduce((sum, { reward }) => sum + reward, 0) / 4;
      const passed = group.flatMap(({ trajectory, reward, steps }) =>
        steps.map((step, index) => ({
          step,
          ofAttempt: reward - mean,
          // the corridor shows its cell
          state: trajectory.steps[index]!.observation.text,
          value: steps.slice(index).reduce((sum, each, later) => sum + 0.5 ** later * each.reward, 0),
        })),
      );
      expect(new Set(passed.map(({ state }) => state)).size).toBeLessThan(passed.length);
      for (const { step, ofAttempt, state, value } of passed) {
        const same = passed.filter((each) => each.state === state);
        const average = same.reduce((sum, each) => sum + each.value, 0) / same.length;
        const row = batch.rows.find(({ answers }) => answers[0] === step.answer.tokens)!;
        expect(row.constants.advantage).toBeCloseTo(ofAttempt + 2 * (value - average), 9);
      }
    }
  });

  it('compares steps by the name that the environment gives to a state', async () => {
    // one name for all states: the advantage of a step is its return less the mean of all returns of its group
    const losses = {
      advantages: 'history',
      scale: 'none',
      credit: { ...publishedCredit, history: 0 },
    } as const;
    const playing = corridors({ anchor: () => 'anywhere' });
    const { run } = recorded(table(), playing, { settings: changed({ losses }) });
    const { batch, attempts } = await batched(run);
    const steps = attempts.slice(0, 4).flatMap((attempt) => attempt.steps);
    expect(new Set(steps.map(({ anchor }) => anchor))).toEqual(new Set(['anywhere']));
    const own = batch.rows.filter(({ answers }) => steps.some(({ answer }) => answer.tokens === answers[0]));
    expect(own.some(({ constants }) => Math.abs(constants.advantage) > 0.1)).toBe(true);
    expect(own.reduce((sum, { constants }) => sum + constants.advantage, 0)).toBeCloseTo(0, 4);
  });

  it('has the state in which an attempt was cut off, as the environment or its text names it', async () => {
    const cutOff = async (policy: GrpoRun['policy'], anchor?: Playing['anchor']) => {
      const more = { settings: changed({ losses: { advantages: 'graph' } }), policy };
      const { attempts } = await batched(recorded(table(), corridors({ anchor }), more).run);
      const ends = attempts.map(({ trajectory }) => trajectory.end);
      expect(new Set(ends)).toEqual(new Set(['terminated', 'truncated']));
      for (const attempt of attempts)
        if (attempt.trajectory.end === 'terminated') expect(attempt).not.toHaveProperty('cutOffIn');
      return attempts
        .filter(({ trajectory }) => trajectory.end === 'truncated')
        .map(({ cutOffIn, trajectory }) => [cutOffIn, trajectory.steps.at(-1)!.result.observation.text]);
    };
    const named = await cutOff(seeing(table()), ({ history: { turns } }) => turns.at(-1)?.observation ?? '');
    for (const [state, text] of named) expect(state).toBe(text);
    for (const [state, text] of await cutOff(blind(table()))) expect(state).toBe(JSON.stringify([text]));
    // nobody encoded the last picture
    for (const [state] of await cutOff(seeing(table()))) expect(state).toBe(undefined);
  });

  it('refuses the deviation of the batch where steps are compared', () => {
    const losses = { advantages: 'steps', scale: 'batch' } as const;
    expect(() => beginGrpo(recorded(table(), corridors(), { settings: changed({ losses }) }).run)).toThrow(
      '--scale-rewards: must be group or none with --advantages steps',
    );
  });

  it('has the ratio 1 before the first update, at any temperature', async () => {
    for (const temperature of [1, 0.5]) {
      const { run } = recorded(table(), corridors(), { settings: changed({ play: { temperature } }) });
      const { batch, running } = await batched(run);
      const rows = weighted(batch.rows, running.settings);
      const { logProbabilities } = await run.policy.gradient(rows, grpoLoss({ clip: null, beta: 0 }));
      expect(rows.length).toBeGreaterThan(24);
      batch.rows.forEach(({ constants }, row) =>
        constants.sampledLogProbability.forEach((sampled, token) =>
          expect(Math.exp(logProbabilities[row]![token]! - sampled)).toBeCloseTo(1, 6),
        ),
      );
    }
  });

  it('is read by the reference with equal prompts of a group in one row', async () => {
    const scored: number[] = [];
    const own = seeing(table());
    const reference = {
      score: (rows: readonly GradientRow[]) => {
        scored.push(...rows.map(({ answers }) => answers.length));
        return own.score(rows);
      },
    } as GrpoRun['reference'];
    const { run } = recorded(table(), corridors(), {
      reference,
      settings: changed({ losses: { beta: 0.1 } }),
    });
    const { batch } = await batched(run);
    // all four first answers of each of three groups
    expect(scored.filter((answers) => answers >= 4).length).toBeGreaterThanOrEqual(3);
    expect(scored.reduce((sum, answers) => sum + answers, 0)).toBe(batch.rows.length);
    batch.rows.forEach(({ constants }) =>
      // the reference is the acting policy
      constants.sampledLogProbability.forEach((sampled, token) =>
        expect(constants.referenceLogProbability![token]).toBeCloseTo(sampled, 6),
      ),
    );
  });

  it.each(['k1', 'k2', 'k3'] as const)(
    'has the penalty in the rewards, if asked: β times %s of every token',
    async (estimate) => {
      const reference = seeing(tableOf({ prompts: cells, words, maxLength: 2 }, undefined, 0));
      const losses = { beta: 0.3, estimate, penalty: 'reward', scale: 'none', advantages: 'batch' } as const;
      const { run } = recorded(table(), corridors(), { reference, settings: changed({ losses }) });
      const { batch, attempts } = await batched(run);
      // the reference gives each of three words and the end a quarter
      const costOf = (sampled: number): number => {
        const x = Math.log(1 / 4) - sampled;
        return { k1: -x, k2: x ** 2 / 2, k3: Math.exp(x) - 1 - x }[estimate];
      };
      const rewards = attempts.map(({ steps, reward }) => {
        const tokens = steps.flatMap(({ answer }) => answer.logProbabilities);
        return reward - 0.3 * tokens.reduce((sum, sampled) => sum + costOf(sampled), 0);
      });
      const mean = rewards.reduce((sum, reward) => sum + reward, 0) / rewards.length;
      const { groups } = batch;
      groups.attempts.forEach((attempt, which) => {
        expect(attempt.reward).toBeCloseTo(rewards[which]!, 5);
        expect(attempt.rewards['kl']).toBeCloseTo(rewards[which]! - attempts[which]!.reward, 5);
        const ofSteps = attempt.steps.reduce((sum, { reward }) => sum + reward, 0);
        expect(ofSteps).toBeCloseTo(attempt.reward, 9);
      });
      for (const { answers, constants } of batch.rows) {
        const which = attempts.findIndex(({ steps }) =>
          steps.some(({ answer }) => answer.tokens === answers[0]),
        );
        expect(constants.advantage).toBeCloseTo(rewards[which]! - mean, 5);
        // the loss reads no reference
        expect(constants).not.toHaveProperty('referenceLogProbability');
      }
    },
  );

  it('has the gradient of finite differences of the surrogate over all steps of all attempts', async () => {
    const policy = table();
    const here = seeing(policy);
    const losses = { clip: { low: 0.2, high: 0.3 }, beta: 0.3, normalization: 'dapo' } as const;
    const { run } = recorded(policy, corridors(), {
      reference: seeing(table()),
      settings: changed({ losses, play: { temperature: 0.7 } }),
    });
    const { batch, running, attempts } = await batched(run);
    expect(Math.max(...attempts.map(({ steps }) => steps.length))).toBe(6);
    // away from the acting parameters, so that ratios are not 1 and some are clipped
    const { data } = parametersOf(policy).get('table')!;
    const noise = Random.fromSeed('noise');
    data.forEach((value, place) => (data[place] = value + 0.2 * noise.normal()));
    policy.commit();
    const tokens = batch.rows.reduce((sum, { answers }) => sum + answers[0]!.length, 0);
    /** (1/N) Σ over tokens of −min(ρ A, clamp(ρ) A) + β (e^d − d − 1), d = reference − policy */
    const surrogate = async (): Promise<number> => {
      const now = await here.score(batch.rows);
      let sum = 0;
      batch.rows.forEach(({ constants }, row) => {
        const { advantage, sampledLogProbability, referenceLogProbability } = constants;
        now[row]![0]!.forEach((logProbability, token) => {
          const ratio = Math.exp(logProbability - sampledLogProbability[token]!);
          const clamped = Math.min(1.3, Math.max(0.8, ratio));
          const apart = referenceLogProbability![token]! - logProbability;
          sum += 0.3 * (Math.exp(apart) - apart - 1) - Math.min(ratio * advantage, clamped * advantage);
        });
      });
      return sum / tokens;
    };
    const found = await run.policy.gradient(
      weighted(batch.rows, running.settings),
      grpoLoss(running.settings.losses),
    );
    expect(found.loss).toBeCloseTo(await surrogate(), 6);
    const slopes = found.gradients.get('table')!;
    expect(slopes.filter((slope) => Math.abs(slope) > 0.005).length).toBeGreaterThan(10);
    for (let place = 0; place < data.length; place++) {
      const value = data[place]!;
      const at = async (moved: number) => {
        data[place] = moved;
        policy.commit();
        return surrogate();
      };
      const difference = ((await at(value + 0.002)) - (await at(value - 0.002))) / 0.004;
      await at(value);
      expect(Math.abs(slopes[place]! - difference)).toBeLessThan(5e-4);
    }
  });
});

describe('learning', () => {
  it.each(['group', 'leave-one-out', 'batch', 'steps', 'history', 'graph'] as const)(
    'finds the way through corridors, with %s',
    async (advantages) => {
      const { run, lines } = recorded(table(), corridors(), {
        settings: changed({ losses: { advantages }, play: { updates: 40, groupSize: 8 } }),
      });
      const state = await grpo(run);
      const mean = (name: string, some: typeof lines): number =>
        some.reduce((sum, line) => sum + (line[name] as number), 0) / some.length;
      const [first, last] = [lines.slice(0, 1), lines.slice(-10)];
      expect(mean('success', first)).toBeLessThan(0.5);
      expect(mean('success', last)).toBeGreaterThan(0.95);
      // answers without an action cost a tenth
      expect(mean('no_action_share', last)).toBeLessThan(mean('no_action_share', first) / 3);
      // from the cells 0 to 3 the end is 2.5 steps away on average
      expect(mean('mean_steps', last)).toBeLessThan(4);
      expect(lines.at(-1)!['environment_steps']).toBe(state.answers);
    },
  );

  it('reports the attempts of every update', async () => {
    const { run, lines, attempts } = recorded(table());
    const state = await grpo(run);
    let answers = 0;
    for (const [update, line] of lines.entries()) {
      const own = attempts.filter((attempt) => attempt.update === update);
      const mean = (values: readonly number[]) =>
        values.reduce((sum, value) => sum + value, 0) / values.length;
      const steps = own.reduce((sum, each) => sum + each.steps.length, 0);
      answers += steps;
      expect(line).toMatchObject({ phase: 'grpo', update, answers, environment_steps: answers });
      expect(line['mean_return']).toBeCloseTo(mean(own.map((each) => each.return)), 12);
      expect(line['success']).toBeCloseTo(mean(own.map(({ trajectory }) => (trajectory.won ? 1 : 0))), 12);
      expect(line['mean_steps']).toBeCloseTo(steps / 12, 12);
      const odd = own.flatMap((each) => each.steps).filter(({ penalty }) => penalty !== undefined);
      expect(line['no_action_share']).toBeCloseTo(odd.length / steps, 12);
      expect(line['reward']).toBeCloseTo(
        (line['reward_return'] as number) + (line['reward_penalty'] as number),
        9,
      );
    }
    expect(state.answers).toBe(answers);
  });

  it('has a schedule that ends with the run, however many steps attempts have', async () => {
    const { run, lines } = recorded(table(), corridors(), {
      settings: changed({
        play: { updates: 4 },
        // twelve attempts of one step would have two gradient steps an update
        optimization: { minibatchSize: 6, schedule: 'linear', finalShare: 0, learningRate: 1 },
      }),
    });
    await grpo(run);
    lines.forEach((line, update) => {
      const steps = line['gradient_steps'] as number;
      expect(steps).toBeGreaterThan(3);
      // of eight steps, at the last of this update's two
      expect(line['lr']).toBeCloseTo(1 - (2 * update + (2 * (steps - 1)) / steps) / 8, 9);
    });
  });
});

describe('a run of whole episodes', () => {
  const several = changed({
    play: { updates: 5 },
    losses: { beta: 0.04, clip: { low: 0.2, high: 0.28 } },
    optimization: { passes: 2, minibatchSize: 10, schedule: 'linear', finalShare: 0, warmup: 3 },
  });
  const reference = seeing(table());

  it.each([0, 2])('resumes from any checkpoint to the same bytes: K = %i', async (maxStaleness) => {
    const optimization = { ...several.optimization, maxStaleness };
    const more = { settings: { ...several, optimization }, reference };
    const policy = table();
    const whole = recorded(policy, corridors(), more);
    const state = await grpo(whole.run);
    expect(whole.stored).toHaveLength(6);
    for (const [at, { parameters, checkpoint }] of whole.stored.entries()) {
      const again = table({ parameters });
      const resumed = recorded(again, corridors(), { ...more, resume: checkpoint });
      expect(await grpo(resumed.run)).toEqual(state);
      expect(resumed.lines).toEqual(whole.lines.slice(at));
      expect(parametersOf(again)).toEqual(parametersOf(policy));
    }
  });

  it('replays an update that was interrupted while it was played', async () => {
    const whole = recorded(table(), corridors(), { settings: several, reference });
    await grpo(whole.run);
    const stop = new AbortController();
    const policy = table();
    // numbers of attempts count over the run: of update 2, the fifth
    const report: Playing['report'] = ({ kind, number }) => {
      if (kind === 'episode-end' && number === 28) stop.abort();
    };
    const cut = recorded(policy, corridors({ report }), {
      settings: several,
      reference,
      signal: stop.signal,
    });
    await expect(grpo(cut.run)).rejects.toMatchObject({ code: 'interrupted' });
    const { parameters, checkpoint } = cut.stored.at(-1)!;
    expect(checkpoint.state.update).toBe(2);
    expect(copied(policy)).toEqual(parameters);
    const resumed = recorded(policy, corridors(), { settings: several, reference, resume: checkpoint });
    await grpo(resumed.run);
    expect([...cut.lines, ...resumed.lines]).toEqual(whole.lines);
  });

  it('ends as unavailable after a lost episode, without learning from its update', async () => {
    const whole = recorded(table());
    await grpo(whole.run);
    let steps = 0;
    const playing = corridors();
    const failing = (episode: Episode): Episode => ({
      ...episode,
      step: (action) => {
        if (++steps === 100) throw new LostEpisode('the connection broke');
        return episode.step(action);
      },
    });
    const environment: Playing['environment'] = {
      begin: async (task, seed) => failing(await playing.environment.begin(task, seed)),
    };
    const policy = table();
    const cut = recorded(policy, corridors({ environment }));
    await expect(grpo(cut.run)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(
        /^update 1: the environment lost an episode of corridor\/\d+: the connection broke/,
      ),
    });
    const { parameters, checkpoint } = cut.stored.at(-1)!;
    expect(checkpoint.state.update).toBe(1);
    expect(copied(policy)).toEqual(parameters);
    const resumed = recorded(policy, corridors(), { resume: checkpoint });
    await grpo(resumed.run);
    expect([...cut.lines, ...resumed.lines]).toEqual(whole.lines);
  });

  it.each([0, 1, 3])('is the same when workers play: K = %i', async (maxStaleness) => {
    const more = { settings: changed({ optimization: { maxStaleness }, play: { updates: 5 } }) };
    const here = recorded(table(), corridors(), more);
    const state = await grpo(here.run);
    const asked: number[] = [];
    const elsewhere: AttemptsElsewhere = ({ update, parameters }, { put }) => {
      asked.push(update);
      const policy = seeing(table({ parameters }));
      return {
        labels: true,
        play: async function* (setup: Rollout, attempts) {
          put();
          const played = await rollout({ ...setup, elsewhere: undefined, policy }, attempts);
          // in any order
          for (const place of [...played.keys()].reverse()) yield [place, recordedEpisode(played[place]!)];
        },
      };
    };
    const there = recorded(table(), corridors({ elsewhere }), more);
    expect(await grpo(there.run)).toEqual(state);
    expect(there.lines).toEqual(here.lines);
    expect(there.stored).toEqual(here.stored);
    expect(asked).toEqual([0, 1, 2, 3, 4]);
  });

  it('refuses single attempts, unless they are compared with the batch', () => {
    const of = (advantages: 'group' | 'batch') => changed({ play: { groupSize: 1 }, losses: { advantages } });
    expect(() => beginGrpo(recorded(table(), corridors(), { settings: of('group') }).run)).toThrow(
      '--group-size: one attempt has none to be compared with, got 1; give 2 or more, or --advantages batch',
    );
    beginGrpo(recorded(table(), corridors(), { settings: of('batch') }).run);
  });

  it('needs a task', () => {
    const none = { count: 0, at: (): Task => ({ id: 'none', type: null }) };
    expect(() => beginGrpo(recorded(table(), corridors({ tasks: none })).run)).toThrow(
      'training: needs a task, got 0',
    );
  });
});
