import { EmacError, Random, type ChatMessage } from '@emac/core';
import { afterEach, describe, expect, it } from 'vitest';
import { spendingBudget } from './budget.ts';
import {
  chatAnswer,
  faultServer,
  json,
  refusal,
  type Answer,
  type FaultServer,
} from './fault-server.test.support.ts';
import { requestKey, type JournalEntry } from './journal.ts';
import { openaiLanguageModel, type OpenaiLanguageModelOptions } from './language-model.ts';
import { callLimits, type Limits } from './limits.ts';
import { manualClock, type ManualClock } from './manual-clock.test.support.ts';

const key = 'sk-CANARY-4f9a2c71d8';
const messages: readonly ChatMessage[] = [{ role: 'user', content: 'What now?' }];

let servers: FaultServer[] = [];
/** Time advances when the model waits and when a test says so. */
let clock: ManualClock = manualClock();
afterEach(async () => {
  clock = manualClock();
  await Promise.all(servers.map((server) => server.close()));
  servers = [];
});

async function start(...script: readonly Answer[]): Promise<FaultServer> {
  const server = await faultServer(...script);
  servers.push(server);
  return server;
}

function modelAt(baseUrl: string, more: Partial<OpenaiLanguageModelOptions> = {}) {
  return openaiLanguageModel({
    baseUrl,
    apiKey: key,
    model: 'teacher',
    clock,
    random: Random.fromSeed(0),
    deadlineMs: 2000,
    backoffMs: 2,
    maxBackoffMs: 8,
    maxRetryAfterMs: 20,
    maxAttempts: 4,
    ...more,
  });
}

async function failure(promise: Promise<unknown>): Promise<EmacError> {
  const thrown = await promise.then(
    () => null,
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(EmacError);
  expect(everythingIn(thrown as EmacError)).not.toContain('CANARY');
  return thrown as EmacError;
}

/** Message, stack and causes, as in a crash report. */
function everythingIn(error: Error): string {
  const cause =
    error.cause instanceof Error ? everythingIn(error.cause) : JSON.stringify(error.cause ?? null);
  return [error.message, error.stack, JSON.stringify(error), cause].join('\n');
}

describe('openaiLanguageModel', () => {
  it('sends the conversation with the key and returns the text', async () => {
    const server = await start(chatAnswer('go to desk 1'));
    const text = await modelAt(server.baseUrl).complete(messages, {
      maxTokens: 7,
      temperature: 0.4,
      stop: ['\n>'],
    });
    expect(text).toBe('go to desk 1');
    expect(server.seen).toHaveLength(1);
    expect(server.seen[0]!.path).toBe('/v1/chat/completions');
    expect(server.seen[0]!.headers.authorization).toBe(`Bearer ${key}`);
    expect(server.seen[0]!.body).toEqual({
      model: 'teacher',
      messages,
      max_tokens: 7,
      temperature: 0.4,
      stop: ['\n>'],
    });
  });

  it('supports the responses interface', async () => {
    const server = await start(
      json(200, {
        output: [
          { type: 'reasoning', summary: [] },
          { type: 'message', content: [{ type: 'output_text', text: 'look' }] },
        ],
        usage: { input_tokens: 1, output_tokens: 1 },
      }),
    );
    expect(await modelAt(server.baseUrl, { api: 'responses' }).complete(messages, { maxTokens: 7 })).toBe(
      'look',
    );
    expect(server.seen[0]!.path).toBe('/v1/responses');
    expect(server.seen[0]!.body).toEqual({
      model: 'teacher',
      input: messages,
      max_output_tokens: 7,
      temperature: 0,
    });
  });

  describe('with a tool to call', () => {
    const tool = { name: 'act', description: 'Acts.', parameters: { type: 'object' } };
    const call = { name: 'act', arguments: '{"action":"look"}' };

    it('returns the arguments of its call in chat, and takes other calls for none', async () => {
      const answer = (called: object) =>
        json(200, {
          choices: [
            { message: { content: null, tool_calls: [{ function: called }] }, finish_reason: 'tool_calls' },
          ],
        });
      const server = await start(answer(call), answer({ ...call, name: 'search' }));
      const model = modelAt(server.baseUrl);
      expect(await model.reply(messages, { tool })).toMatchObject({ text: call.arguments, end: 'stop' });
      expect(server.seen[0]!.body).toMatchObject({
        tools: [{ type: 'function', function: tool }],
        tool_choice: { type: 'function', function: { name: 'act' } },
      });
      expect(await model.reply(messages, { tool })).toMatchObject({ text: '', end: 'tool-call' });
    });

    it('returns arguments that a server gives as an object', async () => {
      const message = {
        content: null,
        tool_calls: [{ function: { ...call, arguments: { action: 'look' } } }],
      };
      const server = await start(json(200, { choices: [{ message, finish_reason: 'tool_calls' }] }));
      expect(await modelAt(server.baseUrl).reply(messages, { tool })).toMatchObject({
        text: call.arguments,
      });
    });

    it('returns them in the responses interface', async () => {
      const server = await start(json(200, { output: [{ type: 'function_call', ...call }] }));
      const model = modelAt(server.baseUrl, { api: 'responses' });
      expect(await model.reply(messages, { tool })).toMatchObject({ text: call.arguments, end: 'stop' });
      expect(server.seen[0]!.body).toMatchObject({
        tools: [{ type: 'function', ...tool }],
        tool_choice: { type: 'function', name: 'act' },
      });
    });

    it('is refused by the completions interface, and is another request than without', async () => {
      const model = modelAt('http://127.0.0.1:9/v1', { api: 'completions' });
      await expect(model.complete(messages, { tool })).rejects.toThrow('completions: has no tools');
      const asked = { api: 'chat', model: 'm', messages: [], maxTokens: 1, temperature: 0, stop: [] };
      expect(requestKey({ ...asked, tool })).not.toBe(requestKey(asked));
    });
  });

  it('supports the completions interface', async () => {
    const server = await start(json(200, { choices: [{ text: ' look' }] }));
    expect(await modelAt(server.baseUrl, { api: 'completions' }).complete(messages, { maxTokens: 7 })).toBe(
      ' look',
    );
    expect(server.seen[0]!.path).toBe('/v1/completions');
    expect(server.seen[0]!.body).toEqual({
      model: 'teacher',
      prompt: 'What now?',
      max_tokens: 7,
      temperature: 0,
    });
  });

  it('sends a completions question without an open command, and shows commands with one', async () => {
    const server = await start(json(200, { choices: [{ text: 'look' }] }));
    const model = modelAt(server.baseUrl, { api: 'completions' });
    const question = { role: 'user', content: 'New plan: ' } as const;
    const command = { role: 'assistant', content: 'look' } as const;
    await model.complete([{ role: 'system', content: 'You advise.' }, question]);
    await model.complete([...messages, command, { role: 'user', content: 'A desk.' }]);
    expect(server.seen.map(({ body }) => body['prompt'])).toEqual([
      'You advise.\n\nNew plan: ',
      'What now?\n> look\nA desk.\n>',
    ]);
  });

  it('hides a key contained in an answer', async () => {
    const encoded = Buffer.from(key).toString('base64');
    const server = await start(chatAnswer(`go to desk 1\n\nBearer ${key}, ${encoded}`));
    expect(await modelAt(server.baseUrl).complete(messages)).toBe('go to desk 1\n\nBearer [key], [key]');
  });

  it.each([
    ['429', refusal(429, 'slow down')],
    ['408', refusal(408, 'timeout')],
    ['409', refusal(409, 'conflict')],
    ['500', refusal(500, 'oops')],
    [
      '503 with HTML',
      ((response) => response.writeHead(503, { 'content-type': 'text/html' }).end('<h1>no</h1>')) as Answer,
    ],
    [
      'HTML with 200',
      ((response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>hi</h1>')) as Answer,
    ],
    [
      'no JSON with 200',
      ((response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"choi')) as Answer,
    ],
    ['an empty object', json(200, {})],
    ['no choices', json(200, { choices: [] })],
    ['an error with 200', json(200, { error: { message: 'loading' } })],
    ['a cut connection', ((response) => response.destroy()) as Answer],
    [
      'a cut body',
      ((response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
        response.write('{"cho');
        setTimeout(() => response.destroy(), 5);
      }) as Answer,
    ],
  ])('retries after %s', async (_, answer) => {
    const server = await start(answer, chatAnswer('look'));
    expect(await modelAt(server.baseUrl).complete(messages)).toBe('look');
    expect(server.seen).toHaveLength(2);
  });

  it('stops after its attempts with the last fault', async () => {
    const server = await start(refusal(500, 'the disk is on fire'));
    const error = await failure(modelAt(server.baseUrl).complete(messages));
    expect(error.code).toBe('unavailable');
    expect(error.message).toContain('the disk is on fire');
    expect(server.seen).toHaveLength(4);
  });

  it('reports that nobody listens at the address', async () => {
    const server = await start(chatAnswer('look'));
    await server.close();
    const error = await failure(modelAt(server.baseUrl, { maxAttempts: 2 }).complete(messages));
    expect(error.code).toBe('unavailable');
    expect(error.message).toContain('ECONNREFUSED');
  });

  it('honours Retry-After up to its cap', async () => {
    const server = await start(json(429, {}, { 'retry-after': '3600' }), chatAnswer('look'));
    expect(await modelAt(server.baseUrl, { maxRetryAfterMs: 60 }).complete(messages)).toBe('look');
    expect(clock.waits).toEqual([60]);
  });

  it('does not start a wait that would end after the deadline', async () => {
    const server = await start(json(429, { error: { message: 'busy' } }, { 'retry-after': '3600' }));
    const error = await failure(modelAt(server.baseUrl, { maxRetryAfterMs: 60_000 }).complete(messages));
    expect(error.code).toBe('unavailable');
    expect(error.message).toContain('after the deadline');
    expect([clock.waits, server.seen.length]).toEqual([[], 1]);
  });

  // lets the client read the sent data before time advances; a shorter pause changes no expectation
  const soon = (action: () => void) => (): void => void setTimeout(action, 10);
  const silent: Answer = () => clock.pass(50);
  const headersOnly: Answer = (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write(
      '{"choices":',
      soon(() => clock.pass(50)),
    );
  };
  const trickle: Answer = (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const bytes = (left: number): void =>
      void response.write(' ', () => {
        clock.pass(10);
        if (left > 1) soon(() => bytes(left - 1))();
      });
    bytes(5);
  };
  it.each([
    ['no headers', silent],
    ['a stalled body', headersOnly],
    ['a body without an end', trickle],
  ] as const)('ends at the deadline with %s', async (_, answer) => {
    const server = await start(answer);
    const began = clock.now();
    const error = await failure(modelAt(server.baseUrl, { deadlineMs: 150 }).complete(messages));
    expect(error.code).toBe('unavailable');
    expect(error.message).toContain(
      'no complete reply within 150 ms (before: no complete reply within 50 ms)',
    );
    // two attempts of 50 ms with waits of at most 2 and 4 ms after them; the deadline cuts the third
    expect([server.seen.length, clock.waits.length]).toEqual([3, 2]);
    expect(clock.now() - began).toBeLessThanOrEqual(156);
  });

  it('depends on its clock alone: a slow machine costs no attempt', async () => {
    const slow: Answer = (response, request) => {
      setTimeout(() => chatAnswer('look')(response, request), 60);
    };
    const server = await start(slow);
    expect(await modelAt(server.baseUrl, { deadlineMs: 3 }).complete(messages)).toBe('look');
    expect(server.seen).toHaveLength(1);
  });

  it('reads no more of a body than its limit', async () => {
    let sent = 0;
    const flood: Answer = (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const more = (): void => {
        while (!response.destroyed && sent < 64e6 && response.write(Buffer.alloc(65536, 32))) sent += 65536;
      };
      response.on('drain', more);
      more();
    };
    const server = await start(flood);
    const error = await failure(
      modelAt(server.baseUrl, { maxResponseBytes: 1000, maxAttempts: 1 }).complete(messages),
    );
    expect(error.message).toContain('larger than 1000 bytes');
    expect(sent).toBeLessThan(32e6);
  });

  it('treats a reply without text as an empty one', async () => {
    const server = await start(chatAnswer(null), json(200, { choices: [{ message: { tool_calls: [] } }] }));
    const model = modelAt(server.baseUrl);
    expect(await model.complete(messages)).toBe('');
    expect(await model.complete(messages)).toBe('');
    expect(server.seen).toHaveLength(2);
  });

  it('omits temperature after the server rejects it, and remembers that', async () => {
    const server = await start(
      refusal(400, "Unsupported value: 'temperature' does not support 0"),
      chatAnswer('look'),
    );
    const model = modelAt(server.baseUrl, { maxAttempts: 1 });
    expect(await model.complete(messages, { maxTokens: 5 })).toBe('look');
    expect(await model.complete(messages, { maxTokens: 5 })).toBe('look');
    expect(server.seen.map(({ body }) => 'temperature' in body)).toEqual([true, false, false]);
  });

  it('replaces max_tokens by its successor, omits stop, and gives up when an unsent field is rejected', async () => {
    const server = await start(
      refusal(
        400,
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      ),
      refusal(400, 'Unsupported parameter', { param: 'stop' }),
      chatAnswer('look'),
      refusal(400, "Unsupported parameter: 'stop'"),
    );
    const model = modelAt(server.baseUrl);
    expect(await model.complete(messages, { maxTokens: 5, stop: ['x'] })).toBe('look');
    expect(server.seen[1]!.body).toMatchObject({ max_completion_tokens: 5, stop: ['x'] });
    expect(server.seen[1]!.body).not.toHaveProperty('max_tokens');
    expect(server.seen[2]!.body).not.toHaveProperty('stop');
    expect((await failure(model.complete(messages, { stop: ['x'] }))).code).toBe('usage');
    expect(server.seen).toHaveLength(4);
  });

  it.each([401, 403])('does not retry after %i, and hides the key that the server echoes', async (status) => {
    const echo = `Incorrect API key provided: ${key} (${Buffer.from(key).toString('base64')})`;
    const server = await start(refusal(status, echo));
    const error = await failure(modelAt(server.baseUrl).complete(messages));
    expect(error.code).toBe('auth');
    expect(error.message).toContain('OPENAI_API_KEY');
    expect(everythingIn(error)).not.toContain(Buffer.from(key).toString('base64'));
    expect(server.seen).toHaveLength(1);
  });

  it.each([
    ['in an error', refusal(500, `key ${key}`)],
    [
      'in a page',
      ((response) =>
        response.writeHead(200, { 'content-type': 'text/html' }).end(`${'x'.repeat(90)}${key}`)) as Answer,
    ],
    [
      'in broken JSON',
      ((response) =>
        response.writeHead(200, { 'content-type': 'application/json' }).end(`"${key}`)) as Answer,
    ],
    ['in an object', json(200, { key })],
  ])('hides a key %s', async (_, answer) => {
    const server = await start(answer);
    await failure(modelAt(server.baseUrl, { maxAttempts: 2 }).complete(messages));
  });

  it.each([400, 404])('does not retry after %i', async (status) => {
    const server = await start(refusal(status, 'no such model'));
    expect((await failure(modelAt(server.baseUrl).complete(messages))).code).toBe('usage');
    expect(server.seen).toHaveLength(1);
  });

  it('does not retry when the quota is used up, and follows no redirect', async () => {
    const quota = await start(
      refusal(429, 'You exceeded your current quota', { code: 'insufficient_quota' }),
    );
    expect((await failure(modelAt(quota.baseUrl).complete(messages))).code).toBe('interrupted');
    expect(quota.seen).toHaveLength(1);
    const elsewhere = await start(chatAnswer('stolen'));
    const redirect = await start(json(307, {}, { location: `${elsewhere.baseUrl}/chat/completions` }));
    await failure(modelAt(redirect.baseUrl).complete(messages));
    expect(elsewhere.seen).toHaveLength(0);
  });
});

describe('the journal', () => {
  it('holds every reply before it is used', async () => {
    const server = await start(chatAnswer('look'));
    const entries: JournalEntry[] = [];
    let stored = false;
    const append = async (entry: JournalEntry): Promise<void> => {
      await new Promise((resolve) => setTimeout(resolve, 10));
      entries.push(entry);
      stored = true;
    };
    await modelAt(server.baseUrl, { journal: { append } }).complete(messages);
    expect(stored).toBe(true);
    expect(entries).toEqual([
      {
        v: 1,
        request: expect.stringMatching(/^[0-9a-f]{64}$/),
        model: 'teacher',
        text: 'look',
        promptTokens: 10,
        completionTokens: 3,
      },
    ]);
  });

  it('prevents the use of a reply that cannot be stored', async () => {
    const server = await start(chatAnswer('look'));
    const append = (): void => {
      throw new EmacError('io', 'disk full');
    };
    expect((await failure(modelAt(server.baseUrl, { journal: { append } }).complete(messages))).code).toBe(
      'io',
    );
  });

  it('answers recorded requests without asking, each entry once', async () => {
    let asked = 0;
    const server = await start((response, request) => chatAnswer(`answer ${++asked}`)(response, request));
    const entries: JournalEntry[] = [];
    const recorder = modelAt(server.baseUrl, { journal: { append: (entry) => void entries.push(entry) } });
    const first = [await recorder.complete(messages), await recorder.complete(messages)];
    const left = [...entries];
    const take = (request: string): JournalEntry | null => {
      const at = left.findIndex((entry) => entry.request === request);
      return at < 0 ? null : left.splice(at, 1)[0]!;
    };
    const resumed = modelAt(server.baseUrl, { journal: { append: () => {}, take } });
    expect([await resumed.complete(messages), await resumed.complete(messages)]).toEqual(first);
    expect(asked).toBe(2);
    expect(await resumed.complete(messages)).toBe('answer 3');
  });

  it('distinguishes requests by messages, length, temperature and stop', async () => {
    const server = await start(chatAnswer('look'));
    const entries: JournalEntry[] = [];
    const model = modelAt(server.baseUrl, { journal: { append: (entry) => void entries.push(entry) } });
    await model.complete(messages);
    await model.complete([{ role: 'system', content: 'What now?' }]);
    await model.complete(messages, { maxTokens: 9 });
    await model.complete(messages, { temperature: 0.2 });
    await model.complete(messages, { stop: ['x'] });
    await model.complete(messages);
    expect(new Set(entries.map(({ request }) => request)).size).toBe(5);
  });
});

describe('the budget', () => {
  const countTokens = (text: string): number => text.length;

  it("is checked before a request and updated with the server's count", async () => {
    const server = await start(chatAnswer('look'));
    // a request may use 9 characters, 4 for the message and 7 for the answer: 20; it uses 13 by the server's count
    const budget = spendingBudget({ maxTokens: 33 });
    const model = modelAt(server.baseUrl, { budget, maxTokens: 7, countTokens });
    await model.complete(messages);
    expect(budget.used()).toEqual({ promptTokens: 10, completionTokens: 3 });
    await model.complete(messages);
    const error = await failure(model.complete(messages));
    expect([error.code, server.seen.length]).toEqual(['interrupted', 2]);
    expect(error.message).toContain('26 of 33 tokens are used and the next request may take 20');
  });

  it('counts money by the prices of prompts and answers', async () => {
    const server = await start(chatAnswer('look'));
    // one call costs 10 × $2 + 3 × $10 = $50 per million; it may cost 13 × 2 + 7 × 10 = $96 per million
    const budget = spendingBudget({ maxCost: 0.000_195, prices: { prompt: 2, completion: 10 } });
    const model = modelAt(server.baseUrl, { budget, maxTokens: 7, countTokens });
    await model.complete(messages);
    await model.complete(messages);
    const error = await failure(model.complete(messages));
    expect([error.code, server.seen.length]).toEqual(['interrupted', 2]);
    expect(() => spendingBudget({ maxCost: 1 })).toThrow('prices');
  });

  it('reserves for pending requests, and returns unused tokens', async () => {
    const server = await start(refusal(404, 'no'));
    const budget = spendingBudget({ maxTokens: 39 });
    const model = modelAt(server.baseUrl, { budget, maxTokens: 7, countTokens });
    const codes = await Promise.all([model, model].map((each) => failure(each.complete(messages))));
    expect(codes.map(({ code }) => code)).toEqual(['usage', 'interrupted']);
    expect((await failure(model.complete(messages))).code).toBe('usage');
    expect(budget.used()).toEqual({ promptTokens: 0, completionTokens: 0 });
  });

  it('estimates usage that the server does not count', async () => {
    const server = await start(json(200, { choices: [{ message: { content: 'look' } }] }));
    const entries: JournalEntry[] = [];
    const budget = spendingBudget({});
    const journal = { append: (entry: JournalEntry) => void entries.push(entry) };
    await modelAt(server.baseUrl, { budget, journal, countTokens }).complete(messages);
    expect(budget.used()).toMatchObject({ promptTokens: 13, completionTokens: 4 });
    expect(entries[0]).toMatchObject({ promptTokens: 13, completionTokens: 4, estimated: true });
  });
});

describe('limits', () => {
  /** Answers when this many requests are waiting, and counts open ones. */
  function gate(places: number) {
    let [open, most] = [0, 0];
    let waiting: (() => void)[] = [];
    const answer: Answer = (response, request) => {
      most = Math.max(most, ++open);
      waiting.push(() => {
        open--;
        chatAnswer('look')(response, request);
      });
      if (waiting.length < places) return;
      const release = waiting;
      waiting = [];
      // gives one excess request time to arrive; if the time were too short, only a fault would go unnoticed
      setTimeout(() => release.forEach((send) => send()), 20);
    };
    return { answer, most: () => most };
  }

  it('hold at most the given calls in flight', async () => {
    const { answer, most } = gate(3);
    const server = await start(answer);
    const model = modelAt(server.baseUrl, { concurrency: 3 });
    await Promise.all(Array.from({ length: 12 }, () => model.complete(messages)));
    expect([most(), server.seen.length]).toEqual([3, 12]);
  });

  it('apply jointly to models that share them', async () => {
    const { answer, most } = gate(2);
    const server = await start(answer);
    const limits = callLimits({ concurrency: 2, clock });
    const models = ['teacher', 'reflector'].map((model) => modelAt(server.baseUrl, { model, limits }));
    await Promise.all([...models, ...models, ...models].map((model) => model.complete(messages)));
    expect([most(), server.seen.length]).toEqual([2, 6]);
  });

  it('are checked before every request, including retries and requests with an omitted field', async () => {
    const asked: number[] = [];
    const limits: Limits = {
      inFlight: (call) => call(),
      request: (tokens) => Promise.resolve(void asked.push(tokens)),
    };
    const again = refusal(500, 'again');
    const field = refusal(400, "Unsupported value: 'temperature'");
    const server = await start(again, field, chatAnswer('look'));
    const counted = { tokensPerMinute: 1000, maxTokens: 7, countTokens: (text: string) => text.length };
    await modelAt(server.baseUrl, { ...counted, limits }).complete(messages);
    // 9 characters, 4 for the message and 7 for the answer
    expect([asked, server.seen.length]).toEqual([[20, 20, 20], 3]);
  });
});

describe('the circuit breaker', () => {
  it('opens after three consecutive failed calls, and sends nothing afterwards', async () => {
    const server = await start(refusal(500, 'down'));
    const model = modelAt(server.baseUrl, { maxAttempts: 2 });
    const codes: string[] = [];
    for (let call = 0; call < 5; call++) codes.push((await failure(model.complete(messages))).code);
    expect(codes).toEqual(['unavailable', 'unavailable', 'interrupted', 'interrupted', 'interrupted']);
    expect(server.seen).toHaveLength(6);
  });

  it('resets its count after a success, and does not count rejected keys and requests', async () => {
    const [down, up] = [refusal(500, 'down'), chatAnswer('look')];
    const server = await start(down, down, up, down, down, refusal(404, 'no'), refusal(404, 'no'), up);
    const model = modelAt(server.baseUrl, { maxAttempts: 1 });
    const codes: string[] = [];
    for (let call = 0; call < 8; call++)
      codes.push(await model.complete(messages).catch(({ code }: EmacError) => code));
    const unavailable = 'unavailable';
    expect(codes).toEqual([
      unavailable,
      unavailable,
      'look',
      unavailable,
      unavailable,
      'usage',
      'usage',
      'look',
    ]);
  });
});

describe('settings', () => {
  const random = Random.fromSeed(0);
  it.each([
    ['auth', { model: 'm' }, '--expert-base-url'],
    ['auth', { model: 'm', apiKey: ' ' }, 'OPENAI_API_KEY'],
    ['auth', { model: 'm', apiKey: `${key}\n${key}` }, 'OPENAI_API_KEY'],
    ['usage', { model: '', apiKey: key }, '--expert-model'],
    ['usage', { model: 'm', baseUrl: 'localhost:8000' }, 'http'],
    ['usage', { model: 'm', baseUrl: `http://user:${key}@host/v1` }, 'OPENAI_API_KEY'],
    ['usage', { model: 'm', baseUrl: `http://host/v1?key=${key}` }, 'OPENAI_API_KEY'],
  ])('are rejected as %s if they cannot work', (code, given, hint) => {
    const make = (): unknown => openaiLanguageModel({ ...given, clock, random });
    expect(make).toThrow(EmacError);
    expect(make).toThrow(hint);
    try {
      make();
    } catch (error) {
      expect((error as EmacError).code).toBe(code);
      expect(everythingIn(error as Error)).not.toContain('CANARY');
    }
  });

  it('need no key for a server at a given address', async () => {
    const server = await start(chatAnswer('look'));
    expect(await modelAt(server.baseUrl, { apiKey: undefined }).complete(messages)).toBe('look');
  });
});
