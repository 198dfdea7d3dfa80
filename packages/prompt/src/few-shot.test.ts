import { taskTypes } from '@emac/world';
import { describe, expect, it } from 'vitest';
import { commandInDialect, dialectOf } from './dialect.ts';
import { fewShotExamples } from './few-shot.ts';

describe('fewShotExamples', () => {
  it.each(taskTypes)('has two episodes of %s in both dialects, with thoughts', (type) => {
    const [texts, puts] = [fewShotExamples(type), fewShotExamples(type, { dialect: 'put' })];
    expect([texts.length, puts.length, new Set(texts).size]).toEqual([2, 2, 2]);
    texts.forEach((text, index) => {
      expect(text).toMatch(/^You are in the middle of a room\. .*\nYour task is to: .*\.\n> think: /);
      expect(text.endsWith('\n')).toBe(true);
      const put = puts[index]!;
      expect(put).not.toMatch(/^(> move|You move|You arrive at (?!loc \d+\. ))/m);
      expect(put.match(/^> /gm)).toHaveLength(text.match(/^> /gm)!.length);
    });
  });

  it('shows number 1 before number 0, as ReAct does, and the requested number of examples', () => {
    const [one, zero] = fewShotExamples('look_at_obj_in_light');
    expect(zero).toContain('look at pencil under the desklamp');
    expect(one).toContain('look at tissuebox under the desklamp');
    expect(fewShotExamples('look_at_obj_in_light', { count: 1 })).toEqual([zero]);
    expect(fewShotExamples('look_at_obj_in_light', { count: 0 })).toEqual([]);
    for (const count of [3, -1, 0.5])
      expect(() => fewShotExamples(null, { count })).toThrow(`from 0 to 2, got ${count}`);
  });

  it('omits thoughts and their answers on request', () => {
    for (const text of taskTypes.flatMap((type) => fewShotExamples(type, { thoughts: false }))) {
      expect(text).not.toMatch(/think:|OK\./);
      expect(text.match(/^> /gm)!.length).toBeGreaterThan(3);
    }
  });

  it('shows two examples for an unknown task type', () => {
    const [simple, longer] = fewShotExamples(null);
    expect(simple).toContain('put some candle on drawer');
    expect(longer).toContain('heat some mug and put it in cabinet');
  });
});

describe('dialects', () => {
  it('convert one form of placing into the other and leave other commands alone', () => {
    expect(commandInDialect('move mug 1 to desk 1', 'put')).toBe('put mug 1 in/on desk 1');
    expect(commandInDialect('put mug 1 in/on desk 1', 'move')).toBe('move mug 1 to desk 1');
    expect(commandInDialect('go to desk 1', 'put')).toBe('go to desk 1');
  });

  it('are detected by the admissible commands, then by the observations', () => {
    const history = {
      initial: '',
      turns: [{ command: 'go to desk 1', observation: 'You arrive at loc 3. On …' }],
    };
    expect(dialectOf({ history })).toBe('put');
    expect(dialectOf({ history, admissible: ['look', 'move pen 1 to desk 1'] })).toBe('move');
    expect(dialectOf({ history: { initial: '', turns: [] } })).toBe('move');
  });
});
