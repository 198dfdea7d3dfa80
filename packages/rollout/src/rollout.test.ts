import { EmacError, Random, type Expert, type Frame, type Observation } from '@emac/core';
import { bagOfWords, fetchExpert, fetching, taskIds } from '@emac/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MadeStep, Rollout, RolloutEvent } from './attempt.ts';
import { rollout } from './rollout.ts';
import { answering, attemptsAt, fetchesA, setup } from './setups.test.support.ts';
import { textOf } from './texts.ts';

const actionsOf = (trajectories: Awaited<ReturnType<typeof rollout>>) =>
  trajectories.map(({ steps }) => steps.map(({ action }) => action));

describe('a trajectory', () => {
  it('holds observations, prompts, answers, labels, actions and rewards', async () => {
    const [trajectory] = await rollout(setup({ expert: fetchExpert() }), attemptsAt(['fetch/a']));
    expect(trajectory).toMatchObject({ task: { id: 'fetch/a' }, won: true, end: 'terminated' });
    const [first, second] = trajectory!.steps;
    expect(first).toMatchObject({
      observation: { text: 'want-a' },
      answer: { text: 'go a', tokens: [1, 2], logProbabilities: [-0.5, -0.25] },
      own: 'go a',
      label: { kind: 'action', command: 'go a' },
      action: 'go a',
      actor: 'policy',
      result: { observation: { text: 'at-a' }, reward: 0, terminated: false },
    });
    expect(textOf(second!.prompt!)).toBe('want-a at-a');
    expect(second!.result).toMatchObject({ reward: 1, terminated: true, info: { won: true } });
  });

  it('asks the policy to stop its answers at the stop texts', async () => {
    const stopsOf = async (texts: Rollout['texts']) => {
      const { policy, batches } = answering(fetchesA);
      await rollout(setup({ policy, texts }), attemptsAt(['fetch/a']));
      return batches.flat().map(({ stop }) => stop);
    };
    const { texts } = setup();
    expect(await stopsOf(texts)).toEqual([undefined, undefined]);
    expect(await stopsOf({ ...texts, stop: ['\n'] })).toEqual([['\n'], ['\n']]);
  });

  it('ends at the step limit, and on repetition if asked', async () => {
    const [failed] = await rollout(setup(), attemptsAt(['fetch/b']));
    expect([failed!.steps.length, failed!.end, failed!.won]).toEqual([4, 'truncated', false]);
    const circles = setup({ policy: answering(() => 'go c').policy, stopRepeating: true });
    const [repeated] = await rollout(circles, attemptsAt(['fetch/b']));
    expect([repeated!.steps.length, repeated!.end]).toEqual([2, 'repeated']);
  });

  it('shows every picture of an observation to the policy, in order', async () => {
    const frame = (value: number) => ({ width: 1, height: 1, data: Uint8Array.of(value, 0, 0) });
    const inner = fetching(['fetch/a']);
    const frames = [frame(1), frame(2)];
    const environment = {
      ...inner,
      begin: async (...asked: Parameters<typeof inner.begin>) => {
        const episode = await inner.begin(...asked);
        return { ...episode, first: { ...episode.first, frames } satisfies Observation };
      },
    };
    const { policy } = answering(fetchesA);
    const seeing = {
      ...policy,
      encode: ({ data }: Frame) => Promise.resolve({ key: `picture ${data[0]}`, data: new Float32Array(1) }),
    };
    const [trajectory] = await rollout(setup({ environment, policy: seeing }), attemptsAt(['fetch/a']));
    const keysOf = (index: number) =>
      trajectory!.steps[index]!.prompt!.map((part) =>
        part.kind === 'image' ? part.features.key : part.kind,
      );
    expect(keysOf(0)).toEqual(['picture 1', 'picture 2', 'text']);
    // without pictures one black pixel
    expect(keysOf(1)).toEqual(['picture 0', 'text']);
  });
});

describe('an answer that names no action', () => {
  const reading = {
    ...setup().texts,
    read: ({ text }: { readonly text: string }) => ({
      action: text.startsWith('go') ? text : null,
      actionStart: 0,
    }),
  };
  const { policy } = answering(() => ' dance ');

  it('reaches the environment verbatim, and the step records that it named none', async () => {
    const parts = setup({ policy, texts: reading, maxSteps: 1 });
    const [trajectory] = await rollout(parts, attemptsAt(['fetch/a']));
    expect(trajectory!.steps).toMatchObject([{ own: null, action: 'dance', actor: 'policy' }]);
  });

  it('leaves the step to the expert when the expert acts', async () => {
    const parts = setup({ policy, texts: reading, expert: fetchExpert(), maxSteps: 1 });
    const [trajectory] = await rollout(parts, attemptsAt(['fetch/a'], { expertShare: 1 }));
    expect(trajectory!.steps).toMatchObject([{ own: null, action: 'go a', actor: 'expert' }]);
  });
});

describe('the actor', () => {
  it("is the expert with the attempt's probability, one draw per step", async () => {
    const expert: Expert = { label: () => Promise.resolve({ kind: 'action', command: 'look' }) };
    const acted = async (expertShare: number) => {
      const parts = setup({ expert, maxSteps: 400, policy: answering(() => 'go b').policy });
      const [{ steps } = { steps: [] }] = await rollout(parts, attemptsAt(['fetch/a'], { expertShare }));
      for (const { action, actor } of steps) expect(actor).toBe(action === 'look' ? 'expert' : 'policy');
      return steps.filter(({ actor }) => actor === 'expert').length / steps.length;
    };
    expect([await acted(0), await acted(1)]).toEqual([0, 1]);
    // five standard deviations of 400 fair draws
    expect(Math.abs((await acted(0.5)) - 0.5)).toBeLessThan(5 * Math.sqrt(0.25 / 400));
  });

  it('is the policy if the label is unusable; null if the policy was not asked', async () => {
    const expert: Expert = { label: () => Promise.resolve({ kind: 'unusable', reason: 'lost' }) };
    const attempts = () => attemptsAt(['fetch/a'], { expertShare: 1 });
    const [asked] = await rollout(setup({ expert }), attempts());
    expect(asked!.steps.map(({ actor }) => actor)).toEqual(['policy', 'policy']);
    const { policy, batches } = answering(fetchesA);
    const [silent] = await rollout(setup({ expert, policy, asksPolicy: false }), attempts());
    expect([silent!.end, silent!.steps, batches]).toEqual(['unlabelled', [], []]);
  });
});

describe('random actions', () => {
  const expert: Expert = { label: () => Promise.resolve({ kind: 'action', command: 'look' }) };
  const acted = async (randomActions: number) => {
    const whole = setup({ expert, maxSteps: 20, asksPolicy: false, randomActions, parallel: 40 });
    const ids = Array.from({ length: 40 }, () => 'fetch/a');
    const attempts = attemptsAt(ids, { expertShare: 1 }).map((attempt, number) => ({
      ...attempt,
      random: attempt.random.stream(number),
    }));
    return (await rollout(whole, attempts)).flatMap(({ steps }) => steps);
  };
  const isRandom = ({ action }: { readonly action: string }) => action !== 'look';

  it('are commands the environment accepts, in their share of the steps; labels stay the expert’s', async () => {
    const steps = await acted(0.5);
    for (const { action, observation, label } of steps) {
      if (action !== 'look') expect(observation.admissible).toContain(action);
      expect(label).toEqual({ kind: 'action', command: 'look' });
    }
    // five standard deviations of so many fair draws
    const share = steps.filter(isRandom).length / steps.length;
    expect(Math.abs(share - 0.5)).toBeLessThan(5 * Math.sqrt(0.25 / steps.length));
  });

  it('are absent at share 0, and the same again from the same generator', async () => {
    expect((await acted(0)).filter(isRandom)).toEqual([]);
    const actions = async () => (await acted(0.5)).map(({ action }) => action);
    expect(await actions()).toEqual(await actions());
  });
});

describe('concurrent episodes', () => {
  it('decide in one batch, and a finished episode makes room for the next', async () => {
    const { policy, batches } = answering(fetchesA);
    const trajectories = await rollout(setup({ policy, parallel: 2 }), attemptsAt(taskIds));
    expect(actionsOf(trajectories).map(({ length }) => length)).toEqual([2, 4, 4]);
    // a is won after two steps in parallel with b, then c runs in parallel with the rest of b
    expect(batches.map(({ length }) => length)).toEqual([2, 2, 2, 2, 1, 1]);
  });

  it('decide in two groups from four on, and neither group waits for the other', async () => {
    // the first group is answered only after the second has asked, and so on
    let release = (): void => {};
    let batches = 0;
    const { policy } = answering(fetchesA);
    const turns: Rollout['policy'] = {
      ...policy,
      decide: async (questions, sampling) => {
        release();
        if (++batches <= 4) await new Promise<void>((resolve) => (release = resolve));
        return policy.decide(questions, sampling);
      },
    };
    const ids = [...taskIds, ...taskIds].slice(0, 5);
    const played = await rollout(setup({ policy: turns, parallel: 5 }), attemptsAt(ids));
    expect(played).toEqual(await rollout(setup(), attemptsAt(ids)));
    const sizes = answering(fetchesA);
    await rollout(setup({ policy: sizes.policy, parallel: 5, maxSteps: 1 }), attemptsAt(ids));
    expect(sizes.batches.map(({ length }) => length)).toEqual([3, 2]);
  });

  it('do not change results, whatever their number and actors', () =>
    fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 5 }),
        fc.constantFrom(0, 0.5, 1),
        fc.nat(),
        async (parallel, expertShare, seed) => {
          const played = async (count: number) => {
            const policy = bagOfWords(Random.fromSeed(seed));
            const parts = { policy, parallel: count, expert: fetchExpert(), maxSteps: 6 };
            return rollout(setup(parts), attemptsAt([...taskIds, ...taskIds], { expertShare }));
          };
          expect(await played(parallel)).toEqual(await played(1));
        },
      ),
      { numRuns: 30 },
    ));

  it('stop at the first fault, which is thrown', async () => {
    const answers = answering(async (text) => {
      if (text.startsWith('want-b')) throw new EmacError('unavailable', 'no answer');
      return fetchesA(text);
    });
    const made: MadeStep[] = [];
    const stopped = rollout(setup({ policy: answers.policy, parallel: 3 }), attemptsAt(taskIds, { made }));
    await expect(stopped).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('throw the first fault, not the interruptions it caused', async () => {
    const expert: Expert = {
      label: ({ task, history }) =>
        task.id === 'fetch/c' && history.turns.length === 1
          ? Promise.reject(new EmacError('interrupted', 'the budget is spent'))
          : Promise.resolve({ kind: 'action', command: 'look' }),
    };
    const stopped = rollout(setup({ expert, parallel: 3 }), attemptsAt(taskIds));
    await expect(stopped).rejects.toThrow('the budget is spent');
  });

  it("finish running work before an expert's fault is thrown", async () => {
    let underWay = 0;
    let release = (): void => {};
    const { policy } = answering(async () => {
      underWay++;
      await new Promise<void>((resolve) => (release = resolve));
      underWay--;
      return 'go a';
    });
    const expert: Expert = {
      label: () => {
        setImmediate(() => release());
        return Promise.reject(new EmacError('unavailable', 'budget'));
      },
    };
    await expect(rollout(setup({ policy, expert }), attemptsAt(['fetch/a']))).rejects.toMatchObject({
      code: 'unavailable',
    });
    expect(underWay).toBe(0);
  });
});

describe('an interruption', () => {
  it('keeps the steps made, and replaying them gives the same trajectory', async () => {
    const whole = await rollout(setup({ expert: fetchExpert() }), attemptsAt(taskIds));
    for (let steps = 0; steps < 10; steps++) {
      const controller = new AbortController();
      let told = 0;
      const attempts = attemptsAt(taskIds);
      const report = (event: RolloutEvent): void => {
        if (event.kind === 'step' && told++ === steps) controller.abort();
      };
      const stopped = rollout(
        setup({ expert: fetchExpert(), parallel: 3, report, signal: controller.signal }),
        attempts,
      );
      if (steps >= 8) await stopped.catch(() => {});
      else await expect(stopped).rejects.toMatchObject({ code: 'interrupted' });
      // as read from a file
      const kept = JSON.parse(JSON.stringify(attempts.map(({ made }) => made))) as MadeStep[][];
      const before = kept.flat().length;
      const { policy, batches } = answering(fetchesA);
      const again = attemptsAt(taskIds).map((attempt, place) => ({ ...attempt, made: kept[place]! }));
      expect(await rollout(setup({ policy, expert: fetchExpert() }), again)).toEqual(whole);
      const asked = batches.reduce((sum, { length }) => sum + length, 0);
      expect(asked).toBe(10 - before);
    }
  });

  it('is refused by an environment that answers differently than before', async () => {
    const made: MadeStep[] = [{ answer: null, label: null, action: 'go a', observation: 'elsewhere' }];
    await expect(rollout(setup(), attemptsAt(['fetch/a'], { made }))).rejects.toMatchObject({ code: 'data' });
  });
});
