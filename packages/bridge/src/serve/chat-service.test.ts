/** A chat model as a service: messages as they are, tools, calls, several answers. */
import { Random, readAsked, type Answer, type AskedMessages } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { agentService } from './agent-service.ts';

const tool = (name: string, more: object = {}) => ({
  type: 'function',
  function: {
    name,
    description: `Does ${name}.`,
    parameters: { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] },
    ...more,
  },
});

const callOf = (name: string, values: object) =>
  `<tool_call>\n${JSON.stringify({ name, arguments: values })}\n</tool_call>`;

/** Says one text after another, a word a token; 0 ends an answer. */
function service(...texts: string[]) {
  const asked: AskedMessages[] = [];
  const paths: (string | undefined)[] = [];
  const words = [''];
  const app = agentService({
    agent: {
      name: 'chat',
      sampling: { kind: 'search', beams: 1 },
      policy: {
        encode: null,
        countPromptTokens: (text) => readAsked(text).messages.length,
        decide: async (questions) =>
          questions.map(({ random }): Answer => {
            paths.push(random?.path);
            const text = texts.shift() ?? 'No.';
            const tokens = [...text.match(/\s*\S+/g)!.map((word) => words.push(word) - 1), 0];
            return { text, tokens, logProbabilities: tokens.map((token) => -token) };
          }),
      },
      tokenTexts: (tokens) => tokens.map((token) => words[token]!),
      chat: async (given, { random }) => {
        asked.push(given);
        return { prompt: [{ kind: 'text', text: JSON.stringify(given) }], allowed: null, random };
      },
    },
    batch: 1,
    random: Random.fromSeed(0),
    now: () => 0,
  });
  const post = async (body: object) => {
    const response = await app.request('/v1/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'chat', messages: [{ role: 'user', content: 'Go.' }], ...body }),
    });
    return { status: response.status, text: await response.text() };
  };
  const chat = async (body: object) => {
    const { status, text } = await post(body);
    return { status, body: JSON.parse(text) as Reply };
  };
  return { app, asked, paths, post, chat };
}

interface Reply {
  readonly choices: readonly {
    readonly index: number;
    readonly message: { readonly content: string | null; readonly tool_calls?: readonly object[] };
    readonly finish_reason: string;
  }[];
  readonly usage: { readonly completion_tokens: number };
  readonly error?: { readonly message: string; readonly param: string };
}

describe('a chat model as a service', () => {
  it('reads all messages as they are, the system’s too', async () => {
    const { chat, asked } = service('Yes.');
    const messages = [
      { role: 'developer', content: 'Be brief.' },
      { role: 'user', content: 'Go.' },
    ];
    const { body } = await chat({ messages, max_tokens: 5, stop: 'END' });
    expect(asked).toEqual([
      {
        messages: [{ ...messages[0]!, role: 'system' }, messages[1]],
        maxTokens: 5,
        stop: ['END'],
      },
    ]);
    expect(body.choices[0]!.message.content).toBe('Yes.');
  });

  it('answers with calls in OpenAI’s form, and with the words before them', async () => {
    const { chat, asked } = service(`I add. ${callOf('add', { x: 1 })}\n${callOf('take', { x: 2 })}`);
    const { body } = await chat({ tools: [tool('add'), tool('take', { description: null, strict: false })] });
    expect(asked[0]!.tools!.map(({ function: { description } }) => description)).toEqual(['Does add.', '']);
    expect(body.choices).toMatchObject([
      {
        message: {
          content: 'I add.',
          tool_calls: [
            { id: 'call00000', type: 'function', function: { name: 'add', arguments: '{"x":1}' } },
            { id: 'call00001', type: 'function', function: { name: 'take', arguments: '{"x":2}' } },
          ],
        },
        finish_reason: 'tool_calls',
      },
    ]);
  });

  it('streams calls: the name first, then the arguments', async () => {
    const { post } = service(callOf('add', { x: 1 }));
    const { text } = await post({ tools: [tool('add')], stream: true });
    const events = text.split('\n\n').filter((line) => line.startsWith('data: {'));
    const choices = events.map(
      (line) => (JSON.parse(line.slice(6)) as { readonly choices: readonly object[] }).choices[0],
    );
    expect(choices).toMatchObject([
      { delta: { role: 'assistant', content: null } },
      { delta: { tool_calls: [{ index: 0, id: 'call00000', function: { name: 'add', arguments: '' } }] } },
      { delta: { tool_calls: [{ index: 0, function: { arguments: '{"x":1}' } }] } },
      { delta: {}, finish_reason: 'tool_calls' },
    ]);
  });

  it.each([
    ['of an unknown tool', callOf('other', { x: 1 }), {}],
    ['of broken JSON', '<tool_call>\n{"name": "add", "arguments"', {}],
    ['beside the schema of a strict tool', callOf('add', { x: 'one' }), {}],
    ['where tools are switched off', callOf('add', { x: 1 }), { tool_choice: 'none' }],
  ])('leaves a call %s in the text', async (_, text, more) => {
    const { chat } = service(text);
    const { body } = await chat({ tools: [tool('add', { strict: true })], ...more });
    expect(body.choices).toMatchObject([{ message: { content: text }, finish_reason: 'stop' }]);
    expect(body.choices[0]!.message.tool_calls).toBeUndefined();
  });

  it('hands over arguments beside the schema of a tool that is not strict, and one call where one is wanted', async () => {
    const { chat } = service(callOf('add', { x: 'one' }) + callOf('add', { x: 2 }));
    const { body } = await chat({ tools: [tool('add')], parallel_tool_calls: false });
    expect(body.choices[0]!.message.tool_calls).toMatchObject([{ function: { arguments: '{"x":"one"}' } }]);
  });

  it('shows no tools where none may be called', async () => {
    const { chat, asked } = service();
    await chat({ tools: [tool('add')], tool_choice: 'none' });
    expect(asked[0]!.tools).toBeUndefined();
  });

  it('gives several answers, each drawn by itself, the first as alone', async () => {
    const { chat, paths } = service('One.', 'Two more.', 'One.');
    const { body } = await chat({ n: 2, temperature: 1, seed: 3 });
    expect(body.choices.map(({ index, message }) => [index, message.content])).toEqual([
      [0, 'One.'],
      [1, 'Two more.'],
    ]);
    // two and three tokens, each with its end token
    expect(body.usage.completion_tokens).toBe(5);
    await chat({ temperature: 1, seed: 3 });
    expect(paths[2]).toBe(paths[0]);
    expect(paths[1]).not.toBe(paths[0]);
  });

  it.each([
    [{ n: 2 }, 'n', /all answers are equal/],
    [{ tools: [tool('add'), tool('add')] }, 'tools', /names must differ, add is there twice/],
    [{ tools: [{ type: 'web_search' }] }, 'tools.0.type', /must be function/],
    [{ tools: [tool('add it')] }, 'tools.0.function.name', /letters, digits/],
    [{ tools: [tool('add')], tool_choice: 'always' }, 'tool_choice', /must be none, auto, required/],
    [
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:,' } }] }] },
      'messages',
      /reads texts alone/,
    ],
  ])('refuses %j', async (body, param, message) => {
    const { chat } = service();
    const refused = await chat(body);
    expect(refused.status).toBe(400);
    expect(refused.body.error).toMatchObject({ param, message: expect.stringMatching(message) as string });
  });

  it('has no episodes to act in', async () => {
    const { app } = service();
    const { status } = await app.request('/v1/act', { method: 'POST', body: '{}' });
    expect(status).toBe(404);
  });
});
