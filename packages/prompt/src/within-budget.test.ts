import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withinBudget, type PromptParts } from './within-budget.ts';

const task = 'TASK';
const make = ({ history, examples, memories }: PromptParts): string =>
  [...examples, ...memories, task, ...history.turns.map(({ command }) => command)].join('\n');
const countTokens = (text: string): number => text.length;

const parts: PromptParts = {
  history: { initial: task, turns: ['t1', 't2'].map((command) => ({ command, observation: '' })) },
  examples: ['e1', 'e2'],
  memories: ['m1', 'm2'],
};

describe('withinBudget', () => {
  it('drops turns, then examples, then lessons, each oldest first, and reports how many', () => {
    // 'e1\ne2\nm1\nm2\nTASK\nt1\nt2' has 22 characters; every dropped part takes 3
    const texts = [22, 21, 18, 15, 12, 9, 6].map((maxTokens) =>
      withinBudget(parts, make, { maxTokens, countTokens }),
    );
    expect(texts.map(({ prompt }) => prompt.replaceAll('\n', ' '))).toEqual([
      'e1 e2 m1 m2 TASK t1 t2',
      'e1 e2 m1 m2 TASK t2',
      'e1 e2 m1 m2 TASK',
      'e2 m1 m2 TASK',
      'm1 m2 TASK',
      'm2 TASK',
      'TASK',
    ]);
    expect(texts.map(({ tokens }) => tokens)).toEqual([22, 19, 16, 13, 10, 7, 4]);
    expect(texts.at(-1)).toMatchObject({ dropped: { turns: 2, examples: 2, memories: 2 }, fits: true });
  });

  it('keeps the task if even that is too long, and reports it', () => {
    expect(withinBudget(parts, make, { maxTokens: 3, countTokens })).toMatchObject({
      prompt: task,
      tokens: 4,
      fits: false,
    });
  });

  it('always ends, with the longest prompt that fits', () => {
    const words = fc.array(fc.string());
    fc.assert(
      fc.property(words, words, words, fc.nat(200), (turns, examples, memories, maxTokens) => {
        const history = { initial: task, turns: turns.map((command) => ({ command, observation: '' })) };
        const fitted = withinBudget({ history, examples, memories }, make, { maxTokens, countTokens });
        expect(fitted.prompt).toContain(task);
        expect(fitted.fits).toBe(fitted.prompt.length <= maxTokens);
        const gone = [...turns, ...examples, ...memories];
        const { dropped } = fitted;
        const count = dropped.turns + dropped.examples + dropped.memories;
        if (!fitted.fits) expect(count).toBe(gone.length);
        // with the last dropped part it would not have fitted
        if (count > 0) expect(fitted.prompt.length + gone[count - 1]!.length + 1).toBeGreaterThan(maxTokens);
      }),
    );
  });
});
