/** A chat model of random weights, which says nothing of use: what its answers are kept to holds all the same. */
import { Random } from '@emac/core';
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { chatModelWithTools } from './chat-model.test.support.ts';
import { openChat, type ChatModel } from './chat.ts';
import { temporaryFolder } from './temporary-folder.test.support.ts';

const folder = chatModelWithTools(temporaryFolder());

let model: ChatModel;
beforeAll(async () => {
  model = await openChat(folder, { speech: { maxPromptTokens: 200, maxLength: 200 } });
});
afterAll(() => model.dispose());

const tool = (name: string, parameters: object) => ({
  type: 'function',
  function: { name, description: `Does ${name}.`, parameters },
});
const turn = tool('turn', {
  type: 'object',
  properties: { to: { enum: ['left', 'right'] }, far: { type: 'boolean' } },
  required: ['to', 'far'],
});
const wait = tool('wait', { type: 'object', properties: { for: { enum: [1, 2] } }, required: ['for'] });

async function service() {
  const { agentService } = await import('@emac/bridge');
  const { student, sampling, question } = model;
  return agentService({
    agent: { name: 'chat', policy: student, sampling, tokenTexts: student.tokenTexts, chat: question },
    batch: 4,
    random: Random.fromSeed(0),
    now: () => 0,
  });
}

/** OpenAI's client of the service over HTTP. */
async function client(): Promise<OpenAI> {
  const { listen } = await import('@emac/bridge');
  const app = await service();
  const server = await listen({ fetch: (request) => app.fetch(request), port: 0, onFault: () => {} });
  onTestFinished(() => server.close());
  return new OpenAI({ baseURL: `${server.address}/v1`, apiKey: 'none', maxRetries: 0 });
}

async function asked(body: object) {
  const app = await service();
  const response = await app.request('/v1/chat/completions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'chat', messages: [{ role: 'user', content: 'Go.' }], ...body }),
  });
  return (await response.json()) as {
    readonly choices: readonly {
      readonly message: {
        readonly content: string | null;
        readonly tool_calls?: readonly {
          readonly function: { readonly name: string; readonly arguments: string };
        }[];
      };
      readonly finish_reason: string;
    }[];
    readonly error?: { readonly param: string; readonly message: string };
  };
}

it('a call of a tool is certain where one is required, and different where it is drawn', async () => {
  const { choices } = await asked({
    tools: [turn, wait],
    tool_choice: 'required',
    n: 16,
    temperature: 2,
    seed: 1,
  });
  const calls = choices.map(({ message, finish_reason: end }) => {
    expect([message.content, end, message.tool_calls]).toEqual([null, 'tool_calls', [expect.anything()]]);
    const { name, arguments: text } = message.tool_calls![0]!.function;
    return { name, values: JSON.parse(text) as Record<string, unknown> };
  });
  for (const { name, values } of calls)
    if (name === 'wait') expect([1, 2]).toContain(values['for']);
    else {
      expect(name).toBe('turn');
      expect(values).toEqual({
        to: expect.stringMatching(/^(left|right)$/) as string,
        far: expect.any(Boolean) as boolean,
      });
    }
  expect(new Set(calls.map((each) => JSON.stringify(each))).size).toBeGreaterThan(2);
});

it('a named tool is the one that is called', async () => {
  const { choices } = await asked({
    tools: [turn, wait],
    tool_choice: { type: 'function', function: { name: 'wait' } },
  });
  expect(choices[0]!.message.tool_calls).toMatchObject([{ function: { name: 'wait' } }]);
});

const report = {
  type: 'object',
  properties: {
    mood: { enum: ['good', 'bad'] },
    marks: { type: 'array', items: { type: 'integer' }, maxItems: 2 },
  },
  required: ['mood', 'marks'],
};
const fitsReport = {
  mood: expect.stringMatching(/^(good|bad)$/) as string,
  marks: expect.any(Array) as unknown[],
};

it('JSON fits its schema', async () => {
  const schema = report;
  const format = { type: 'json_schema', json_schema: { name: 'report', schema, strict: true } };
  const { choices } = await asked({ response_format: format });
  expect(JSON.parse(choices[0]!.message.content!)).toEqual(fitsReport);
});

it('beside tools an answer is JSON or a call, and both are drawn', async () => {
  const format = { type: 'json_schema', json_schema: { name: 'report', schema: report } };
  const { choices } = await asked({
    response_format: format,
    tools: [wait],
    n: 16,
    temperature: 2,
    seed: 1,
  });
  const ends = choices.map(({ message, finish_reason: end }) => {
    if (end === 'tool_calls') expect(message.tool_calls).toMatchObject([{ function: { name: 'wait' } }]);
    else expect(JSON.parse(message.content!)).toEqual(fitsReport);
    return end;
  });
  expect(new Set(ends)).toEqual(new Set(['tool_calls', 'stop']));
});

it('OpenAI’s Responses keep an answer to a schema, and to a call that is required', async () => {
  const { responses } = await client();
  const input = 'Go.';
  const format = { type: 'json_schema', name: 'report', schema: report, strict: true } as const;
  const { output_text: text, text: kept } = await responses.create({
    model: 'chat',
    input,
    text: { format },
  });
  expect(JSON.parse(text)).toEqual(fitsReport);
  expect(kept).toEqual({ format });
  const called = ({ function: { name, parameters } }: typeof wait) =>
    ({ type: 'function', name, parameters: parameters as Record<string, unknown>, strict: false }) as const;
  const tools = [called(turn), called(wait)];
  for (const choice of ['required', { type: 'function', name: 'wait' }] as const) {
    const { output } = await responses.create({ model: 'chat', input, tools, tool_choice: choice });
    const name = choice === 'required' ? /^(turn|wait)$/ : /^wait$/;
    expect(output).toMatchObject([{ type: 'function_call', name: expect.stringMatching(name) as string }]);
  }
  const refused = async (field: object, message: RegExp) =>
    expect(responses.create({ model: 'chat', input, ...field })).rejects.toThrow(message);
  await refused({ tool_choice: 'required' }, /tool_choice: must be met by one of tools, got none/);
  await refused({ tool_choice: { type: 'mcp' } }, /tool_choice: must be none, auto, required, or/);
  await refused(
    { text: { format }, tools, tool_choice: 'required' },
    /text\.format: an answer must be a call by tool_choice/,
  );
});

it.each([
  [
    {
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'a', schema: { type: 'string', pattern: 'x' }, strict: true },
      },
    },
    'messages',
    /JSON schema: pattern is not supported/,
  ],
  [
    { response_format: { type: 'json_object' }, tools: [turn], tool_choice: 'required' },
    'response_format',
    /must be a call by tool_choice/,
  ],
  [
    { tools: [turn], tool_choice: { type: 'function', function: { name: 'no' } } },
    'tool_choice',
    /no, which is not among them/,
  ],
  [{ tool_choice: 'required' }, 'tool_choice', /must be met by one of tools, got none/],
])('%j is refused by name', async (body, param, message) => {
  const { error } = await asked(body);
  expect(error).toMatchObject({ param, message: expect.stringMatching(message) as string });
});
