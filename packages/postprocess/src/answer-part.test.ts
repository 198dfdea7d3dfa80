import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { actionScores } from './action-scores.ts';
import { answerParts, withoutReasoning } from './answer-part.ts';
import { answeredAction } from './answered-action.ts';
import { jsonObjects } from './json-objects.ts';
import { parseReply } from './reply.ts';

/** A wrong command stands in the reasoning, the right one after it. */
const reasoned = [
  ['a block', '<think>go to desk 1?</think>\ngo to shelf 2'],
  ['a block whose opening tag the chat template wrote', '1. go to desk 1\nNo.\n</think>\n\ngo to shelf 2'],
  ['a block inside a block', '<think>a <think>b</think> go to desk 1</think>go to shelf 2'],
  ['capitals', 'go to desk 1</THINK>go to shelf 2'],
  ['Claude’s and Lewis’ word', 'go to desk 1\n</thinking>\ngo to shelf 2'],
  ['a recipe of GRPO', '<reasoning>\ngo to desk 1\n</reasoning>\n<answer>\ngo to shelf 2\n</answer>'],
  ['Seed', '<seed:think>go to desk 1</seed:think>go to shelf 2'],
  ['Mistral', '[THINK]go to desk 1[/THINK]go to shelf 2'],
  ['Kimi', '◁think▷go to desk 1◁/think▷go to shelf 2'],
  [
    'gpt-oss',
    '<|channel|>analysis<|message|>go to desk 1<|end|><|start|>assistant<|channel|>final<|message|>go to shelf 2<|return|>',
  ],
  ['gpt-oss without special tokens', 'analysisgo to desk 1assistantfinalgo to shelf 2'],
  ['verl-agent’s tags', '<think>hm</think><action>go to shelf 2</action>'],
  ['a tag after a line with another command', 'go to desk 1 is far.\n<action>go to shelf 2</action>'],
  ['a stop text in place of the closing tag', '<think>go to desk 1</think><action>go to shelf 2'],
  ['RAGEN’s tags with a second action', '<think>go to desk 1</think><answer>go to shelf 2 || look</answer>'],
  ['several tags', '<action>go to shelf 2</action>\n<action>go to desk 1</action>'],
  ['a closing tag alone', 'go to shelf 2</action>'],
] as const;

describe('the answer of a model that reasons', () => {
  it.each(reasoned)('is what follows the reasoning: %s', (_, text) => {
    expect(parseReply(text)).toMatchObject({ command: 'go to shelf 2', thoughts: [] });
  });

  it.each(['<think>go to desk 1', '[THINK]go to desk 1\n', '<|channel|>analysis<|message|>go to desk 1'])(
    'is empty if it was cut before it began: %j',
    (text) => {
      expect(withoutReasoning(text).trim()).toBe('');
      expect(parseReply(text)).toEqual({ command: null, thoughts: [], other: '' });
    },
  );

  it('keeps the thoughts before a tag', () => {
    expect(parseReply('think: a shelf.\n<action>go to shelf 2</action>').thoughts).toEqual(['a shelf.']);
  });

  it('is read the same way as JSON, scores and words', () => {
    const text = 'Maybe {"action": "left", "action_scores": {"left": 1}}\n</think>{"action": "right"}';
    const actions = ['left', 'right'];
    const draw = () => 'drawn';
    expect([...jsonObjects(text)]).toEqual([{ action: 'right' }]);
    expect(actionScores(text, actions)).toBeNull();
    expect(answeredAction('left or\n</think>\nright', { actions, draw }).action).toBe('right');
    expect(answeredAction('<think>{"action": "left"}', { actions, draw }).source).toBe('random');
    expect(answeredAction('left is bad <action>right</action>', { actions, draw }).action).toBe('right');
    // tags within JSON are the model's text
    const quoted = '{"thoughts": "so </think> ends it", "action": "right"}';
    expect(answeredAction(quoted, { actions, draw })).toEqual({ action: 'right', source: 'json' });
  });

  it('is the whole text without tags', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z .\n]*$/), (text) => {
        fc.pre(!text.includes('assistantfinal'));
        expect(answerParts(text)).toEqual({ before: '', answer: text });
      }),
    );
  });
});
