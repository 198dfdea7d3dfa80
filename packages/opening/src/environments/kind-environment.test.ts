/** Environments of kinds, as training plays them. */
import type { OpenedKind, Step } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { builtinGame, parseGame } from '@emac/world';
import { alfworldKind, gamesKind } from './alfworld-kind.ts';
import { kindEnvironment, openKind, playerOf } from './kind-environment.ts';

const observation = { text: '', frames: [], admissible: null };
const task = { id: 'walk/0', type: 'walk' };
const text = { maxTokens: 1024, thoughts: false, observe: 'both' } as const;

/** Gives these rewards one after the other, and then ends; it has no goal. */
function walking(rewards: readonly number[]): OpenedKind {
  const step = (place: number): Step => ({
    observation,
    reward: rewards[place]!,
    terminated: place === rewards.length - 1,
    truncated: false,
    info: { won: false },
  });
  const source = { count: 1, at: () => task };
  return {
    id: 'walk',
    maxSteps: rewards.length,
    tasks: { training: source, heldOut: source },
    begin: async () => {
      let place = 0;
      return { task, first: observation, step: async () => step(place++), close: async () => {} };
    },
    speech: () => ({
      prompt: () => '',
      target: (action) => action,
      read: () => ({ action: null, actionStart: 0 }),
    }),
  };
}

async function verdicts(rewards: readonly number[]): Promise<boolean[]> {
  const episode = await kindEnvironment(walking(rewards), text).begin(task, '');
  const won: boolean[] = [];
  for (const _ of rewards) won.push((await episode.step('on')).info.won);
  return won;
}

describe('an environment without a goal', () => {
  it('is won at its end if its rewards sum to more than 0', async () => {
    expect(await verdicts([1, 1, -1])).toEqual([false, false, true]);
    expect(await verdicts([1, -1])).toEqual([false, false]);
  });

  it('refuses the hand-coded expert without a player', () => {
    expect(() => playerOf(walking([0]))).toThrow(
      'walk has no scripted player; give your own with --expert FILE',
    );
  });
});

describe("a robot's table for models of words", () => {
  it('is played to its end by the scripted player, from starts that training and evaluation do not share', async () => {
    const opened = await openKind({ env: 'tabletop/spatial/0', maxSteps: null }, null);
    const { training, heldOut } = opened.tasks;
    expect(training.at(0).id).not.toBe(heldOut.at(0).id);
    const start = heldOut.at(0);
    const episode = await kindEnvironment(opened, text).begin(start, '');
    const turns: { command: string; observation: string }[] = [];
    let step: Step | null = null;
    while (!step?.terminated && !step?.truncated) {
      const history = { initial: episode.first.text, turns };
      const label = await playerOf(opened).label({ task: start, history, memories: [], admissible: null });
      if (label.kind !== 'action') throw new Error(label.reason);
      step = await episode.step(label.command);
      turns.push({ command: label.command, observation: step.observation.text });
    }
    expect(step.info.won).toBe(true);
  });
});

describe('ALFWorld as a kind', () => {
  it('has training games, held-out ones, and a player', async () => {
    const opened = await alfworldKind.open('alfworld', { maxSteps: 3 });
    const { training, heldOut } = opened.tasks;
    expect(training.at(0).id).not.toBe(heldOut.at(0).id);
    expect(training.count).toBeGreaterThan(100);
    const episode = await opened.begin(heldOut.at(0), '');
    const history = { initial: episode.first.text, turns: [] };
    const { admissible } = episode.first;
    const label = await opened.player!.label({ task: episode.task, history, memories: [], admissible });
    expect(label).toMatchObject({ kind: 'action', command: expect.stringMatching(/^(go to|open|look)/) });
    expect(episode.first.frames).toHaveLength(1);
  });

  it.each([
    ['text', 0],
    ['image', 1],
    ['both', 1],
  ] as const)('shows a policy that observes %s %i pictures a step', async (observe, count) => {
    const { id, file } = builtinGame('train', 0);
    const kind = gamesKind([parseGame(JSON.stringify(file), { id })], 5);
    const environment = kindEnvironment(kind, { ...text, observe });
    const episode = await environment.begin(kind.tasks.heldOut.at(0), 'seed');
    const { observation } = await episode.step('look');
    expect([episode.first.frames.length, observation.frames.length]).toEqual([count, count]);
  });
});
