import type { Turn } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { miniGrid, miniGridAnswer, miniGridKind, miniGridPrompt } from './index.ts';

const policy = { countPromptTokens: (text: string) => text.length };
const form = { maxTokens: 1000, observe: 'both', thoughts: true } as const;
const id = 'MiniGrid-DoorKey-5x5-v0';

describe('the kind of grid worlds', () => {
  it('knows its ids without version, and no other', () => {
    expect(miniGridKind.idOf('MiniGrid-DoorKey-5x5')).toBe(id);
    for (const name of ['', 'MiniGrid-', 'DoorKey-5x5']) expect(miniGridKind.idOf(name)).toBe(null);
  });

  it('asks, answers, plays and wins as the level itself does', async () => {
    const opened = await miniGridKind.open(id, { maxSteps: null });
    const task = opened.tasks.heldOut.at(20);
    expect(task).toEqual({ id: `${id}/41`, type: id });
    const level = miniGrid(id);
    level.reset(41);
    const speech = opened.speech(policy, form);
    const episode = await opened.begin(task, '');
    const turns: Turn[] = [];
    let [observation, won] = [episode.first, false];
    while (!won) {
      const history = { initial: '', turns: [...turns] };
      const label = await opened.player!.label({ task, history, memories: [], admissible: null });
      if (label.kind !== 'action') throw new Error(label.reason);
      expect(speech.prompt({ history, observation, memories: [] })).toBe(miniGridPrompt(level));
      const action = level.actions.indexOf(label.command);
      expect(speech.target(label.command, observation, label.thoughts)).toBe(miniGridAnswer(level, action));
      const step = await episode.step(label.command);
      expect(level.step(action)).toMatchObject({ reward: step.reward, terminated: step.terminated });
      turns.push({ command: label.command, observation: step.observation.text });
      [observation, won] = [step.observation, step.info.won];
      expect(turns.length).toBeLessThan(30);
    }
  });

  it('draws under the palette and the size that it is opened with', async () => {
    const opened = await miniGridKind.open(id, { maxSteps: 7, palette: 'legacy-wrapped', frameSize: 8 });
    const task = opened.tasks.training.at(1);
    const level = miniGrid(id, { maxSteps: 7, palette: 'legacy-wrapped', tileSize: 8 });
    level.reset(2);
    expect((await opened.begin(task, '')).first.frames).toEqual([level.frame()]);
    await expect(miniGridKind.open(id, { maxSteps: null, palette: 'blue' })).rejects.toMatchObject({
      code: 'usage',
    });
  });

  it('cannot be read without its picture', async () => {
    const opened = await miniGridKind.open(id, { maxSteps: null });
    expect(() => opened.speech(policy, { ...form, observe: 'text' })).toThrow(/picture says more/);
  });

  it('is asked for scores; greedy takes the highest', async () => {
    const opened = await miniGridKind.open(id, { maxSteps: null });
    const speech = opened.speech(policy, { ...form, scores: true });
    const text = '{"action_scores": {"turn left": 2, "toggle": 5}}';
    expect(speech.read({ text, tokens: [], logProbabilities: [] }, null).action).toBe('toggle');
    const observation = { text: 'm', frames: [], arrays: {}, admissible: null };
    const moment = { history: { initial: '', turns: [] }, observation, memories: [] };
    expect(speech.prompt(moment)).toContain('"action_scores"');
  });
});
