import {
  Random,
  vectorOf,
  type ActorCritic,
  type Answer,
  type Prompt,
  type Question,
  LostEpisode,
} from '@emac/core';
import { blank, doors, doorsSpeech, type Doors, type DoorsOptions } from '@emac/testing';
import { describe, expect, it } from 'vitest';
import { textOf } from '../texts.ts';
import { collectSteps, type Collection } from './collect.ts';
import { heldOutSeed, trainingSeed } from './episode-seeds.ts';
import { collectSaid, sayingSteps, stateOf } from './said-steps.ts';
import { scoreEpisodes, type EpisodeWatcher } from './score-episodes.ts';
import { speechTexts } from './step-texts.ts';
import { steppedOf, taskNumber, type SteppedState } from './stepped.ts';
import { groupsOf } from './together.ts';

const texts = speechTexts(doorsSpeech, { encode: () => Promise.resolve(blank) });
const roomIn = (prompt: Prompt) => Number(/room (\d+)/.exec(textOf(prompt))![1]);

/** Walks on, often says no command, and values a room as its number plus batch-dependent last bits. */
const wandering: Pick<ActorCritic, 'act' | 'values' | 'decide'> = {
  act: async (questions, sampling) => ({
    answers: await wandering.decide(questions, sampling),
    values: await wandering.values(questions.map(({ prompt }) => prompt)),
  }),
  decide: async (questions) => questions.map(said),
  values: async (prompts) => Float32Array.from(prompts, (prompt) => roomIn(prompt) + prompts.length / 64),
};
function said({ prompt, random }: Question): Answer {
  const text = random!.uniform() < 0.3 ? 'hm' : ` open door ${roomIn(prompt) + 1}\n`;
  return { text, tokens: [1], logProbabilities: [-1], entropies: [1] };
}

const opened = (options: DoorsOptions & { readonly maxSteps?: number } = {}, house = doors(options)) => ({
  house,
  one: steppedOf(house, { tasks: house.tasks, maxSteps: options.maxSteps ?? null, id: 'doors' }),
});

async function collection(
  count: number,
  {
    house = doors(),
    more = {},
  }: { readonly house?: Doors; readonly more?: Partial<Collection<string>> } = {},
  places = Array.from({ length: count }, (_, place) => place),
): Promise<Collection<string>> {
  const random = Random.fromSeed('run');
  const vector = vectorOf(
    places.map(() => opened({ maxSteps: 6 }, house).one),
    { seedOf: (place, episode) => trainingSeed(random, places[place]!, episode) },
  );
  await vector.reset();
  return {
    actor: wandering,
    vector,
    texts,
    sampling: { kind: 'sample', temperature: 1, topP: 1 },
    steps: 12,
    randoms: places.map((place) => Random.fromSeed(place)),
    running: places.map(() => ({ return: 0, steps: 0 })),
    ...more,
  };
}

describe('a stepped environment of words', () => {
  it('plays the task given by half the seed, and exposes the episode so far', async () => {
    expect([0, 1, 2, 3, 4, 5, 6, 7].map((seed) => taskNumber(seed, 3))).toEqual([0, 0, 1, 1, 2, 2, 0, 0]);
    expect(taskNumber(2n ** 70n + 2n, 7)).toBe(Number((2n ** 69n + 1n) % 7n));
    const { one, house } = opened({ stuck: 0 });
    await one.reset(10);
    await one.reset(11);
    expect(house.begun.map(({ task, seed }) => [task, seed])).toEqual([
      ['doors/2', '10'],
      ['doors/2', '11'],
    ]);
    const initial = one.text();
    await one.step('wait');
    const { history, observation } = one.moment!();
    expect(history).toEqual({
      initial,
      turns: [{ command: 'wait', observation: `There is no such door. ${initial}` }],
    });
    expect([observation.text, one.text()]).toEqual(Array(2).fill(`There is no such door. ${initial}`));
    expect(observation.admissible!.length).toBeGreaterThan(0);
    expect(one.frame()).toMatchObject({ width: 1, height: 1 });
  });

  it('is truncated at its limit; a termination there is no truncation', async () => {
    const { one, house } = opened({ maxSteps: 2, stuck: 0, rooms: 2 });
    await one.reset(2);
    expect(await one.step('wait')).toMatchObject({ truncated: false });
    expect(await one.step('wait')).toMatchObject({ terminated: false, truncated: true });
    expect(house.open()).toBe(0);
    await expect(one.step('wait')).rejects.toMatchObject({ code: 'internal' });
    await one.reset(2);
    await one.step('wait');
    expect(await one.step('open door 1')).toMatchObject({ reward: 1, terminated: true, truncated: false });
  });

  it('restores an episode by replaying its actions', async () => {
    const { one } = opened();
    await one.reset(8);
    for (const command of ['wait', 'open door 1', 'open door 0']) await one.step(command);
    const state = JSON.parse(JSON.stringify(one.state())) as SteppedState;
    expect(state.commands).toEqual(['wait', 'open door 1', 'open door 0']);
    const again = opened();
    await again.one.restore(state);
    expect(again.one.state()).toEqual(one.state());
    expect(again.one.moment!()).toEqual(one.moment!());
    // the generator is where it was: the following draws are equal
    for (const command of ['open door 1', 'open door 2', 'open door 1'])
      expect(await again.one.step(command)).toEqual(await one.step(command));
    expect(again.house.begun).toHaveLength(1);
  });

  it('refuses to restore if actions lead elsewhere than before, or the task is missing', async () => {
    const { one } = opened({ stuck: 0 });
    await one.reset(8);
    for (const command of ['open door 1', 'open door 2', 'open door 1', 'open door 2'])
      await one.step(command);
    const stuck = opened({ stuck: 1 });
    await expect(stuck.one.restore(one.state())).rejects.toMatchObject({
      code: 'data',
      message: expect.stringMatching(
        /must give the same observations, got another one after \d of its 4 actions/,
      ) as string,
    });
    expect(stuck.house.open()).toBe(0);
    const untold = opened({ tells: false });
    await expect(untold.one.restore(one.state())).rejects.toThrow('got another one at its start');
    const fewer = opened({ tasks: 1 });
    await expect(fewer.one.restore(one.state())).rejects.toMatchObject({
      code: 'data',
      message: expect.stringContaining(
        'task doors/1, which is not among the 1 of this environment',
      ) as string,
    });
  });

  it('closes every episode: at its end, before the next, and on leaving', async () => {
    const { one, house } = opened({ maxSteps: 1 });
    await one.reset(0);
    expect(house.open()).toBe(1);
    await one.reset(2);
    expect(house.open()).toBe(1);
    await one.step('wait');
    expect(house.open()).toBe(0);
    await one.reset(4);
    await one.close!();
    await one.close!();
    expect(house.open()).toBe(0);
    const lost = opened({ loses: () => true });
    await lost.one.reset(0);
    await expect(lost.one.step('wait')).rejects.toMatchObject({ code: 'unavailable' });
    expect(lost.house.open()).toBe(0);
    expect(() => lost.one.text()).toThrow('reset it with a seed');
  });

  it('needs tasks and seeds', async () => {
    const house = doors();
    expect(() => steppedOf(house, { tasks: [], maxSteps: null })).toThrow(/no tasks to play/);
    await expect(opened().one.reset(null)).rejects.toThrow('every episode needs its own seed');
  });
});

describe('steps in an environment of words', () => {
  it('read the whole episode, cut segments across episodes, and value last observations', async () => {
    const asked = await collection(3);
    const steps = await collectSteps(asked);
    expect(textOf(steps.prompts[0]!)).toMatch(/^You are in room \d\. Steps: 0\.$/);
    expect(steps.finished.length).toBeGreaterThan(3);
    // a prompt's step count restarts after an episode's end
    const counts = steps.prompts.map((prompt) => Number(/Steps: (\d+)/.exec(textOf(prompt))![1]));
    const ended = (at: number) => steps.terminated[at] === 1 || steps.truncated[at] === 1;
    counts.slice(3).forEach((count, at) => expect(count).toBe(ended(at) ? 0 : counts[at]! + 1));
    const cut = [...steps.truncated.keys()].filter((at) => steps.truncated[at] === 1);
    expect(cut.length).toBeGreaterThan(0);
    // six steps, then the value of the room where it was truncated, up to a batch's last bits
    for (const at of cut) {
      expect(counts[at]).toBe(5);
      const room = Math.round(steps.finalValues[at]! - 0.1);
      expect(Math.abs(room - roomIn(steps.prompts[at]!))).toBeLessThanOrEqual(1);
    }
    expect(steps.running.some((each) => each.steps > 0)).toBe(true);
  });

  it('equal the whole in two halves, the second after a restore', async () => {
    const whole = await collectSteps(await collection(3));
    const first = await collection(3, { more: { steps: 5 } });
    const half = await collectSteps(first);
    const resumed = await collection(3, { more: { steps: 7 } });
    await resumed.vector.restore(first.vector.state());
    const rest = await collectSteps({ ...resumed, randoms: first.randoms, running: half.running });
    expect([...half.rewards, ...rest.rewards]).toEqual([...whole.rewards]);
    expect([...half.actions, ...rest.actions]).toEqual([...whole.actions]);
    expect([...half.finished, ...rest.finished]).toEqual(whole.finished);
  });

  it('draw an accepted command if the answer names none, or take the words if accepted commands are unknown', async () => {
    const steps = await collectSteps(await collection(3));
    const drawn = steps.actions.filter((_, at) => steps.readings[at]!.action === null);
    expect(drawn.length).toBeGreaterThan(3);
    for (const action of drawn) expect(action).toMatch(/^open door \d$/);
    const untold = await collectSteps(await collection(3, { house: doors({ tells: false }) }));
    const words = untold.readings.filter(({ action }) => action === 'hm');
    expect(words.length).toBeGreaterThan(3);
    // they are the policy's own
    expect(untold.readings.every(({ action }, at) => action === untold.actions[at])).toBe(true);
  });

  it('repeated from recorded answers equal those of one process', async () => {
    const here = await collection(4, { more: { together: 2 } });
    const whole = await collectSteps(here);
    const standing = (await collection(4)).vector.state();
    const said = await Promise.all(
      groupsOf(4, 2).map(async (group) => {
        const own = await collection(2, {}, [group.first, group.first + 1]);
        await own.vector.restore(stateOf(standing, group));
        return sayingSteps(own, JSON.stringify);
      }),
    );
    const there = await collection(4, { more: { together: 2 } });
    expect(await collectSaid(there, said, JSON.stringify)).toEqual(whole);
    expect(there.vector.state()).toEqual(here.vector.state());
  });
});

describe('scored episodes in an environment of words', () => {
  const scored = async (
    count: number,
    options: DoorsOptions = {},
    watch?: EpisodeWatcher<string>,
    lost?: (episode: number) => void,
  ) => {
    const house = doors(options);
    const environments = Array.from({ length: count }, () => opened({ maxSteps: 6 }, house).one);
    const scoring = {
      policy: wandering,
      environments,
      texts,
      sampling: { kind: 'sample', temperature: 1, topP: 1 },
      numbers: [...Array(9).keys()],
      random: Random.fromSeed('score'),
    } as const;
    const result = scoreEpisodes({ ...scoring, ...(watch && { watch }), ...(lost && { lost }) });
    return { house, result };
  };

  it('are the same for any number at once, on held-out seeds', async () => {
    const [one, many] = [await scored(1), await scored(4)];
    const alone = await one.result;
    expect(await many.result).toEqual(alone);
    expect(alone.some(({ fallbacks }) => fallbacks > 0)).toBe(true);
    expect(one.house.begun.map(({ seed }) => seed)).toEqual(
      alone.map((_, number) => String(heldOutSeed(number))),
    );
    expect([one.house.open(), many.house.open()]).toEqual([0, 0]);
  });

  it('wait for a watcher that replays an episode before the next begins', async () => {
    const begun = new Map<number, { readonly state: unknown; readonly actions: string[] }>();
    const ends: string[] = [];
    const again: string[] = [];
    const environmentOf = new Map<number, Parameters<EpisodeWatcher<string>['begun']>[1]>();
    const watch: EpisodeWatcher<string> = {
      begun: (number, environment) => {
        environmentOf.set(number, environment);
        begun.set(number, { state: environment.state(), actions: [] });
      },
      stepped: (number, { action, environment, outcome }) => {
        begun.get(number)!.actions.push(action);
        if (outcome.terminated || outcome.truncated) ends[number] = environment.text();
      },
      ended: async (number) => {
        const environment = environmentOf.get(number)!;
        const { state, actions } = begun.get(number)!;
        await environment.restore(state);
        for (const action of actions) await environment.step(action);
        again[number] = environment.text();
      },
    };
    const { result } = await scored(2, {}, watch);
    expect(await result).toEqual(await (await scored(3)).result);
    expect(ends).toHaveLength(9);
    expect(again).toEqual(ends);
  });

  it('are without an episode that the environment lost, which is not open any more', async () => {
    const lost: number[] = [];
    const options = { loses: (steps: number) => steps === 7 };
    const { house, result } = await scored(3, options, undefined, (episode) => lost.push(episode));
    expect(await result).toHaveLength(8);
    expect(lost).toHaveLength(1);
    expect(house.open()).toBe(0);
  });

  it('end at a lost episode that nobody takes', async () => {
    const { house, result } = await scored(3, { loses: () => true });
    await expect(result).rejects.toBeInstanceOf(LostEpisode);
    expect(house.open()).toBe(0);
  });
});
