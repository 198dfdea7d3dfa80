/** Questions and rewards of both roles, trained by GRPO with scripted partners. */
import { Random, type GradientRow } from '@emac/core';
import { trueDescription, thingOf, agreement, type Listener, type Speaker } from '@emac/lewis';
import { grpoConfig, grpoSettingsOf } from '@emac/settings';
import { describe, expect, it } from 'vitest';
import { lewisTasks } from './lewis-tasks.ts';
import { listenerTasks } from './listener-tasks.ts';
import { speakerTasks } from './speaker-tasks.ts';
import { openLewisWorld, trainingGames } from './pictures.ts';
import type { LewisTasks } from './lewis-tasks.ts';

const config = grpoConfig({
  role: 'speaker',
  play: { updates: 1, promptsPerUpdate: 3, groupSize: 2 },
  losses: { beta: 0 },
});
const world = await openLewisWorld(config.game);
const games = trainingGames(world, config.game, Random.fromSeed(5)).slice(0, 3);

/** One update with the given answers, in turn: the samples with their rewards. */
async function rewarded(tasks: LewisTasks, answers: readonly string[]) {
  const samples: { solution: string; content: string; rewards: Readonly<Record<string, number>> }[] = [];
  let asked: readonly string[] = [];
  await tasks.train({
    settings: grpoSettingsOf(config, tasks.count),
    reference: null,
    policy: {
      encode: async () => ({ data: new Float32Array(1), key: '' }),
      countPromptTokens: () => 1,
      decide: async (questions) => {
        asked = questions.map(({ prompt }) =>
          prompt.flatMap((part) => (part.kind === 'text' ? part.text : [])).join(''),
        );
        return questions.map((_, place) => ({
          text: answers[place % answers.length]!,
          tokens: [1],
          logProbabilities: [-1],
        }));
      },
      groups: [],
      commit: () => undefined,
      gradient: async (rows: readonly GradientRow[]) => ({
        loss: 0,
        gradients: new Map(),
        logProbabilities: rows.map(() => [-1]),
      }),
    },
    random: Random.fromSeed(0),
    metrics: () => undefined,
    sample: ({ task, answer, rewards }) =>
      void samples.push({ solution: task.solution, content: answer.text, rewards }),
  });
  return { samples, asked };
}

const blind = async () => ({ data: new Float32Array(1), key: '' });

describe('tasks of a speaker', () => {
  it("are rewarded for the listener's choice, their form and their length", async () => {
    const calls: number[] = [];
    const listener: Listener = {
      identity: async () => 'agrees',
      score: async (items) => {
        calls.push(items.length);
        return items.map(({ candidates, question }) =>
          candidates.map((view) => agreement(question, thingOf(view))),
        );
      },
    };
    const tasks = speakerTasks({
      games,
      policy: { encode: blind },
      pictures: world.pictures,
      listener,
      rewards: config.rewards,
    });
    expect(tasks.count).toBe(3);
    const right = games.map(({ image }) => trueDescription(thingOf(image)));
    const { samples } = await rewarded(tasks, [...right, 'Nothing.']);
    // all listener's answers of the update were requested at once
    expect(calls).toEqual([6]);
    expect(samples).toHaveLength(6);
    for (const { content, rewards } of samples) {
      if (content === 'Nothing.') expect(rewards).toMatchObject({ format: 0, length: 0 });
      else expect(rewards).toMatchObject({ format: 1, length: 0.1 });
    }
    expect(new Set(samples.map(({ rewards }) => rewards['accuracy']))).toContain(1);
  });
});

describe('tasks of a listener', () => {
  const speaker: Speaker = {
    identity: async () => 'true',
    describe: async (items) => items.map(({ image }) => trueDescription(thingOf(image))),
  };
  const tasks = () =>
    listenerTasks({
      games,
      policy: { encode: blind },
      pictures: world.pictures,
      speaker,
      rewards: { verdict: 'weighted' },
      random: Random.fromSeed(1),
    });

  it("show the right picture and another one of every game, with the description of the game's own", async () => {
    expect(tasks().count).toBe(6);
    const yes = '```json\n{"Reasoning": "r", "Answer": "yes"}\n```';
    const { samples, asked } = await rewarded(tasks(), [yes, yes.replace('"yes"', '"no"'), 'yes']);
    expect(asked[0]).toContain('Output format:');
    for (const { content, solution, rewards } of samples) {
      if (content === 'yes') expect(rewards).toEqual({ weighted: 0, format: 0 });
      else {
        const said = content.includes('"yes"') ? 'yes' : 'no';
        const worth = said === solution ? 1 : said === 'yes' ? -1 : -0.3;
        expect(rewards).toEqual({ weighted: worth, format: 1 });
      }
    }
  });
});

describe('tasks of any kind', () => {
  it('are trained on as they are', async () => {
    const tasks = lewisTasks(
      { count: 3, at: () => ({ prompt: [{ kind: 'text', text: 'say a' }] as const, solution: 'a' }) },
      { right: ({ solution }, said) => Number(said === solution) },
    );
    const { samples } = await rewarded(tasks, ['a', 'b']);
    expect(samples.map(({ rewards }) => rewards['right'])).toEqual([1, 0, 1, 0, 1, 0]);
  });
});
