import type { Turn } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { frozenLake } from './frozen-lake.ts';
import { frozenLakeKind } from './kind.ts';

const policy = { countPromptTokens: (text: string) => text.length };
const form = { maxTokens: 1000, observe: 'text', thoughts: true } as const;
const id = 'FrozenLake-v1/random-4/not-slippery';

describe('the kind of frozen lakes', () => {
  it('knows its ids without version, and no other', () => {
    for (const each of frozenLakeKind.ids) expect(frozenLakeKind.idOf(each)).toBe(each);
    expect(frozenLakeKind.idOf('FrozenLake')).toBe('FrozenLake-v1');
    for (const name of ['', 'frozen-lake', 'FrozenLake-v2']) expect(frozenLakeKind.idOf(name)).toBe(null);
  });

  it('asks, answers, plays and wins as the lake itself does', async () => {
    const opened = await frozenLakeKind.open(id, { maxSteps: null });
    const task = opened.tasks.heldOut.at(20);
    expect(task).toEqual({ id: `${id}/41`, type: id });
    const speech = opened.speech(policy, form);
    const episode = await opened.begin(task, '');
    const lake = frozenLake(id);
    lake.reset(41);
    const turns: Turn[] = [];
    let [observation, won] = [episode.first, false];
    while (!won) {
      expect(observation.text).toBe(lake.text());
      const history = { initial: '', turns: [...turns] };
      const label = await opened.player!.label({ task, history, memories: [], admissible: null });
      if (label.kind !== 'action') throw new Error(label.reason);
      const prompt = speech.prompt({ history, observation, memories: [] });
      expect(prompt.startsWith(`${lake.text()}\nYou cross a frozen lake`)).toBe(true);
      const target = speech.target(label.command, observation, label.thoughts);
      const answer = { text: target, tokens: [], logProbabilities: [] };
      expect(speech.read(answer, null).action).toBe(label.command);
      const step = await episode.step(label.command);
      expect(lake.step(lake.actions.indexOf(label.command)).reward).toBe(step.reward);
      turns.push({ command: label.command, observation: step.observation.text });
      [observation, won] = [step.observation, step.info.won];
      expect(turns.length).toBeLessThan(20);
    }
    expect(opened.hasGoal).toBe(true);
  });

  it('thinks about player, goal and holes, and concludes with a best action', () => {
    const world = frozenLakeKind.local('FrozenLake-v1/not-slippery');
    const lake = frozenLake(world.id);
    lake.reset(0);
    expect(world.words!.answer(lake, 2, { concludes: true, actionOnly: false })).toBe(
      '{"thoughts": "player 0 0, goal 3 3, holes 1 1, 1 3, 2 3, 3 0; down", "action": "right"}',
    );
    expect(world.judge!(lake, 2)()).toBe('useful');
    expect(world.judge!(lake, 0)()).toBe('useless');
  });

  it('names the chance of its ice, and refuses palettes', async () => {
    const prompt = frozenLakeKind.local('FrozenLake-v1').words!.prompt({ text: '', arrays: {} }, {});
    expect(prompt).toContain('with chance 0.333, else to one of the two sides');
    await expect(frozenLakeKind.open(id, { maxSteps: null, palette: 'blue' })).rejects.toMatchObject({
      code: 'usage',
    });
  });
});
