/** Resumed runs end with the same lines, weights, samples and state; another run's state is refused. */
import type { Transition } from '@emac/buffers';
import { EmacError } from '@emac/core';
import { fetchExpert, numbersOf } from '@emac/testing';
import { describe, expect, it } from 'vitest';
import { brought } from './brought-tasks.test.support.ts';
import { dagger } from './dagger.ts';
import type { DaggerCheckpoint, StoredCheckpoint } from './dagger-state.ts';
import type { MetricsLine, ProgressEvent } from './progress.ts';
import type { Phase } from './methods/list.ts';
import {
  beginner,
  knowing,
  setParameters,
  smallRun,
  told,
  trainSmall,
  type SmallRun,
} from './small-runs.test.support.ts';

const reflect = () => Promise.resolve('try elsewhere');

interface Kept extends DaggerCheckpoint {
  readonly isExtra: boolean;
  readonly lines: number;
  readonly transitions: readonly Transition[];
  readonly parameters: readonly (readonly number[])[];
}

/** A run that copies every checkpoint with its buffer and weights, as a run folder does. */
async function keeping(asked: SmallRun) {
  const kept: Kept[] = [];
  const policy = asked.policy ?? beginner(asked.seed);
  const small = await smallRun({
    ...asked,
    policy,
    checkpoint: (at, transitions) => {
      const copy = structuredClone({ ...at, transitions });
      kept.push({ ...copy, lines: small.lines.length, parameters: numbersOf(policy) });
    },
  });
  return { ...small, kept };
}

/** Resumes from a checkpoint as if in another process. */
async function goOn(asked: SmallRun, { state, optimizer, transitions, parameters }: Kept) {
  const policy = knowing();
  setParameters(policy, parameters);
  return trainSmall({ ...asked, policy, transitions, run: { ...asked.run, resume: { state, optimizer } } });
}

/** Stops a run at the event of that number; null if there are fewer events. */
async function stoppedAt(asked: SmallRun, moment: number) {
  const controller = new AbortController();
  let heard = 0;
  const report = (): void => {
    if (heard++ === moment) controller.abort();
  };
  const small = await keeping({ ...asked, run: { ...asked.run, signal: controller.signal, report } });
  await expect(small.train()).rejects.toMatchObject({ code: 'interrupted' });
  return small;
}

/** Stops a run at each of its events in turn, resumes, and compares with an uninterrupted run. */
async function stopEverywhere(asked: SmallRun, resumed: (moment: number) => SmallRun = () => asked) {
  const whole = await trainSmall(asked);
  const moments: Kept[] = [];
  for (let moment = 0; moment < whole.events.length; moment++) {
    const { kept, lines } = await stoppedAt(asked, moment);
    const last = kept.at(-1)!;
    moments.push(last);
    // all that was done is saved
    expect(lines).toHaveLength(last.lines);
    const rest = await goOn(resumed(moment), last);
    expect([...lines, ...rest.lines]).toEqual(whole.lines);
    expect(numbersOf(rest.policy)).toEqual(numbersOf(whole.policy));
    expect(rest.transitions).toEqual(whole.transitions);
    expect(rest.state).toEqual(whole.state);
  }
  return { whole, moments };
}

const phases: readonly Phase[] = ['bc', 'dpo'];

describe('a run that stops', () => {
  it.each(phases)('resumes from any checkpoint to the same lines and weights (%s)', async (phase) => {
    const asked: SmallRun = {
      phase,
      play: { rounds: 2 },
      samples: { agreed: 'random' },
      run: { reflect },
    };
    const whole = await keeping(asked);
    const state = await whole.train();
    // the start; in both rounds before the second and the third task, and at the end
    expect(whole.kept).toHaveLength(1 + 2 * 3);
    for (const at of whole.kept.slice(0, -1)) {
      const rest = await goOn(asked, at);
      expect(rest.lines).toEqual(whole.lines.slice(at.lines));
      expect(numbersOf(rest.policy)).toEqual(numbersOf(whole.policy));
      expect(rest.state).toEqual(state);
    }
  });

  it("resumes with a client's tasks, from the first one, to the same lines and weights", async () => {
    let last = brought();
    const afresh = {
      get environment() {
        return (last = brought()).environment;
      },
    };
    const again = () => {
      const known = last.environment.tasks;
      return {
        play: { rounds: 2 },
        run: {
          get environment() {
            return brought(undefined, { known }).environment;
          },
        },
      };
    };
    await stopEverywhere({ play: { rounds: 2 }, run: afresh }, again);
  });

  it.each(phases)('resumes at any event, not earlier, to the same lines and weights (%s)', async (phase) => {
    const { moments } = await stopEverywhere({
      phase,
      play: { rounds: 2, expertShare: { start: 0.5, decay: 0.5 }, stopRepeating: true },
      samples: { agreed: 'random' },
      optimization: { updatesPerEpisode: 2 },
      run: { reflect },
    });
    const groups = moments.map(({ state }) => state.current);
    // among these moments are those inside an episode and between its updates
    expect(groups.some((group) => group?.learning === null && group.steps[0]!.length === 1)).toBe(true);
    expect(groups.some((group) => group?.learning?.length === 1 && group.updates === 1)).toBe(true);
  });

  it.each(phases)('resumes at any event of concurrent episodes, with any number then (%s)', async (phase) => {
    const asked = (parallel: number): SmallRun => ({
      phase,
      play: {
        rounds: 2,
        episodesPerUpdate: 2,
        expertShare: { start: 0.5, decay: 0.5 },
        stopRepeating: true,
      },
      samples: { agreed: 'random' },
      optimization: { updatesPerEpisode: 2 },
      run: { reflect, parallel },
    });
    const { moments } = await stopEverywhere(asked(2), (moment) => asked(1 + (moment % 3)));
    const groups = moments.map(({ state }) => state.current);
    // these moments include: both episodes running, one finished beside the other, and updates left for the second
    const lengths = groups.map((group) => group?.steps.map((steps) => steps.length) ?? []);
    expect(lengths.some(([first, second]) => first! > 0 && second! > 0)).toBe(true);
    expect(groups.some((group) => group?.learning?.length === 2 && group.updates === 2)).toBe(true);
    expect(groups.some((group) => group?.learning?.length === 2 && group.updates === 3)).toBe(true);
  });

  it('keeps earlier steps if the expert fails', async () => {
    const asked: SmallRun = { play: { rounds: 1 } };
    const whole = await trainSmall(asked);
    const expert = fetchExpert();
    let requests = 0;
    const tired: typeof expert = {
      ...expert,
      label: (request) =>
        ++requests === 3 ? Promise.reject(new EmacError('interrupted', 'no budget')) : expert.label(request),
    };
    const small = await keeping({ ...asked, run: { expert: tired } });
    await expect(small.train()).rejects.toMatchObject({ code: 'interrupted' });
    const last = small.kept.at(-1)!;
    expect(last.isExtra).toBe(true);
    expect(last.state.current!.steps.map((steps) => steps.length)).toEqual([2]);
    const rest = await goOn(asked, last);
    expect(rest.state).toEqual(whole.state);
    expect(numbersOf(rest.policy)).toEqual(numbersOf(whole.policy));
    // earlier labels are not requested again
    const all = whole.expert.requests.map(({ task, history }) => [task.id, history.turns.length]);
    expect(rest.expert.requests.map(({ task, history }) => [task.id, history.turns.length])).toEqual(
      all.slice(2),
    );
  });

  it('keeps the steps of all concurrent episodes if the expert fails one of them', async () => {
    const asked: SmallRun = { play: { rounds: 1, episodesPerUpdate: 3 }, run: { parallel: 3 } };
    const whole = await trainSmall(asked);
    const expert = fetchExpert();
    const failing: typeof expert = {
      ...expert,
      label: (request) =>
        request.task.id === 'fetch/b' && request.history.turns.length === 2
          ? Promise.reject(new EmacError('unavailable', 'no answer'))
          : expert.label(request),
    };
    const small = await keeping({ ...asked, run: { ...asked.run, expert: failing } });
    await expect(small.train()).rejects.toMatchObject({ code: 'unavailable' });
    const [first, second, third] = small.kept.at(-1)!.state.current!.steps.map((steps) => steps.length);
    // the others had decided on their third step, and made it
    expect([first, second, third]).toEqual([3, 2, 3]);
    const rest = await goOn(asked, small.kept.at(-1)!);
    expect(rest.state).toEqual(whole.state);
    expect([...small.lines, ...rest.lines]).toEqual(whole.lines);
  });

  it('saves nothing of a group whose samples were not all stored, and resumes before it', async () => {
    const asked: SmallRun = { phase: 'dpo', play: { rounds: 1, episodesPerUpdate: 3 }, run: { parallel: 3 } };
    const whole = await trainSmall(asked);
    const small = await smallRun(asked);
    let stored = 0;
    const { learner } = small.run;
    const failing: typeof learner = {
      ...learner,
      store: (...given) =>
        ++stored === 2 ? Promise.reject(new Error('out of memory')) : learner.store(...given),
    };
    const kept: Kept[] = [];
    const checkpoint = (at: StoredCheckpoint) => {
      const transitions = small.held();
      const { lines, policy } = small;
      kept.push(structuredClone({ ...at, transitions, lines: lines.length, parameters: numbersOf(policy) }));
    };
    const stopped = dagger({ ...small.run, learner: failing, checkpoint });
    await expect(stopped).rejects.toThrow('out of memory');
    const rest = await goOn(asked, kept.at(-1)!);
    expect(rest.state).toEqual(whole.state);
    expect([...small.lines, ...rest.lines]).toEqual(whole.lines);
  });

  it('stops when asked, after a checkpoint', async () => {
    const controller = new AbortController();
    let checkpoints = 0;
    const checkpoint = () => {
      if (++checkpoints === 3) controller.abort();
    };
    const stopped = trainSmall({ checkpoint, run: { signal: controller.signal } });
    await expect(stopped).rejects.toMatchObject({ code: 'interrupted' });
    expect(checkpoints).toBe(3);
  });

  it.each(['fails', 'is interrupted'])('keeps the last episode if its reflection %s', async (how) => {
    const controller = new AbortController();
    const reflecting = () => {
      if (how === 'fails') return Promise.reject(new Error('no answer'));
      controller.abort();
      return Promise.resolve('a lesson');
    };
    const small = await keeping({
      optimization: { updatesPerEpisode: 0 },
      run: { reflect: reflecting, signal: controller.signal },
    });
    await expect(small.train()).rejects.toThrow();
    expect(small.kept.at(-1)!.state).toMatchObject({ round: 0, done: 3, episodes: 3, memories: [] });
  });

  it.each([true, false])('saves no moment twice, with skipSolved %j', async (skipSolved) => {
    const saved: string[] = [];
    await trainSmall({
      policy: knowing('a', 'b', 'c'),
      play: { skipSolved, rounds: 2 },
      optimization: { updatesPerEpisode: 1 },
      checkpoint: ({ state }) => saved.push(`${state.worldSteps + state.updates} in round ${state.round}`),
    });
    // 2 steps and 1 update for each task
    const first = ['0 in round 0', '3 in round 0', '6 in round 0', '9 in round 1'];
    const second = skipSolved ? ['9 in round 2'] : ['12 in round 1', '15 in round 1', '18 in round 2'];
    expect(saved).toEqual([...first, ...second]);
  });
});

describe('a state to resume from', () => {
  it('is refused by an environment that answers otherwise than before the interruption', async () => {
    const controller = new AbortController();
    const report = (event: ProgressEvent) => {
      if (event.kind === 'step') controller.abort();
    };
    const small = await keeping({ run: { signal: controller.signal, report } });
    await expect(small.train()).rejects.toMatchObject({ code: 'interrupted' });
    const last = small.kept.at(-1)!;
    const [[step]] = last.state.current!.steps as [[StoredStep]];
    last.state.current!.steps[0]![0] = { ...step, observation: 'something else' };
    await expect(goOn({}, last)).rejects.toMatchObject({ code: 'data' });
  });

  type StoredStep = NonNullable<StoredCheckpoint['state']['current']>['steps'][number][number];

  it('is refused if incomplete', async () => {
    const small = await keeping({ play: { rounds: 1 } });
    await small.train();
    const last = small.kept.at(-1)!;
    expect(Object.keys(last.state).length).toBeGreaterThan(15);
    for (const field of Object.keys(last.state)) {
      const state = Object.fromEntries(Object.entries(last.state).filter(([name]) => name !== field));
      await expect(goOn({}, { ...last, state: state as unknown as Kept['state'] })).rejects.toMatchObject({
        code: 'data',
      });
    }
  });

  it('is refused with another seed, phase or version, or another moment than the buffer', async () => {
    const small = await keeping({});
    await small.train();
    const last = small.kept.at(-1)!;
    await expect(goOn({ seed: 1 }, last)).rejects.toMatchObject({ code: 'data' });
    const none = { ...last, transitions: [] };
    await expect(goOn({ phase: 'dpo' }, none)).rejects.toMatchObject({ code: 'data' });
    const older = { ...last, state: { ...last.state, v: 1 as unknown as 2 } };
    await expect(goOn({}, older)).rejects.toThrow('version must be 2, got 1');
    await expect(goOn({}, none)).rejects.toThrow('got 0 samples in the buffer');
  });
});

it('a resumed episode repeats the events of its earlier steps', async () => {
  const asked: SmallRun = { play: { rounds: 1 } };
  const whole = await trainSmall(asked);
  const { kept } = await stoppedAt(asked, 2);
  const rest = await goOn(asked, kept.at(-1)!);
  // logs of episodes are written from these, from their first step on
  expect(told(rest.events, 'step')).toEqual(told(whole.events, 'step'));
  const lines: readonly MetricsLine[] = rest.lines;
  expect(lines).toEqual(whole.lines.slice(kept.at(-1)!.lines));
});
