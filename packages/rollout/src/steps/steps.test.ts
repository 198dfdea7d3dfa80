import {
  EmacError,
  Random,
  seenOf,
  vectorOf,
  type ActorCritic,
  type Answer,
  type Prompt,
  type StepEnvironment,
  type Steppable,
} from '@emac/core';
import { corridor } from '@emac/testing';
import { describe, expect, it } from 'vitest';
import { collectSteps, type Collection, type StepRater } from './collect.ts';
import { heldOutSeed, trainingSeed } from './episode-seeds.ts';
import { isSuccess, scoreEpisodes } from './score-episodes.ts';
import { arrayTexts, drawnAction, pixelTexts, type StepTexts } from './step-texts.ts';

const cellOf = (prompt: Prompt): number => {
  const [part] = prompt;
  if (part?.kind !== 'array') throw new EmacError('internal', 'the prompt has no cell');
  return part.values.data[0]!;
};

/** Goes right with probability ½, and values a cell as its number. */
const rightward: Pick<ActorCritic, 'act' | 'values' | 'decide'> = {
  act: async (questions) => ({
    answers: questions.map(() => said(1)),
    values: await rightward.values(questions.map(({ prompt }) => prompt)),
  }),
  decide: (questions) => Promise.resolve(questions.map(() => said(1))),
  values: (prompts) => Promise.resolve(Float32Array.from(prompts, cellOf)),
};
const said = (action: number): Answer => ({
  text: 'right',
  tokens: [action],
  logProbabilities: [-Math.LN2],
  entropies: [Math.LN2],
});

/** Two corridors of five cells; episodes always begin at cells 0 and 2. */
function collection(more: Partial<Collection> & { readonly limit?: number } = {}): Collection {
  const starts = [0, 2];
  const environments = starts.map((start) => {
    const one = corridor({ limit: more.limit ?? 12 });
    return {
      ...one,
      reset: (seed: number | bigint | null) => {
        const info = one.reset(seed);
        one.restore({ ...one.state(), cell: start });
        return info;
      },
    };
  });
  const vector = vectorOf(environments, { seedOf: (place) => place });
  vector.reset();
  return {
    actor: rightward,
    vector,
    texts: arrayTexts,
    sampling: { kind: 'sample', temperature: 1, topP: 1 },
    steps: 5,
    randoms: starts.map((place) => Random.fromSeed(place)),
    running: starts.map(() => ({ return: 0, steps: 0 })),
    ...more,
  };
}

describe('collected steps', () => {
  it('hold prompts, answers, values and rewards, step by step', async () => {
    const steps = await collectSteps(collection());
    // the first walks 0 1 2 3 → goal, 0; the second 2 3 → goal, 2 3 → goal, 2
    expect(steps.prompts.map(cellOf)).toEqual([0, 2, 1, 3, 2, 2, 3, 3, 0, 2]);
    expect([...steps.values]).toEqual([0, 2, 1, 3, 2, 2, 3, 3, 0, 2]);
    expect([...steps.rewards]).toEqual([0, 0, 0, 1, 0, 0, 1, 1, 0, 0]);
    expect([...steps.terminated]).toEqual([0, 0, 0, 1, 0, 0, 1, 1, 0, 0]);
    expect([...steps.truncated].every((flag) => flag === 0)).toBe(true);
    expect([...steps.nextValues]).toEqual([1, 3]);
    expect(steps.finished).toEqual([
      { place: 1, return: 1, steps: 2, truncated: false },
      { place: 0, return: 1, steps: 4, truncated: false },
      { place: 1, return: 1, steps: 2, truncated: false },
    ]);
    expect(steps.running).toEqual([
      { return: 0, steps: 1 },
      { return: 0, steps: 1 },
    ]);
    expect(steps.answers).toHaveLength(10);
    expect(steps.actions).toEqual(Array<number>(10).fill(1));
  });

  it('distinguish truncation from termination, and value the last observation', async () => {
    const steps = await collectSteps(collection({ limit: 2 }));
    // the first is truncated in cell 2 after every second step; the second reaches its goal at the limit: termination
    expect([...steps.truncated]).toEqual([0, 0, 1, 0, 0, 0, 1, 0, 0, 0]);
    expect([...steps.terminated]).toEqual([0, 0, 0, 1, 0, 0, 0, 1, 0, 0]);
    expect([steps.finalValues[2], steps.finalValues[6]]).toEqual([2, 2]);
    expect(steps.finished.map(({ truncated }) => truncated)).toEqual([true, false, true, false]);
  });

  it('continue running episodes: two halves equal the whole', async () => {
    const whole = await collectSteps(collection({ steps: 4 }));
    const first = collection({ steps: 2 });
    const half = await collectSteps(first);
    const rest = await collectSteps({ ...first, running: half.running });
    expect([...half.rewards, ...rest.rewards]).toEqual([...whole.rewards]);
    expect([...half.finished, ...rest.finished]).toEqual(whole.finished);
  });

  it("learn from a penalty that the episode's return does not show", async () => {
    // every answer reads as a step to the right, with penalty −0.5
    const texts: StepTexts = { ...arrayTexts, read: () => ({ action: 1, actionStart: 0, penalty: -0.5 }) };
    const steps = await collectSteps(collection({ texts }));
    expect([...steps.rewards]).toEqual([-0.5, -0.5, -0.5, 0.5, -0.5, -0.5, 0.5, 0.5, -0.5, -0.5]);
    expect(steps.finished.map((episode) => episode.return)).toEqual([1, 1, 1]);
  });

  it('may have actions that are not numbers', async () => {
    const taken: (readonly number[])[] = [];
    // moves by the first number of two
    const driven = (): StepEnvironment<unknown, readonly number[]> => {
      const one = corridor();
      return {
        ...one,
        actions: [],
        step: (action) => (taken.push(action), one.step(action[0]! > 0 ? 1 : 0)),
      };
    };
    const vector = vectorOf([driven()], { seedOf: () => 0 });
    vector.reset();
    const texts: StepTexts<readonly number[]> = {
      frames: false,
      prompt: (seen) => arrayTexts.prompt(seen),
      read: () => ({ action: [0.5, -1], actionStart: 0 }),
    };
    const { actor, sampling } = collection();
    const steps = await collectSteps({
      actor,
      sampling,
      vector,
      texts,
      steps: 2,
      randoms: [Random.fromSeed(0)],
      running: [{ return: 0, steps: 0 }],
    });
    expect(steps.actions).toEqual([
      [0.5, -1],
      [0.5, -1],
    ]);
    expect(taken).toEqual(steps.actions);
    expect(() => drawnAction(driven(), texts, Random.fromSeed(0))).toThrow(/no actions to draw from/);
  });

  it('take and mark a random action if an answer names none', async () => {
    const texts: StepTexts = { ...arrayTexts, read: () => ({ action: null, actionStart: 0 }) };
    const randoms = [Random.fromSeed(3), Random.fromSeed(4)];
    const expected = Random.fromSeed(3);
    const steps = await collectSteps(collection({ texts, randoms, steps: 1 }));
    const next = expected.integer(2) === 1 ? 1 : 0;
    expect(steps.nextValues[0]).toBe(next);
    expect(steps.actions[0]).toBe(next);
    expect(steps.readings.every(({ action }) => action === null)).toBe(true);
    // the offered action alone: to the right
    const offering = { ...texts, offered: [1] };
    const right = await collectSteps(collection({ texts: offering, steps: 3 }));
    expect(right.prompts.map(cellOf)).toEqual([0, 2, 1, 3, 2, 2]);
  });

  it("are rated by the states before and after them, except at an episode's end", async () => {
    const cellIn = (environment: Steppable) => environment.observe()['cell']!.data[0]!;
    const rate: StepRater = (environment, action) => {
      const before = cellIn(environment);
      return () => Promise.resolve(100 * action + 10 * before + cellIn(environment));
    };
    const steps = await collectSteps(collection({ rate, steps: 3 }));
    // 0 → 1 and 2 → 3, 1 → 2 and the goal, 2 → 3 and again 2 → 3
    expect(steps.ratings).toEqual([101, 123, 112, null, 123, 123]);
    expect((await collectSteps(collection({ steps: 1 }))).ratings).toEqual([null, null]);
  });

  it('wait for slow prompts, such as encoded pictures', async () => {
    const texts: StepTexts = { ...arrayTexts, prompt: (seen) => Promise.resolve(arrayTexts.prompt(seen)) };
    const slow = await collectSteps(collection({ texts }));
    expect([...slow.values]).toEqual([...(await collectSteps(collection())).values]);
  });
});

describe('seeds', () => {
  it('are distinct by environment and episode, equal for equal names, and never those of evaluation', () => {
    const random = Random.fromSeed('run');
    const training = [0, 1, 2].flatMap((place) => [0, 1, 2].map((n) => trainingSeed(random, place, n)));
    const heldOut = [0, 1, 2].map((n) => heldOutSeed(n));
    expect(new Set([...training, ...heldOut]).size).toBe(12);
    expect(training.every((seed) => Number(seed) % 2 === 0)).toBe(true);
    expect(heldOut.every((seed) => Number(seed) % 2 === 1 && Number.isSafeInteger(seed))).toBe(true);
    expect(trainingSeed(Random.fromSeed('run'), 1, 2)).toBe(training[5]);
  });
});

describe('scored episodes', () => {
  const scoring = {
    policy: rightward,
    texts: arrayTexts,
    sampling: { kind: 'search', beams: 1 },
    random: Random.fromSeed('score'),
  } as const;

  it('are the same for any number at once', async () => {
    const of = (count: number) =>
      scoreEpisodes({
        ...scoring,
        environments: Array.from({ length: count }, () => corridor({ slip: 0.3 })),
        numbers: [...Array(17).keys()],
      });
    const [one, many] = [await of(1), await of(30)];
    expect(one).toHaveLength(17);
    expect(many).toEqual(one);
    expect(new Set(one.map(({ steps }) => steps)).size).toBeGreaterThan(2);
  });

  it('are the same one by one', async () => {
    const environments = [corridor({ slip: 0.3 }), corridor({ slip: 0.3 })];
    const of = (...numbers: number[]) => scoreEpisodes({ ...scoring, environments, numbers });
    const whole = await of(0, 1, 2, 3, 4);
    expect([await of(3), await of(4, 1)]).toEqual([[whole[3]], [whole[4], whole[1]]]);
  });

  it('count returns above 0, truncations and fallback actions', async () => {
    const texts: StepTexts = { ...arrayTexts, read: () => ({ action: null, actionStart: 0 }) };
    const found = await scoreEpisodes({
      ...scoring,
      texts,
      environments: [corridor({ limit: 3 }), corridor({ limit: 3 })],
      numbers: [...Array(40).keys()],
    });
    const won = found.filter(isSuccess);
    expect(won.length).toBeGreaterThan(0);
    expect(won.length).toBeLessThan(40);
    for (const each of won) expect(each.return).toBe(1);
    for (const { steps, fallbacks, truncated, return: sum } of found) {
      expect(fallbacks).toBe(steps);
      if (truncated) expect([steps, sum]).toEqual([3, 0]);
    }
  });
});

describe('an evaluation whose signal fires', () => {
  it('ends before the next step, after reporting each finished episode', async () => {
    const stop = new AbortController();
    const counts = { ended: 0, asked: 0, askedAtStop: 0 };
    const scoring = {
      policy: {
        decide: (...asked: Parameters<typeof rightward.decide>) => {
          counts.asked++;
          return rightward.decide(...asked);
        },
      },
      environments: [corridor()],
      texts: arrayTexts,
      sampling: { kind: 'search', beams: 1 },
      numbers: [...Array(9).keys()],
      random: Random.fromSeed('score'),
      ended: () => {
        if (++counts.ended < 2) return;
        stop.abort();
        counts.askedAtStop = counts.asked;
      },
      signal: stop.signal,
    } as const;
    await expect(scoreEpisodes(scoring)).rejects.toMatchObject({ code: 'interrupted' });
    // each of two episodes takes a step at least
    expect(counts.asked).toBeGreaterThanOrEqual(2);
    expect(counts).toEqual({ ended: 2, asked: counts.askedAtStop, askedAtStop: counts.askedAtStop });
    await expect(scoreEpisodes(scoring)).rejects.toMatchObject({ code: 'interrupted' });
    expect(counts.asked).toBe(counts.askedAtStop);
  });
});

describe('texts for policies over arrays', () => {
  it('hold arrays or pixels of the observation', async () => {
    const environment = corridor();
    environment.reset(2);
    const seen = seenOf(environment, pixelTexts);
    expect(await arrayTexts.prompt(seen)).toEqual([
      { kind: 'array', name: 'cell', values: environment.observe()['cell'] },
    ]);
    expect(await pixelTexts.prompt(seen)).toEqual([
      { kind: 'array', name: 'frame', values: { shape: [1, 5, 3], data: environment.frame().data } },
    ]);
    expect(seenOf(environment, arrayTexts).frame).toBeNull();
  });
});
