import { describe, expect, it } from 'vitest';
import { tabletopKind } from './index.ts';

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

  it("asks for one of the hand's words about a picture, and refuses what is none of them", async () => {
    const opened = await tabletopKind.open('tabletop/goal', { maxSteps: null, frameSize: 8 });
    const task = opened.tasks.training.at(0);
    const { first, step } = await opened.begin(task, '');
    expect([first.text, first.frames[0]!.width]).toEqual([task.type, 8]);
    expect(await step('0 0 0 0 0 0 -1')).toMatchObject({ reward: 0, info: { refused: true } });
    const policy = { countPromptTokens: (text: string) => text.length };
    const form = { maxTokens: 1000, observe: 'both', thoughts: false } as const;
    const speech = opened.speech(policy, form);
    const moment = { history: { initial: '', turns: [] }, observation: first, memories: [] };
    expect(speech.prompt(moment)).toContain(`Your task is to ${task.type!}.`);
    expect(speech.prompt(moment)).toContain('"slightly left"');
    const answer = { text: speech.target('turn left', first), tokens: [], logProbabilities: [] };
    expect(speech.read(answer, null).action).toBe('turn left');
    expect(() => opened.speech(policy, { ...form, observe: 'text' })).toThrow(/picture says more/);
  });
});
