/** OpenAI's Responses, asked by OpenAI's own client over real HTTP: of a policy in training, and of a served agent. */
import { Random } from '@emac/core';
import OpenAI from 'openai';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openGateway } from '../gateway/gateway.ts';
import { listen } from '../server/listen.ts';
import { agentService } from './agent-service.ts';
import { scriptedAgent } from './scripted-agent.test.support.ts';

async function opened() {
  const gateway = await openGateway({ model: 'policy' });
  onTestFinished(() => gateway.close());
  const attempt = gateway.attempt();
  const client = new OpenAI({ baseURL: gateway.baseURL, apiKey: attempt.apiKey, maxRetries: 0 });
  const said = { text: 'Hi you', tokens: [7, 8, 0], logProbabilities: [-1, -2, -3] };
  /** Answers the next request; returns it as the trainer gets it. */
  const answer = async (answered: object = {}) => {
    const { asked, answer: reply } = await attempt.next();
    reply({ answer: said, texts: ['Hi', ' you', ''], promptTokens: 5, ...answered });
    return asked;
  };
  return { client, answer };
}

describe('a response', () => {
  it('answers a text and instructions, in the form that OpenAI’s client reads', async () => {
    const { client, answer } = await opened();
    const replying = client.responses.create({
      model: 'any',
      instructions: 'Be brief.',
      input: 'Hello',
      max_output_tokens: 9,
      include: ['message.output_text.logprobs'],
    });
    expect(await answer()).toEqual({
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hello' },
      ],
      maxTokens: 9,
      stop: [],
    });
    const response = await replying;
    expect(response).toMatchObject({
      id: 'resp_0',
      object: 'response',
      status: 'completed',
      output_text: 'Hi you',
      output: [
        {
          id: 'msg_0',
          type: 'message',
          status: 'completed',
          content: [{ text: 'Hi you', logprobs: [{ token: 'Hi', logprob: -1 }, { logprob: -2 }] }],
        },
      ],
      usage: { input_tokens: 5, output_tokens: 3, total_tokens: 8 },
    });
  });

  it('takes its own output back among the items, without reasoning', async () => {
    const { client, answer } = await opened();
    const first = client.responses.create({ model: 'any', input: [{ role: 'user', content: 'Hello' }] });
    await answer();
    const { output } = await first;
    const second = client.responses.create({
      model: 'any',
      input: [
        { role: 'user', content: [{ type: 'input_text', text: 'Hello' }] },
        { type: 'reasoning', id: 'rs_0', summary: [] },
        ...output,
        { role: 'user', content: 'More' },
      ] as OpenAI.Responses.ResponseInput,
    });
    expect(await answer()).toMatchObject({
      messages: [
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: 'Hi you' },
        { role: 'user', content: 'More' },
      ],
    });
    expect((await second).id).toBe('resp_1');
  });

  it('is incomplete where the limit ended it', async () => {
    const { client, answer } = await opened();
    const replying = client.responses.create({ model: 'any', input: 'Hello' });
    await answer({ texts: ['Hi', ' you', ' all'] });
    expect(await replying).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
    });
  });

  it('streams its text, and ends with the whole response', async () => {
    const { client, answer } = await opened();
    const stream = client.responses.stream({ model: 'any', input: 'Hello' });
    const deltas: string[] = [];
    stream.on('response.output_text.delta', ({ delta }) => void deltas.push(delta));
    const [response] = await Promise.all([stream.finalResponse(), answer()]);
    expect(deltas).toEqual(['Hi', ' you']);
    expect(response).toMatchObject({ status: 'completed', output_text: 'Hi you' });
  });

  it('names tools to the policy, and hands out its calls', async () => {
    const { client, answer } = await opened();
    const parameters = { type: 'object', properties: { a: { type: 'number' } }, additionalProperties: false };
    const tools = [
      { type: 'function', name: 'add', description: 'Adds.', parameters, strict: true },
    ] as const;
    const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'Add.' }];
    const stream = client.responses.stream({ model: 'any', input, tools: [...tools] });
    const text = '<tool_call>\n{"name": "add", "arguments": {"a": 1}}\n</tool_call>';
    const calling = { answer: { text, tokens: [7, 0], logProbabilities: [-1, -1] }, texts: [text, ''] };
    const [{ output }, asked] = await Promise.all([stream.finalResponse(), answer(calling)]);
    expect(asked.tools).toEqual([
      { type: 'function', function: { name: 'add', description: 'Adds.', parameters } },
    ]);
    const [call] = output as OpenAI.Responses.ResponseFunctionToolCall[];
    expect(output).toHaveLength(1);
    expect(call).toMatchObject({ type: 'function_call', name: 'add', arguments: '{"a":1}' });
    const result = { type: 'function_call_output', call_id: call!.call_id, output: '1' } as const;
    const second = client.responses.create({ model: 'any', input: [...input, call!, result] });
    expect((await answer()).messages.slice(1)).toEqual([
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: call!.call_id, type: 'function', function: { name: 'add', arguments: { a: 1 } } }],
      },
      { role: 'tool', tool_call_id: call!.call_id, name: 'add', content: '1' },
    ]);
    await second;
  });

  it('hands out what an answer must be', async () => {
    const { client, answer } = await opened();
    const schema = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] };
    const format = { type: 'json_schema', name: 'sum', schema, strict: true } as const;
    const tool = {
      type: 'function',
      name: 'add',
      description: null,
      parameters: schema,
      strict: false,
    } as const;
    const asked = { type: 'function', function: { name: 'add', description: '', parameters: schema } };
    const json = { kind: 'json', schema, isStrict: true };
    for (const [body, form] of [
      [{ text: { format } }, json],
      [
        { text: { format }, tools: [tool] },
        { ...json, orCalls: [asked] },
      ],
      [
        { tools: [tool], tool_choice: 'required' },
        { kind: 'call', tools: [asked] },
      ],
    ] as const) {
      const replying = client.responses.create({ model: 'any', input: 'Add.', ...(body as object) });
      expect((await answer()).form).toEqual(form);
      await replying;
    }
  });

  it.each([
    [{ previous_response_id: 'resp_0' }, /previous_response_id: nothing is stored here; send the items/],
    [{ input: [{ type: 'item_reference', id: 'a' }] }, /input\.0\.type: must be message, function_call/],
    [{ input: [{ role: 'user', content: [{ type: 'input_file' }] }] }, /input\.0\.content: must be a text/],
    [{ tools: [{ type: 'web_search' }] }, /tools\.0\.type: must be function; others run at OpenAI/],
    [
      { text: { format: { type: 'grammar' } } },
      /text\.format\.type: must be text, json_object or json_schema/,
    ],
    [{ best_of: 2 }, /best_of: is not supported by this server; leave it out/],
  ])('refuses %j by its name', async (field, message) => {
    const { client } = await opened();
    const asked = client.responses.create({ model: 'any', input: 'Hello', ...(field as object) });
    await expect(asked).rejects.toThrow(message);
  });

  it('is what a served agent answers, too', async () => {
    const { agent } = scriptedAgent();
    const service = agentService({ agent, batch: 8, random: Random.fromSeed(0), now: () => 5000 });
    const server = await listen({ fetch: (request) => service.fetch(request), port: 0, onFault: () => {} });
    onTestFinished(() => server.close());
    const client = new OpenAI({ baseURL: `${server.address}/v1`, apiKey: 'none', maxRetries: 0 });
    const response = await client.responses.create({ model: 'scripted', input: 'Room.\nTask' });
    expect(response).toMatchObject({ created_at: 5, output_text: '0 Task' });
    await expect(client.responses.create({ model: 'other', input: 'Room.' })).rejects.toThrow(
      /The served model is scripted/,
    );
    const measured = await (await fetch(`${server.address}/metrics`)).text();
    expect(measured).toContain('emac_requests_total{route="/v1/responses",status="200"} 1');
    expect(measured).not.toContain('route="/v1/chat/completions"');
  });
});
