/** The forms of records that training tools share, each read as one record. */
import { describe, expect, it } from 'vitest';
import { saidRecord } from './data-forms.ts';

const read = (record: object, pairs = false) =>
  saidRecord(record as Record<string, unknown>, { place: 'a.jsonl: record 0', pairs });

const [asked, blue, green] = [
  { role: 'user', content: 'Which colour has the sky?' },
  { role: 'assistant', content: 'Blue.' },
  { role: 'assistant', content: 'Green.' },
];
const none = { worse: null, label: null, tools: null };

describe('a record', () => {
  it.each([
    ['text', { text: 'The sky is blue.' }, { before: '', after: 'The sky is blue.', ...none }],
    ['messages', { messages: [asked, blue] }, { before: [], after: [asked, blue], ...none }],
    [
      'prompt and completion, texts',
      { prompt: 'The sky is', completion: ' blue.' },
      { before: 'The sky is', after: ' blue.', ...none },
    ],
    [
      'prompt and completion, messages',
      { prompt: [asked], completion: [blue] },
      { before: [asked], after: [blue], ...none },
    ],
    [
      'a completion with its label',
      { prompt: 'The sky is', completion: ' green.', label: false },
      { before: 'The sky is', after: ' green.', ...none, label: false },
    ],
    [
      'a pair',
      { prompt: [asked], chosen: [blue], rejected: [green] },
      { before: [asked], after: [blue], ...none, worse: [green] },
    ],
    [
      'a pair whose prompt stands in both',
      { chosen: [asked, blue], rejected: [asked, green] },
      { before: [asked], after: [blue], ...none, worse: [green] },
    ],
    [
      // the blank belongs to the answers, as tokenizers have it
      'a pair of texts whose prompt stands in both',
      { chosen: 'The sky is blue.', rejected: 'The sky is green.' },
      { before: 'The sky is', after: ' blue.', ...none, worse: ' green.' },
    ],
  ])('may be %s', (_, record, right) => {
    expect(read(record)).toEqual(right);
  });

  it('with messages and a pair is what its method learns from', () => {
    const both = { messages: [asked, blue], prompt: 'sky?', chosen: 'blue', rejected: 'green' };
    expect(read(both)).toMatchObject({ after: [asked, blue], worse: null });
    expect(read(both, true)).toMatchObject({ before: 'sky?', after: 'blue', worse: 'green' });
  });

  it('may call tools, given as a list or as its JSON text; empty fields of a table count as absent', () => {
    const tool = { type: 'function', function: { name: 'add' } };
    const call = { type: 'function', function: { name: 'add', arguments: { a: 1, b: null } } };
    const messages = [asked, { role: 'assistant', content: null, tool_calls: [call], name: null }, blue];
    const right = { function: { name: 'add', arguments: { a: 1 } }, type: 'function' };
    for (const tools of [[tool], JSON.stringify([tool])]) {
      const { after, tools: schemas } = read({ messages, tools, text: null });
      expect(schemas).toEqual([tool]);
      expect(after[1]).toEqual({ role: 'assistant', content: null, tool_calls: [right] });
    }
    expect(() => read({ messages, tools: 'add' })).toThrow(/tools: must be a list of JSON schemas/);
  });

  it('keeps an argument that is null where the schema of its tool names it and allows null', () => {
    const parameters = {
      type: 'object',
      properties: {
        due: { type: ['string', 'null'] },
        title: { type: 'string' },
        parts: { type: 'array', items: { properties: { size: { anyOf: [{ type: 'null' }] } } } },
      },
    };
    const tools = [{ type: 'function', function: { name: 'add', parameters } }];
    const given = { due: null, title: null, other: null, parts: [{ size: null, colour: null }] };
    const messages = [
      asked,
      { role: 'assistant', tool_calls: [{ function: { name: 'add', arguments: given } }] },
    ];
    expect(read({ messages, tools }).after[1]).toMatchObject({
      tool_calls: [{ function: { name: 'add', arguments: { due: null, parts: [{ size: null }] } } }],
    });
    expect(JSON.stringify(read({ messages, tools }).after)).not.toMatch(/"(title|other|colour)":/);
  });

  it('of no known form is answered with the known ones and its own keys', () => {
    expect(() => read({ question: 'a', answer: 'b' })).toThrow(
      'a.jsonl: record 0: must have one of the forms {image, text_input, text_output}, {messages}, {prompt, completion, label}, {prompt, completion}, {text}, {prompt, chosen, rejected}, {chosen, rejected}, got the keys question, answer; rename its fields',
    );
    expect(() => read({})).toThrow(/got no keys/);
  });

  it('with a prompt alone is refused, with what it is for', () => {
    for (const prompt of ['Where is it?', [asked]])
      expect(() => read({ prompt })).toThrow(
        /has a prompt without an answer to learn; add completion, or chosen and rejected\. .*--tasks FILE\.jsonl$/,
      );
  });

  it('names the field that is wrong', () => {
    expect(() => read({ messages: [{ content: 'a' }] })).toThrow(
      /record 0: messages\.0\.role: must be a text or messages \{role, content\}/,
    );
    expect(() => read({ prompt: 'a', completion: 1 })).toThrow(/record 0: completion: must be/);
    expect(() => read({ prompt: 'a', completion: 'b', label: 'good' })).toThrow(
      /label: must be true or false/,
    );
  });
});
