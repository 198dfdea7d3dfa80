/** The address of a policy in training, over real HTTP. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { openGateway, type AttemptRequests } from './gateway.ts';

const opened = async () => {
  const gateway = await openGateway({ model: 'policy' });
  onTestFinished(() => gateway.close());
  const attempt = gateway.attempt();
  const post = async (body: object, headers: Readonly<Record<string, string>> = {}) => {
    const response = await fetch(`${gateway.baseURL}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${attempt.apiKey}`, ...headers },
      body: JSON.stringify({ model: 'any', ...body }),
    });
    return { status: response.status, text: await response.text() };
  };
  return { gateway, attempt, post };
};

const messages = [
  { role: 'developer', content: 'Be brief.' },
  { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
];

const answer = { text: 'Hi you', tokens: [7, 8, 0], logProbabilities: [-1, -2, -3] };
const answeredWith = { answer, texts: ['Hi', ' you', ''], promptTokens: 5 };

async function answered(attempt: AttemptRequests): Promise<object> {
  const request = await attempt.next();
  request.answer(answeredWith);
  return request.asked;
}

const errorIn = ({ text }: { readonly text: string }) =>
  (JSON.parse(text) as { readonly error: { readonly code: string; readonly message: string } }).error;

describe('a gateway', () => {
  it('hands out a request with its limits, and answers it in OpenAI’s form', async () => {
    const { attempt, post } = await opened();
    const replying = post({ messages, max_tokens: 7, stop: 'END', temperature: 0.1, logprobs: true });
    expect(await answered(attempt)).toEqual({
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hello' },
      ],
      maxTokens: 7,
      stop: ['END'],
    });
    const { status, text } = await replying;
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({
      model: 'any',
      choices: [
        {
          message: { role: 'assistant', content: 'Hi you' },
          finish_reason: 'stop',
          logprobs: { content: [{ logprob: -1 }, { logprob: -2 }] },
        },
      ],
      usage: { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 },
    });
  });

  it('hands out what an answer must be', async () => {
    const { attempt, post } = await opened();
    const tool = (name: string) => ({
      type: 'function',
      function: { name, description: '', parameters: {} },
    });
    const tools = [tool('a'), tool('b')];
    for (const [body, form] of [
      [
        { tools, tool_choice: 'required' },
        { kind: 'call', tools },
      ],
      [
        { tools, tool_choice: { type: 'function', function: { name: 'b' } } },
        { kind: 'call', tools: tools.slice(1) },
      ],
      [{ response_format: { type: 'json_object' } }, { kind: 'json', schema: null, isStrict: false }],
    ] as const) {
      const replying = post({ messages, ...body });
      expect(await answered(attempt)).toMatchObject({ form });
      await replying;
    }
  });

  it('streams an answer, one token an event', async () => {
    const { attempt, post } = await opened();
    const replying = post({ messages, stream: true });
    await answered(attempt);
    const events = (await replying).text.split('\n\n').filter((line) => line.startsWith('data: {'));
    const pieces = events.map(
      (line) =>
        (
          JSON.parse(line.slice(6)) as {
            readonly choices: readonly { readonly delta: { content?: string } }[];
          }
        ).choices[0]!.delta.content ?? '',
    );
    expect(pieces).toEqual(['', 'Hi', ' you', '']);
  });

  it('takes one request of an attempt at a time, and knows a repetition of a client that gave up waiting', async () => {
    const { attempt, post } = await opened();
    const first = post({ messages });
    const request = await attempt.next();
    expect(errorIn(await post({ messages: messages.slice(1) })).code).toBe('one_request_at_a_time');
    const again = post({ messages }, { 'x-stainless-retry-count': '1' });
    request.answer(answeredWith);
    for (const reply of [await first, await again]) expect(reply.text).toContain('Hi you');
    // the same words once more are another request
    const anew = post({ messages });
    await answered(attempt);
    expect((await anew).status).toBe(200);
  });

  it('hands out tools, calls and what tools said, and answers with calls', async () => {
    const { attempt, post } = await opened();
    const parameters = { type: 'object', properties: { thing: { type: 'string' } } };
    const weigh = { name: 'weigh', description: 'Says how heavy.', parameters };
    const call = { id: 'call00000', type: 'function' };
    const replying = post({
      messages: [
        ...messages,
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ ...call, function: { name: 'weigh', arguments: '{"thing":"a pen"}' } }],
        },
        { role: 'tool', tool_call_id: 'call00000', content: [{ type: 'text', text: 'Light.' }] },
      ],
      tools: [{ type: 'function', function: { ...weigh, strict: true } }],
      tool_choice: 'auto',
    });
    const request = await attempt.next();
    expect(request.asked.tools).toEqual([{ type: 'function', function: weigh }]);
    expect(request.asked.messages.slice(2)).toEqual([
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ ...call, function: { name: 'weigh', arguments: { thing: 'a pen' } } }],
      },
      { role: 'tool', tool_call_id: 'call00000', name: 'weigh', content: 'Light.' },
    ]);
    const text = '<tool_call>\n{"name": "weigh", "arguments": {"thing": "a cup"}}\n</tool_call>';
    request.answer({
      answer: { text, tokens: [7, 0], logProbabilities: [-1, -2] },
      texts: [text, ''],
      promptTokens: 5,
    });
    expect(JSON.parse((await replying).text)).toMatchObject({
      choices: [
        {
          message: {
            content: null,
            tool_calls: [{ ...call, function: { name: 'weigh', arguments: '{"thing":"a cup"}' } }],
          },
          finish_reason: 'tool_calls',
        },
      ],
    });
  });

  it.each([
    [{ n: 2 }, 'n: in training every answer is a step of the attempt; leave it out'],
    [{ response_format: { type: 'xml' } }, 'response_format.type: must be text, json_object or json_schema'],
    [{ best_of: 2 }, 'best_of: is not supported by this server; leave it out'],
  ])('refuses %j by its name', async (field, message) => {
    const { post } = await opened();
    const reply = await post({ messages, ...field });
    expect(reply.status).toBe(400);
    expect(errorIn(reply).message).toBe(message);
  });

  it('refuses keys of no attempt, and requests of one that is over', async () => {
    const { attempt, post, gateway } = await opened();
    expect((await post({ messages }, { authorization: 'Bearer sk-mine' })).status).toBe(401);
    const waiting = post({ messages });
    await attempt.next();
    attempt.close({ status: 400, code: 'step_limit', message: 'No more.' });
    expect(errorIn(await waiting).code).toBe('step_limit');
    expect(errorIn(await post({ messages })).code).toBe('step_limit');
    const models = await fetch(`${gateway.baseURL}/models`);
    expect(await models.json()).toMatchObject({ data: [{ id: 'policy' }] });
  });

  it('refuses an open request of an attempt that ends, and forgets its key', async () => {
    const { attempt, post } = await opened();
    const waiting = post({ messages });
    await attempt.next();
    attempt.end();
    expect(errorIn(await waiting).code).toBe('attempt_over');
    expect((await post({ messages })).status).toBe(401);
  });

  it('numbers answers by the order of the requests, so a repetition shifts none', async () => {
    const { attempt, post } = await opened();
    const idOf = async (posted: ReturnType<typeof post>) =>
      (JSON.parse((await posted).text) as { readonly id: string }).id;
    const first = post({ messages });
    await answered(attempt);
    expect(await idOf(first)).toBe('chatcmpl-0');
    expect(await idOf(post({ messages }, { 'x-stainless-retry-count': '1' }))).toBe('chatcmpl-0');
    const second = post({ messages: [...messages, { role: 'user', content: 'More' }] });
    await answered(attempt);
    expect(await idOf(second)).toBe('chatcmpl-1');
  });
});
