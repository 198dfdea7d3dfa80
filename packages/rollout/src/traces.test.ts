import { askedText, promptOf, type AskedMessage } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { traceLine, traceStep } from './traces.ts';

const of = { task: 'mug', task_type: null, reward: 1, success: true, end: 'terminated' } as const;

/** A step whose prompt is this text, and whose answer is its action unless it says otherwise. */
const step = (text: string, said: string, action = said) =>
  traceStep({
    prompt: promptOf([], text),
    answer: { text: said, tokens: [said.length, 2], logProbabilities: [-1, -0.5] },
    action,
    reward: 0.5,
  });

const user = (content: string) => ({ role: 'user', content });
const assistant = (content: string) => ({ role: 'assistant', content });

describe('traceLine', () => {
  it('adds what followed an action, whether or not the oldest turns are still in the prompt', () => {
    const steps = [
      step('Room. Find it.\n>', 'go'),
      step('Room. Find it.\n> go\nA desk.\n>', 'think: hm\ntake', 'take'),
      step('…\n> take\nTaken.\n\\> not a command\n>', 'stop'),
    ];
    expect(traceLine(steps, { ...of, update: 3 })).toEqual({
      v: 1,
      ...of,
      update: 3,
      messages: [
        user('Room. Find it.'),
        assistant('go'),
        user('A desk.'),
        assistant('think: hm\ntake'),
        user('Taken.\n> not a command'),
        assistant('stop'),
      ],
      rewards: [0.5, 0.5, 0.5],
      completion_ids: [
        [2, 2],
        [14, 2],
        [4, 2],
      ],
      completion_logprobs: [
        [-1, -0.5],
        [-1, -0.5],
        [-1, -0.5],
      ],
    });
  });

  it('shows prompts whole that do not go on from each other, and counts them', () => {
    expect(traceLine([step('Card 1.', '+'), step('Card 2.', '-')], of)).toMatchObject({
      messages: [user('Card 1.'), assistant('+'), user('Card 2.'), assistant('-')],
      rewritten: 1,
    });
  });

  it('takes the messages of requests as they are, and answers that became calls', () => {
    const asked = (...messages: AskedMessage[]) => askedText({ messages });
    const call = { role: 'assistant', content: '', tool_calls: [{ id: 'a' }] };
    const first = [{ role: 'system', content: 'Be brief.' }, user('Hello?')];
    const second = [...first, call, { role: 'tool', content: '42' }];
    const steps = [step(asked(...first), '<call>'), step(asked(...second), 'It is 42.')];
    expect(traceLine(steps, of)).toMatchObject({ messages: [...second, assistant('It is 42.')] });
    expect(traceLine(steps, of)).not.toHaveProperty('rewritten');
    // a request of its own under the same system message adds what is new in it
    const apart = [step(asked(...first), 'Hi.'), step(asked(first[0]!, user('And you?')), 'Yes.')];
    expect(traceLine(apart, of)).toMatchObject({
      messages: [...first, assistant('Hi.'), user('And you?'), assistant('Yes.')],
      rewritten: 1,
    });
  });

  it('marks pictures, writes out short arrays, and knows actions of others', () => {
    const features = { data: new Float32Array(0), key: '' };
    const seen = { prompt: promptOf([features], 'Look.'), answer: null, action: 'go', reward: 0 };
    expect(traceLine([traceStep(seen)], of)).toMatchObject({
      messages: [
        { role: 'user', content: [{ type: 'image' }, { type: 'text', text: 'Look.' }] },
        assistant('go'),
      ],
      completion_ids: [[]],
    });
    const array = (name: string, length: number) =>
      ({ kind: 'array', name, values: { shape: [length], data: new Int32Array(length) } }) as const;
    const numbers = traceStep({ ...seen, prompt: [array('near', 2), array('far', 65)] });
    expect(numbers.read).toBe('near: 0 0\nfar: of shape 65\n');
  });
});
