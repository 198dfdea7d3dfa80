import { taskTypes } from '@emac/world';
import { describe, expect, it } from 'vitest';
import { commandInDialect, dialectOf } from './dialect.ts';
import { fewShotExamples } from './few-shot.ts';

describe('fewShotExamples', () => {
  it.each(taskTypes)('has an episode of %s in both dialects, with thoughts', (type) => {
    const [text] = fewShotExamples(type);
    expect(text).toMatch(/^You are in the middle of a room\. .*\nYour task is to: .*\.\n> think: /);
    expect(text!.endsWith('\n')).toBe(true);
    const [put] = fewShotExamples(type, { dialect: 'put' });
    expect(put).not.toMatch(/^(> move|You move|You arrive at (?!loc \d+\. ))/m);
    expect(put!.match(/^> /gm)).toHaveLength(text!.match(/^> /gm)!.length);
  });

  it('leaves thoughts and their answers out when asked to', () => {
    for (const type of taskTypes) {
      const [text] = fewShotExamples(type, { thoughts: false });
      expect(text).not.toMatch(/think:|OK\./);
      expect(text!.match(/^> /gm)!.length).toBeGreaterThan(3);
    }
  });

  it('shows two examples when the task type is not known', () => {
    expect(fewShotExamples(null)).toHaveLength(2);
  });
});

describe('dialects', () => {
  it('turn one form of placing into the other and leave other commands alone', () => {
    expect(commandInDialect('move mug 1 to desk 1', 'put')).toBe('put mug 1 in/on desk 1');
    expect(commandInDialect('put mug 1 in/on desk 1', 'move')).toBe('move mug 1 to desk 1');
    expect(commandInDialect('go to desk 1', 'put')).toBe('go to desk 1');
  });

  it('are told by the admissible commands, then by the observations', () => {
    const history = {
      initial: '',
      turns: [{ command: 'go to desk 1', observation: 'You arrive at loc 3. On …' }],
    };
    expect(dialectOf({ history })).toBe('put');
    expect(dialectOf({ history, admissible: ['look', 'move pen 1 to desk 1'] })).toBe('move');
    expect(dialectOf({ history: { initial: '', turns: [] } })).toBe('move');
  });
});
