import type { Turn } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { tabletopKind } from './index.ts';

const form = { maxTokens: 1000, observe: 'both', thoughts: false, malformedPenalty: -1 } as const;
/** A model whose tokens are tenths, without other words. */
const policy = {
  countPromptTokens: (text: string) => text.length,
  motionOf: (tokens: readonly number[]) => ({
    motion: tokens.length === 7 ? tokens.map((token) => token / 10) : [0, 0, 0, 0, 0, 0, -1],
    isMalformed: tokens.length !== 7,
  }),
};

describe('the kind of tables', () => {
  it('knows its suites and their tasks, and nothing else', () => {
    for (const name of ['tabletop/goal', 'tabletop/long/9']) expect(tabletopKind.idOf(name)).toBe(name);
    for (const name of ['tabletop', 'tabletop/goal/10', 'tabletop/goal/1/2', 'goal', 'tabletop/goal/'])
      expect(tabletopKind.idOf(name)).toBe(null);
  });

  it('has as many tasks as starts, no start in both sets, grouped by instruction', async () => {
    const { tasks } = await tabletopKind.open('tabletop/goal', { maxSteps: null });
    const all = { training: 400, heldOut: 100 } as const satisfies Record<string, number>;
    const ids = (['training', 'heldOut'] as const).map((set) => {
      expect(tasks[set].count).toBe(all[set]);
      return Array.from({ length: all[set] }, (_, number) => tasks[set].at(number).id);
    });
    expect(new Set(ids.flat()).size).toBe(500);
    expect(() => tasks.heldOut.at(100)).toThrow(/100 initial states/);
    const one = await tabletopKind.open('tabletop/goal/3', { maxSteps: null });
    expect(one.tasks.training.count).toBe(40);
    expect(new Set([0, 1, 2].map((number) => one.tasks.training.at(number).type)).size).toBe(1);
  });

  it('is won by its player, which says seven numbers', async () => {
    const opened = await tabletopKind.open('tabletop/spatial', { maxSteps: null, frameSize: 8 });
    const task = opened.tasks.heldOut.at(13);
    const episode = await opened.begin(task, '');
    expect(episode.first.text).toBe(task.type);
    const turns: Turn[] = [];
    for (let won = false; !won;) {
      const label = await opened.player!.label({
        task,
        history: { initial: '', turns },
        memories: [],
        admissible: null,
      });
      if (label.kind !== 'action') throw new Error(label.reason);
      const step = await episode.step(label.command);
      turns.push({ command: label.command, observation: '' });
      expect(step.truncated).toBe(false);
      won = step.info.won;
    }
  });

  it('takes no word for numbers', async () => {
    const opened = await tabletopKind.open('tabletop/goal', { maxSteps: null, frameSize: 8 });
    const task = opened.tasks.training.at(0);
    const episode = await opened.begin(task, '');
    for (const command of ['left', '1 2 3', '', '0 0 0 0 0 0 no'])
      expect(await episode.step(command)).toMatchObject({
        observation: episode.first,
        reward: 0,
        info: { refused: true },
      });
  });

  it("uses OpenVLA's prompt, with a penalty for invalid actions", async () => {
    const opened = await tabletopKind.open('tabletop/goal', { maxSteps: null, frameSize: 8 });
    const speech = opened.speech(policy, form);
    const observation = { text: 'Open the drawer', frames: [], admissible: null };
    const moment = { history: { initial: '', turns: [] }, observation, memories: [] };
    expect(speech.prompt(moment)).toContain('open the drawer');
    const said = (tokens: readonly number[]) => speech.read({ text: '', tokens, logProbabilities: [] }, null);
    expect(said([1, 2, 3, 4, 5, 6, 7])).toEqual({ action: '0.1 0.2 0.3 0.4 0.5 0.6 0.7', actionStart: 0 });
    expect(said([1])).toEqual({ action: '0 0 0 0 0 0 -1', actionStart: 0, penalty: -1 });
    expect(() => opened.speech({ countPromptTokens: () => 1 }, form)).toThrow(/such as vla-tiny/);
  });
});
