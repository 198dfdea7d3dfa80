/**
 * PPO with asynchronous environments whose actions are words that change at every step, and whose state cannot be
 * stored.
 */
import {
  parametersOf,
  Random,
  vectorOf,
  type ActorCritic,
  type ParameterSet,
  type Prompt,
  type Speech,
  type Steppable,
} from '@emac/core';
import {
  arrayTexts,
  sayingSteps,
  isSuccess,
  scoreEpisodes,
  type ScoredEpisode,
  speechTexts,
  steppedOf,
  textOf,
  trainingSeed,
  type SteppedState,
} from '@emac/rollout';
import { createSmallNetwork, mlp } from '@emac/small-networks';
import { blank, corridor, doors, doorsSpeech, type Doors, type DoorsOptions } from '@emac/testing';
import { alfworld, builtinGame, parseGame } from '@emac/world';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ppo } from '../ppo.ts';
import type { PpoCheckpoint, PpoLine, PpoRun, StepsElsewhere } from './ppo-run.ts';
import type { PpoSettings } from './ppo-settings.ts';
import { ppoPreset } from './presets.ts';

const { settings: standard } = ppoPreset('tiny');
const settingsOf = (environmentSteps: number, stepsPerUpdate = 16): PpoSettings => ({
  ...standard,
  play: { environmentSteps, stepsPerUpdate, temperature: 1, finalTemperature: 2 },
  optimization: { ...standard.optimization, passes: 2, minibatchSize: 32, learningRate: 0.01 },
});

interface Reader {
  /** how many numbers it makes of a text */
  readonly size: number;
  read(text: string): readonly number[];
  /** all it can say */
  readonly answers: readonly string[];
}

/** A small network that reads the words of a prompt as numbers. */
async function readingPolicy(
  { size, read, answers }: Reader,
  start: Random | ParameterSet = Random.fromSeed(1),
): Promise<ActorCritic> {
  const architecture = mlp({ inputs: [{ array: 'read', encode: 'numbers', size }], hidden: [16] });
  const network = await createSmallNetwork({ architecture, actions: answers, start });
  onTestFinished(() => network.dispose());
  const asArrays = <Row extends { readonly prompt: Prompt }>(rows: readonly Row[]): Row[] =>
    rows.map((row) => ({ ...row, prompt: arraysOf(row.prompt) }));
  const arraysOf = (prompt: Prompt): Prompt => {
    const data = Float32Array.from(read(textOf(prompt)));
    return [{ kind: 'array', name: 'read', values: { shape: [size], data } }];
  };
  return {
    ...network,
    encode: () => Promise.resolve(blank),
    act: (questions, sampling) => network.act(asArrays(questions), sampling),
    decide: (questions, sampling) => network.decide(asArrays(questions), sampling),
    values: (prompts) => network.values(prompts.map(arraysOf)),
    gradient: (rows, losses) => network.gradient(asArrays(rows), losses),
  };
}

const all = ({ groups }: ActorCritic): ParameterSet =>
  parametersOf({ groups: [...groups.policy, ...groups.value] });
const copied = (actorCritic: ActorCritic): ParameterSet =>
  new Map([...all(actorCritic)].map(([name, { shape, data }]) => [name, { shape, data: data.slice() }]));

interface Kept {
  readonly parameters: ParameterSet;
  readonly stored: PpoCheckpoint;
}

/** A run that keeps its lines and checkpoints as files would have them. */
function recorded<Action>(run: Omit<PpoRun<Action>, 'metrics' | 'checkpoint' | 'random'>) {
  const [lines, kept]: [PpoLine[], Kept[]] = [[], []];
  const whole: PpoRun<Action> = {
    ...run,
    random: Random.fromSeed(7),
    metrics: (line) => void lines.push(line),
    checkpoint: ({ state, ...rest }) => {
      const plain = JSON.parse(JSON.stringify(state)) as PpoCheckpoint['state'];
      kept.push({
        parameters: copied(run.actorCritic),
        stored: { ...structuredClone(rest), state: plain },
      });
    },
  };
  return { lines, kept, run: whole };
}

const doorsReader: Reader = {
  size: 5,
  read: (text) => {
    const room = Number(/room (\d)/.exec(text)![1]);
    return [0, 1, 2, 3, 4].map((each) => (each === room ? 1 : 0));
  },
  answers: [...[0, 1, 2, 3, 4].map((door) => `open door ${door}`), 'hm'],
};

/** In three places of one house, 6 steps at most. */
async function inDoors(
  options: DoorsOptions = {},
  { start, resume }: { start?: ParameterSet; resume?: PpoCheckpoint } = {},
) {
  const house: Doors = doors(options);
  const actorCritic = await readingPolicy(doorsReader, start);
  const environments = [0, 1, 2].map(() =>
    steppedOf(house, { tasks: house.tasks, maxSteps: 6, id: 'doors' }),
  );
  const texts = speechTexts(doorsSpeech, actorCritic);
  const made = recorded({
    settings: settingsOf(3 * 16 * 6),
    actorCritic,
    environments,
    texts,
    ...(resume && { resume }),
  });
  return { ...made, house, actorCritic, texts };
}

describe('PPO with asynchronous environments', () => {
  it('makes the same updates as with synchronous ones', async () => {
    const reader = await Promise.all(
      [0, 1].map(() => {
        const architecture = mlp({
          inputs: [{ array: 'cell', encode: 'one-hot', size: 1, categories: [5] }],
          hidden: [8],
        });
        return createSmallNetwork({ architecture, actions: ['left', 'right'], start: Random.fromSeed(1) });
      }),
    );
    onTestFinished(async () => void (await Promise.all(reader.map((each) => each.dispose()))));
    const slowly = (turns: number): Steppable => {
      const one = corridor({ slip: 0.1 });
      const later = async <T>(make: () => T): Promise<T> => {
        for (let turn = 0; turn < turns; turn++) await Promise.resolve();
        return make();
      };
      return {
        ...one,
        reset: (seed) => later(() => one.reset(seed)),
        step: (action) => later(() => one.step(action)),
        restore: (state) => later(() => one.restore(state as ReturnType<typeof one.state>)),
      };
    };
    const parts = { settings: settingsOf(4 * 16 * 5), texts: arrayTexts };
    const fast = recorded<number>({
      ...parts,
      actorCritic: reader[0]!,
      environments: [1, 2, 3, 4].map(() => corridor({ slip: 0.1 })),
    });
    const slow = recorded<number>({
      ...parts,
      actorCritic: reader[1]!,
      environments: [3, 1, 0, 2].map(slowly),
    });
    expect(await ppo(slow.run)).toEqual(await ppo(fast.run));
    expect(slow.lines).toEqual(fast.lines);
    expect(all(reader[1]!)).toEqual(all(reader[0]!));
  });
});

describe('PPO in an environment of words', () => {
  it('resumes from any checkpoint to the same bytes, restoring episodes by their actions', async () => {
    const whole = await inDoors();
    const state = await ppo(whole.run);
    expect(whole.house.open()).toBe(0);
    expect(whole.lines).toHaveLength(6);
    expect(whole.lines.every((line) => Number(line['fallback_share']) > 0)).toBe(true);
    for (const at of [0, 2, 5]) {
      const { parameters, stored } = whole.kept[at]!;
      const standing = stored.state.vector.environments as readonly SteppedState[];
      expect(standing.some(({ commands }) => commands.length > 0)).toBe(at > 0);
      const again = await inDoors({}, { start: parameters, resume: stored });
      expect(await ppo(again.run)).toEqual(state);
      expect(again.lines).toEqual(whole.lines.slice(at));
      expect(all(again.actorCritic)).toEqual(all(whole.actorCritic));
      // the first three episodes are the restored ones, replayed by their actions
      standing.forEach(({ task, seed, commands }) => {
        const found = again.house.begun.slice(0, 3).find((each) => each.seed === seed)!;
        expect([found.task, found.commands.slice(0, commands.length)]).toEqual([task, commands]);
      });
    }
  });

  it('plays tasks alike, by seeds of training alone', async () => {
    const { run, house } = await inDoors();
    await ppo(run);
    expect(house.begun.every(({ seed }) => BigInt(seed) % 2n === 0n)).toBe(true);
    expect(new Set(house.begun.map(({ task }) => task))).toEqual(new Set(house.tasks.map(({ id }) => id)));
    const first = trainingSeed(run.random, 0, 0);
    expect(house.begun[0]).toMatchObject({ seed: String(first), task: `doors/${(Number(first) / 2) % 3}` });
  });

  it('does not resume if the same actions lead elsewhere, and leaves no episode open', async () => {
    const { run, kept } = await inDoors();
    await ppo(run);
    const { parameters, stored } = kept[3]!;
    const other = await inDoors({ stuck: 1 }, { start: parameters, resume: stored });
    await expect(ppo(other.run)).rejects.toMatchObject({
      code: 'data',
      message: expect.stringContaining('must give the same observations, got another one') as string,
    });
    expect(other.house.open()).toBe(0);
    expect(other.lines).toEqual([]);
  });

  it('ends at the last checkpoint after a lost episode, and resumes there as if nothing had happened', async () => {
    const whole = await inDoors();
    const state = await ppo(whole.run);
    // in the middle of the third update of 48 steps
    const faulty = await inDoors({ loses: (steps) => steps === 2 * 48 + 20 });
    await expect(ppo(faulty.run)).rejects.toMatchObject({ code: 'unavailable', message: /house was closed/ });
    expect(faulty.house.open()).toBe(0);
    expect(faulty.lines).toEqual(whole.lines.slice(0, 2));
    const last = faulty.kept.at(-1)!;
    expect(last.stored.state.update).toBe(2);
    expect(all(faulty.actorCritic)).toEqual(last.parameters);
    const again = await inDoors({}, { start: last.parameters, resume: last.stored });
    expect(await ppo(again.run)).toEqual(state);
    expect(all(again.actorCritic)).toEqual(all(whole.actorCritic));
  });

  it.each([0, 1])('may be played by workers, with policies %s updates old', async (maxStaleness) => {
    const changed = ({ optimization, ...rest }: PpoSettings): PpoSettings => ({
      ...rest,
      play: { ...rest.play, together: 2 },
      optimization: { ...optimization, maxStaleness },
    });
    const here = await inDoors();
    const state = await ppo({ ...here.run, settings: changed(here.run.settings) });
    const there = await inDoors();
    const elsewhere: StepsElsewhere = {
      digest: JSON.stringify,
      play: async ({ parameters, steps, temperature, groups }, { put }) => {
        put();
        const acting = await inDoors({}, { start: parameters });
        return Promise.all(
          groups.map(async ({ first, state: standing, randoms }) => {
            const vector = vectorOf(acting.run.environments.slice(first, first + randoms.length), {
              seedOf: (place, episode) => trainingSeed(there.run.random, first + place, episode),
            });
            await vector.restore(standing);
            const said = await sayingSteps(
              {
                actor: acting.actorCritic,
                vector,
                texts: acting.texts,
                sampling: { kind: 'sample', temperature, topP: 1 },
                steps,
                randoms: randoms.map((path) => Random.fromSeed(path)),
                running: randoms.map(() => ({ return: 0, steps: 0 })),
              },
              JSON.stringify,
            );
            await vector.close();
            return said;
          }),
        );
      },
    };
    const { run, actorCritic, house } = there;
    expect(await ppo({ ...run, settings: changed(run.settings), elsewhere })).toEqual(state);
    expect(there.lines).toEqual(here.lines);
    expect(all(actorCritic)).toEqual(all(here.actorCritic));
    expect(house.open()).toBe(0);
  });
});

/** A prompt is the accepted commands, one a line; an answer is a command. */
const listing: Speech = {
  prompt: ({ observation }) => observation.admissible!.join('\n'),
  target: (action) => action,
  read: ({ text }) => ({ action: text, actionStart: 0 }),
};

describe('PPO in ALFWorld', () => {
  it('learns to win games in text, and resumes to the same bytes', async () => {
    const files = [5, 8].map((number) => builtinGame('train', number));
    const games = files.map(({ id, file }) => parseGame(file, { id }));
    const answers = files.flatMap(({ file }) => file.walkthrough);
    const reader: Reader = {
      size: answers.length,
      read: (text) => {
        const accepted = new Set(text.split('\n'));
        return answers.map((answer) => (accepted.has(answer) ? 1 : 0));
      },
      answers,
    };
    const world = alfworld(games);
    const environments = (count: number) =>
      Array.from({ length: count }, () =>
        steppedOf(world, { tasks: world.tasks, maxSteps: 30, id: 'alfworld' }),
      );
    const begun = async (from: Partial<Kept> = {}) => {
      const actorCritic = await readingPolicy(reader, from.parameters);
      const own = settingsOf(8 * 32 * 12, 32);
      const texts = speechTexts(listing, actorCritic);
      return {
        texts,
        actorCritic,
        ...recorded({
          settings: { ...own, optimization: { ...own.optimization, passes: 6, learningRate: 0.02 } },
          actorCritic,
          environments: environments(8),
          texts,
          ...(from.stored && { resume: from.stored }),
        }),
      };
    };
    const { run, lines, kept, actorCritic, texts } = await begun();
    const score = async () => {
      const scored = await scoreEpisodes({
        policy: actorCritic,
        environments: environments(4),
        texts,
        sampling: { kind: 'sample', temperature: 1, topP: 1 },
        numbers: [...Array(20).keys()],
        random: Random.fromSeed('score'),
      });
      const mean = (of: (each: ScoredEpisode) => number) =>
        scored.reduce((sum, each) => sum + of(each), 0) / 20;
      return { success: mean((each) => Number(isSuccess(each))), meanSteps: mean(({ steps }) => steps) };
    };
    const before = await score();
    const state = await ppo(run);
    const after = await score();
    // a policy that says any of eight commands wins some of the time
    expect(before.success).toBeLessThan(0.5);
    expect(after.meanSteps).toBeLessThan(before.meanSteps);
    expect(after.success).toBeGreaterThan(0.7);
    const again = await begun(kept[9]!);
    expect(await ppo(again.run)).toEqual(state);
    expect(again.lines).toEqual(lines.slice(9));
    expect(all(again.actorCritic)).toEqual(all(actorCritic));
  });
});
