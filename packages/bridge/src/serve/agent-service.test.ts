import { crc32, deflateSync } from 'node:zlib';
import { Random } from '@emac/core';
import { encodePng } from '@emac/images';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agentService } from './agent-service.ts';
import {
  breaking,
  longestAnswer,
  broken,
  noPlace,
  scriptedAgent,
  spoilt,
  textOf,
  tooLong,
} from './scripted-agent.test.support.ts';
import type { EpisodeAgent } from './served-agent.ts';

const emptyList = 'Room.\nCommands the world accepts now:\n';

function service(more: Partial<EpisodeAgent> = {}) {
  const scripted = scriptedAgent();
  const faults: unknown[] = [];
  const app = agentService({
    agent: { ...scripted.agent, ...more },
    batch: 8,
    random: Random.fromSeed(0),
    now: () => 1_000_000,
    onFault: (thrown) => faults.push(thrown),
  });
  const post = async (path: string, body: unknown) => {
    const response = await app.request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const chat = (changes: object) =>
    post('/v1/chat/completions', {
      model: 'scripted',
      messages: [{ role: 'user', content: 'Room.\nTask' }],
      ...changes,
    });
  return { ...scripted, app, post, chat, faults };
}

const called = { id: 'a', type: 'function', function: { name: 'weigh', arguments: '{}' } };
const weigh = { type: 'function', function: { name: 'weigh' } };

const picture = async (shade: number, size = 2) => {
  const data = new Uint8Array(size * size * 3).fill(shade);
  const png = await encodePng({ width: size, height: size, data });
  return `data:image/png;base64,${Buffer.from(png).toString('base64')}`;
};

/** A PNG of 74 bytes that claims to be 50,000 pixels wide and high. */
function bomb(): string {
  const chunk = (type: string, body: Buffer) => {
    const sizes = [Buffer.alloc(4), Buffer.alloc(4)];
    sizes[0]!.writeUInt32BE(body.byteLength);
    sizes[1]!.writeUInt32BE(crc32(Buffer.concat([Buffer.from(type), body])));
    return Buffer.concat([sizes[0]!, Buffer.from(type), body, sizes[1]!]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(50_000, 0);
  header.writeUInt32BE(50_000, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const png = Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.alloc(1))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
  return `data:image/png;base64,${png.toString('base64')}`;
}

describe('POST /v1/chat/completions', () => {
  it('says length only where a limit ended the answer, not where the policy stops at a line', async () => {
    const { agent } = scriptedAgent();
    const stopping = (stop: readonly string[]) =>
      service({
        question: async (...given) => ({ ...(await agent.question(...given)), stop }),
        tokenTexts: (tokens) => tokens.map((_, place) => (place === tokens.length - 1 ? '\n' : 'look')),
      });
    const endOf = async (stop: readonly string[], changes = {}) => {
      const { body } = await stopping(stop).chat(changes);
      return (body['choices'] as { finish_reason: string }[])[0]!.finish_reason;
    };
    expect(await endOf(['\n'])).toBe('stop');
    expect(await endOf(['\n'], { max_tokens: 1 })).toBe('length');
    expect(await endOf([])).toBe('length');
  });

  it('passes the messages to the policy, and answers like OpenAI', async () => {
    const { chat, decided, situations } = service();
    const { status, body } = await chat({
      messages: [
        { role: 'developer', content: 'rules' },
        { role: 'user', content: [{ type: 'text', text: 'Room.\nTask' }] },
        { role: 'assistant', content: 'look' },
        { role: 'user', content: 'A desk.' },
      ],
      user: 'somebody',
      n: 1,
    });
    expect(status).toBe(200);
    expect(situations[0]!.history).toEqual({
      initial: 'Room.\nTask',
      turns: [{ command: 'look', observation: 'A desk.' }],
    });
    expect(decided[0]!.sampling).toEqual({ kind: 'search', beams: 5 });
    expect(body).toEqual({
      id: expect.stringMatching(/^chatcmpl-/),
      object: 'chat.completion',
      created: 1000,
      model: 'scripted',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: '0 A desk.', refusal: null },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      // Room. Task > look A desk. > and 0, A, desk., the end
      usage: { prompt_tokens: 7, completion_tokens: 4, total_tokens: 11 },
    });
  });

  it('accepts its own messages back from clients, and ignores fields without meaning here', async () => {
    const { chat, situations } = service();
    const own = { refusal: null, annotations: [], audio: null, function_call: null };
    const { status } = await chat({
      messages: [
        { role: 'user', content: 'Room.' },
        { role: 'assistant', content: 'look', ...own, tool_calls: [] },
        { role: 'user', content: 'Desk.' },
        { role: 'assistant', content: null, ...own, tool_calls: null },
        { role: 'user', content: 'Bed.' },
      ],
      parallel_tool_calls: false,
      reasoning_effort: 'low',
    });
    expect(status).toBe(200);
    expect(situations[0]!.history.turns).toEqual([
      { command: 'look', observation: 'Desk.' },
      { command: '', observation: 'Bed.' },
    ]);
  });

  it('shows the pictures of the last message only', async () => {
    const { chat, situations } = service();
    const image = async (shade: number) => ({
      type: 'image_url',
      image_url: { url: await picture(shade), detail: 'low' },
    });
    const { status } = await chat({
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Room.' }, await image(10)] },
        { role: 'assistant', content: 'look' },
        { role: 'user', content: [await image(20), { type: 'text', text: 'Desk.' }, await image(30)] },
      ],
    });
    expect(status).toBe(200);
    expect(situations[0]!.frames.map(({ data }) => data[0])).toEqual([20, 30]);
  });

  it('samples if a temperature is given, equally for equal seeds', async () => {
    const { chat, decided } = service();
    for (const seed of [7, 7, null, undefined])
      expect((await chat({ temperature: 0.5, top_p: 0.9, seed })).status).toBe(200);
    await chat({ temperature: 0, top_p: 0.9 });
    expect(decided.map(({ sampling }) => sampling)).toEqual([
      ...Array.from({ length: 4 }, () => ({ kind: 'sample', temperature: 0.5, topP: 0.9 })),
      { kind: 'search', beams: 5 },
    ]);
    const paths = decided.map(({ questions }) => questions[0]!.random?.path);
    expect(paths[0]).toBe(paths[1]);
    expect(new Set(paths).size).toBe(4);
    expect(paths[4]).toBeUndefined();
  });

  it.each([
    ['no JSON', '{', 'bad_json', null],
    ['no object', '[]', 'invalid_value', null],
    ['no messages', { messages: [] }, 'invalid_value', 'messages'],
    ['no user', { messages: [{ role: 'system', content: 'x' }] }, 'invalid_value', 'messages'],
    [
      'a call',
      { messages: [{ role: 'assistant', content: null, tool_calls: [called] }] },
      'invalid_value',
      'messages.0',
    ],
    [
      'sound',
      { messages: [{ role: 'assistant', content: 'x', audio: {} }] },
      'invalid_value',
      'messages.0.audio',
    ],
    [
      'no text of the user',
      { messages: [{ role: 'user', content: null }] },
      'invalid_value',
      'messages.0.content',
    ],
    [
      'what is not known of a message',
      { messages: [{ role: 'user', content: 'x', weight: 1 }] },
      'invalid_value',
      'messages.0.weight',
    ],
    [
      'an empty list of commands',
      { messages: [{ role: 'user', content: emptyList }] },
      'invalid_value',
      'messages',
    ],
    [
      'a tool',
      { messages: [{ role: 'tool', tool_call_id: 'a', content: 'x' }] },
      'invalid_value',
      'messages.0',
    ],
    ['another role', { messages: [{ role: 'function', content: 'x' }] }, 'invalid_value', 'messages.0.role'],
    ['tools', { tools: [weigh] }, 'invalid_value', 'tools'],
    ['two equal answers', { n: 2 }, 'invalid_value', 'n'],
    ['JSON as answer', { response_format: { type: 'json_object' } }, 'invalid_value', 'response_format'],
    ['other tokens', { logprobs: true, top_logprobs: 2 }, 'invalid_value', 'top_logprobs'],
    ['what is not known', { best_of: 3 }, 'invalid_value', 'best_of'],
    ['options of no stream', { stream_options: {} }, 'invalid_value', 'stream_options'],
    ['much heat', { temperature: 3 }, 'invalid_value', 'temperature'],
    ['another model', { model: 'gpt-4o' }, 'model_not_found', 'model'],
    ['a long prompt', { messages: [{ role: 'user', content: tooLong }] }, 'invalid_value', null],
    [
      'a longer prompt',
      { messages: [{ role: 'user', content: 'x'.repeat(70_000) }] },
      'invalid_value',
      'messages',
    ],
  ])('refuses %s', async (_what, changes, code, param) => {
    const { chat, post, faults } = service();
    const sent = typeof changes === 'string' ? post('/v1/chat/completions', changes) : chat(changes);
    const { status, body } = await sent;
    expect(status).toBe(code === 'model_not_found' ? 404 : 400);
    expect(body).toEqual({
      error: { message: expect.any(String), type: 'invalid_request_error', param, code },
    });
    expect(faults).toEqual([]);
  });

  it('refuses pictures by URL, invalid ones, and ones with false sizes', async () => {
    const { chat, situations } = service();
    const urls = [
      'http://127.0.0.1:1/picture.png',
      'file:///etc/passwd',
      'data:image/svg+xml;base64,PHN2Zy8+',
      'data:image/png;base64,AAAA',
      bomb(),
    ];
    for (const url of urls) {
      const { status, body } = await chat({
        messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }],
      });
      expect([status, (body['error'] as { param: string }).param]).toEqual([400, 'messages']);
    }
    const many = Array.from({ length: 5 }, () => ({
      type: 'image_url',
      image_url: { url: 'data:image/png;base64,' },
    }));
    expect((await chat({ messages: [{ role: 'user', content: many }] })).status).toBe(400);
    expect(situations).toEqual([]);
  });

  it('reveals nothing about an internal fault', async () => {
    const { chat, faults } = service();
    const { status, body } = await chat({ messages: [{ role: 'user', content: breaking }] });
    expect(status).toBe(500);
    expect(body).toMatchObject({ error: { type: 'server_error', code: 'internal_error' } });
    expect(JSON.stringify(body)).not.toMatch(/cannot read|\.ts|\//);
    expect(faults).toHaveLength(1);
  });

  it.each([broken, spoilt, noPlace])(
    'reveals nothing about a fault of model or provider: %s',
    async (content) => {
      const { chat, faults } = service();
      const { status, body } = await chat({ messages: [{ role: 'user', content }] });
      expect([status, JSON.stringify(body)]).toEqual([
        500,
        expect.not.stringMatching(/model\.onnx|device|token id/),
      ]);
      expect(faults).toEqual([expect.objectContaining({ message: content })]);
    },
  );

  it("reports the length of a long prompt, without the model's message", async () => {
    const { chat } = service();
    const { body } = await chat({ messages: [{ role: 'user', content: tooLong }] });
    // much too long >
    expect((body['error'] as { message: string }).message).toMatch(
      /^The prompt has 4 tokens .*; shorten it\.$/,
    );
  });

  it('names the field if no admissible command fits an answer', async () => {
    const { post } = service();
    const act = (admissible: string[]) =>
      post('/v1/act', { history: { initial: 'A room.', turns: [] }, admissible, admissible_only: true });
    const long = 'x'.repeat(longestAnswer + 1);
    expect(await act([long])).toMatchObject({
      status: 400,
      body: {
        error: { param: 'admissible', message: expect.stringContaining('list shorter ones') as string },
      },
    });
    expect((await act([long, 'look'])).status).toBe(200);
  });

  it('accepts JSON only', async () => {
    const { app } = service();
    for (const type of ['text/plain', 'application/jsonp', ''])
      expect(
        (
          await app.request('/v1/act', {
            method: 'POST',
            headers: { 'content-type': type },
            body: '{"prompt":"x"}',
          })
        ).status,
      ).toBe(415);
  });
});

describe('POST /v1/act', () => {
  const history = { initial: 'Room.\nTask', turns: [{ command: 'look', observation: 'A desk.' }] };

  it('answers with an action and its log-probability', async () => {
    const { post } = service();
    const { status, body } = await post('/v1/act', { history, images: [await picture(1)] });
    expect(status).toBe(200);
    expect(body).toEqual({
      model: 'scripted',
      action: '1 A DESK.',
      text: ' 1 A desk.',
      log_probability: -1 - 2 - 3 - 4,
      tokens: [
        { id: 1, text: ' 1', log_probability: -1 },
        { id: 2, text: ' A', log_probability: -2 },
        { id: 3, text: ' desk.', log_probability: -3 },
        { id: 0, text: '', log_probability: -4 },
      ],
    });
  });

  it('accepts printable commands without blanks around them', async () => {
    const { post, situations } = service();
    const act = (command: string) =>
      post('/v1/act', { history, admissible: [command], admissible_only: true });
    for (const command of ['', '  ', '\n', 'look\nup', 'look\u0007', 'look\ud800'])
      expect((await act(command)).status, JSON.stringify(command)).toBe(400);
    expect((await act(' look ')).status).toBe(200);
    expect(situations.map(({ admissible }) => admissible)).toEqual([['look']]);
  });

  it('names the missing field of an agent restricted to admissible commands', async () => {
    const { post } = service({ admissibleOnly: true });
    const refused = await post('/v1/act', { history });
    expect(refused).toMatchObject({ status: 400, body: { error: { param: 'admissible' } } });
    expect(JSON.stringify(refused.body)).toMatch(/must list one or more commands/);
    expect((await post('/v1/act', { history, admissible: ['look'] })).status).toBe(200);
    expect((await post('/v1/act', { history, admissible_only: false })).status).toBe(200);
  });

  it('reads UTF-8 only', async () => {
    const { app } = service();
    const body = Buffer.from('{"prompt":"\xff"}', 'latin1');
    const headers = { 'content-type': 'application/json' };
    const response = await app.request('/v1/act', { method: 'POST', headers, body });
    expect([response.status, await response.json()]).toMatchObject([400, { error: { code: 'bad_json' } }]);
  });

  it('reads an episode as one text', async () => {
    const { post, decided } = service();
    await post('/v1/act', { prompt: 'Room.\nTask\n>' });
    expect(textOf(decided[0]!.questions[0]!.prompt)).toBe('Room.\nTask\n>');
  });

  it('restricts the answer to admissible actions if asked', async () => {
    const { post } = service();
    const admissible = ['inventory', 'look'];
    expect((await post('/v1/act', { history, admissible })).body['text']).toBe(' 0 A desk.');
    const kept = await post('/v1/act', { history, admissible, admissible_only: true });
    expect(kept.body['text']).toBe(' inventory');
    for (const none of [{}, { admissible: null }, { admissible: [] }])
      expect((await post('/v1/act', { history, ...none, admissible_only: true })).status).toBe(400);
  });

  it('refuses every invalid request', async () => {
    const { post, faults } = service();
    const both = { history, prompt: 'x' };
    for (const body of [{}, both, { prompt: 'x'.repeat(70_000) }, { prompt: 1 }, null])
      expect((await post('/v1/act', body)).status).toBe(400);
    const fields = fc.record(
      {
        model: fc.anything(),
        messages: fc.anything(),
        history: fc.anything(),
        prompt: fc.oneof(fc.anything(), fc.string()),
        images: fc.anything(),
        admissible: fc.anything(),
        admissible_only: fc.anything(),
      },
      { requiredKeys: ['images'] },
    );
    const cut = fc.tuple(fc.json(), fc.nat(100)).map(([text, length]) => text.slice(0, length));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('/v1/act', '/v1/chat/completions'),
        fc.oneof(
          cut,
          fields.map((each) => JSON.stringify(each)),
        ),
        async (path, body) => {
          const { status } = await post(path, body);
          expect(status === 200 || (status >= 400 && status < 500)).toBe(true);
        },
      ),
      { numRuns: 300 },
    );
    const deep = '['.repeat(1_000_000);
    expect((await post('/v1/act', deep)).status).toBe(400);
    expect((await post('/v1/act', `{"prompt":${deep}${']'.repeat(1_000_000)}}`)).status).toBe(400);
    expect(faults).toEqual([]);
  });
});

describe('the rest of the service', () => {
  it('lists the agent, reports health, and counts', async () => {
    const { app, chat, post } = service();
    const list = (await (await app.request('/v1/models')).json()) as { data: object[] };
    expect(list.data).toEqual([{ id: 'scripted', object: 'model', created: 1000, owned_by: 'emac' }]);
    expect((await app.request('/v1/models/scripted')).status).toBe(200);
    expect((await app.request('/v1/models/other')).status).toBe(404);
    expect(await (await app.request('/healthz')).json()).toEqual({ status: 'ok' });
    await chat({});
    await chat({ n: 2 });
    await post('/v1/act', { prompt: 'x' });
    expect((await app.request('/v1/chats')).status).toBe(404);
    const text = await (await app.request('/metrics')).text();
    for (const line of [
      'emac_requests_total{route="/v1/chat/completions",status="200"} 1',
      'emac_requests_total{route="/v1/chat/completions",status="400"} 1',
      'emac_requests_total{route="other",status="404"} 1',
      'emac_request_seconds_bucket{route="/v1/chat/completions",le="+Inf"} 2',
      'emac_request_seconds_count{route="/v1/act"} 1',
      'emac_batch_questions_bucket{le="1"} 2',
      'emac_batch_questions_count 2',
      // 0, Task and the end; 0, x and the end
      'emac_answer_tokens_total 6',
      'emac_waiting_questions 0',
    ])
      expect(text.split('\n')).toContain(line);
  });
});
