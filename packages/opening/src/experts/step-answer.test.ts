/** Parsing of a model's answer about a step. */
import { describe, expect, it } from 'vitest';
import { readStepAnswer, stepText, type StepQuestion } from './step-answer.ts';

const question: StepQuestion = {
  prompt: 'What now?',
  actions: ['turn left', 'move forward', '10'],
  thoughts: 'needed',
  utilities: false,
};
const scored: StepQuestion = { ...question, utilities: true };

function read(answer: unknown, of: StepQuestion = question) {
  return readStepAnswer(typeof answer === 'string' ? answer : JSON.stringify(answer), of);
}

describe('an answer about a step', () => {
  it.each<[string, unknown, string, number]>([
    ['as asked', { thoughts: 'x', action: 'move forward' }, '{"thoughts": "x", "action": "move forward"}', 1],
    ['with the action first', { action: '10', thoughts: 'x' }, '{"thoughts": "x", "action": "10"}', 2],
    [
      'in capitals, as published',
      { thoughts: 'x', action: ' Turn Left ' },
      '{"thoughts": "x", "action": "turn left"}',
      0,
    ],
    ['with a number', { thoughts: 'x', action: 10 }, '{"thoughts": "x", "action": "10"}', 2],
    [
      'with what else the prompt asks for, on one line',
      '\\{\n"cards": [2, 10],\n"at": {"row": 1},\n"thoughts": "a\\nb",\n"action": "10"\n\\}',
      '{"cards": [2, 10], "at": {"row": 1}, "thoughts": "a\\nb", "action": "10"}',
      2,
    ],
    [
      'in a fence',
      'So:\n```json\n{"thoughts": "x", "action": "10"}\n```\nDone.',
      '{"thoughts": "x", "action": "10"}',
      2,
    ],
    [
      'with scores that nobody wants',
      { thoughts: 'x', utilities: 3, action: '10' },
      '{"thoughts": "x", "action": "10"}',
      2,
    ],
  ])('is a label %s', (_what, answer, text, place) => {
    expect(read(answer)).toEqual({ value: { text, place, utilities: null } });
  });

  it('needs its thoughts, may have them, or loses them, as the prompt asks', () => {
    const [bare, full] = [{ action: '10' }, { thoughts: 'x', action: '10' }];
    const texts = (['needed', 'optional', 'left out'] as const).map((thoughts) =>
      [bare, full].map((answer) => {
        const found = read(answer, { ...question, thoughts });
        return 'value' in found ? found.value.text : null;
      }),
    );
    const [short, long] = ['{"action": "10"}', '{"thoughts": "x", "action": "10"}'];
    expect(texts).toEqual([
      [null, long],
      [short, long],
      [short, short],
    ]);
  });

  it.each<[string, unknown, RegExp]>([
    ['nothing', '', /"" is not a JSON object/],
    ['words', 'I move forward', /"I move forward" is not a JSON object/],
    ['what was cut off', '{"thoughts": "x", "action": "10"', /not a JSON/],
    ['a list', ['10'], /./],
    [
      'an action that is not offered',
      { thoughts: 'x', action: 'toggle' },
      /action: is not one of the offered/,
    ],
    ['two actions', { thoughts: 'x', action: '10 or turn left' }, /action: is not one of the offered/],
    ['no action', { thoughts: 'x' }, /^action/],
    ['blank thoughts', { thoughts: ' ', action: '10' }, /^thoughts/],
  ])('is none: %s', (_what, answer, problem) => {
    expect(read(answer)).toEqual({ problem: expect.stringMatching(problem) as string });
  });
});

describe('scores beside an answer', () => {
  const scores = { 'turn left': 0, 'move forward': 10, '10': 2.5 };

  it('are requested by name after the otherwise unchanged prompt', () => {
    expect(stepText(question)).toBe('What now?');
    expect(stepText(scored)).toMatch(
      /^What now\?\n\n.*from 0 \(useless\) to 10 \(very useful\): "utilities": \{"turn left": \{number\}, "move forward": \{number\}, "10": \{number\}\}\.$/,
    );
  });

  it('are kept for each action in its own words, and are not part of the label', () => {
    const utilities = { '10': 2.5, 'Move forward': 10, 'Turn left': 0 };
    expect(read({ thoughts: 'x', utilities, action: '10' }, scored)).toEqual({
      value: { text: '{"thoughts": "x", "action": "10"}', place: 2, utilities: scores },
    });
  });

  it.each<[string, unknown]>([
    ['missing', undefined],
    ['not of every action', { 'turn left': 0, '10': 1 }],
    ['of other actions, too', { ...scores, toggle: 1 }],
    ['below 0', { ...scores, '10': -1 }],
    ['above 10', { ...scores, '10': 10.5 }],
    ['words', { ...scores, '10': 'good' }],
    ['one number', 7],
  ])('that are %s make the answer one that cannot be read', (_what, utilities) => {
    expect(read({ thoughts: 'x', utilities, action: '10' }, scored)).toEqual({
      problem: expect.stringMatching(/^utilities/) as string,
    });
  });
});
