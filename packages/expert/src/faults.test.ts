/**
 * Every fault of a service over a real connection with the real client: its result, its number of requests, its
 * deadlines, and that the key never leaks. The README has the same table. The server advances the clock
 * while the client waits, so the machine's speed makes no difference.
 */
import { readFileSync, rmSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { EmacError, Random, type Label, type LabelRequest } from '@emac/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chatAnswer, faultServer, json, refusal, type Answer } from './fault-server.test.support.ts';
import { openaiLanguageModel } from './language-model.ts';
import { manualClock, type ManualClock } from './manual-clock.test.support.ts';
import { openaiExpert } from './openai-expert.ts';
import { openReplyJournal } from './reply-journal.ts';
import { tokenEstimate } from './token-estimate.ts';

const key = 'sk-CANARY-4f9a2c71d8';
const forms = [key, 'CANARY', Buffer.from(key).toString('base64'), Buffer.from(key).toString('base64url')];
const folder = mkdtempSync(join(tmpdir(), 'emac-faults-'));
const log = process.env['OPENAI_LOG'];
beforeAll(() => void (process.env['OPENAI_LOG'] = 'debug'));
afterAll(() => {
  if (log === undefined) delete process.env['OPENAI_LOG'];
  else process.env['OPENAI_LOG'] = log;
  rmSync(folder, { recursive: true });
});

const request: LabelRequest = {
  task: { id: 'pick_and_place_simple-Pen-None-Desk-301/trial_1', type: 'pick_and_place_simple' },
  memories: [],
  admissible: null,
  history: { initial: '-= Welcome =-\n\nRoom.\n\nYour task is to: put some pen in desk.', turns: [] },
};

const body = (type: string, content: string): Answer => {
  return (response) => response.writeHead(200, { 'content-type': type }).end(content);
};
/** of the tests' shared clock */
const clock: ManualClock = manualClock();
const deadlineMs = 300;
/** an attempt has a third of a call's deadline */
const attemptMs = deadlineMs / 3;
const silent: Answer = () => clock.pass(attemptMs);
const stalling: Answer = (response) => {
  // the pause lets the client read the first part; without it the attempt ends one line earlier, with the same result
  response.writeHead(200).write('{"choices":', () => setTimeout(() => clock.pass(attemptMs), 10));
};
const trickling: Answer = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const step = attemptMs / 5;
  const bytes = (left: number): void => {
    response.write(' ', () => {
      // one more millisecond at the end, because sums of fractions round
      clock.pass(left > 1 ? step : step + 1);
      if (left > 1) setImmediate(bytes, left - 1);
    });
  };
  bytes(5);
};
const flood: Answer = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '300000000' });
  const chunk = Buffer.alloc(1 << 20, 32);
  let sent = 0;
  const more = (): void => {
    while (!response.destroyed && sent++ < 286 && response.write(chunk));
  };
  response.on('drain', more);
  more();
};
const message = (fields: object, finish_reason: string): Answer =>
  json(200, { choices: [{ message: { role: 'assistant', ...fields }, finish_reason }] });

/** The result when attempts or time are used up: three failed calls open the circuit. */
const paused = 'interrupted';
const look: Label = { kind: 'action', command: 'look' };
const unusable = (cause: string) => expect.objectContaining({ kind: 'unusable', cause }) as Label;

interface Fault {
  readonly name: string;
  readonly answers: readonly Answer[];
  /** the label, or the code of the error */
  readonly result: Label | string;
  /** number of requests seen by the server */
  readonly requests: number;
  /** least elapsed milliseconds; default 0 */
  readonly takes?: number;
}

const ok = chatAnswer('look');
const attempts = 2;
const faults: readonly Fault[] = [
  { name: '429 once', answers: [refusal(429, 'slow'), ok], result: look, requests: 2 },
  { name: '429 always', answers: [refusal(429, 'slow')], result: paused, requests: 3 * attempts },
  {
    name: '429 with Retry-After: 3600 once',
    answers: [json(429, {}, { 'retry-after': '3600' }), ok],
    result: look,
    requests: 2,
  },
  {
    name: '429 with a date in Retry-After once',
    answers: [json(429, {}, { 'retry-after': new Date(clock.now() + 3.6e6).toUTCString() }), ok],
    result: look,
    requests: 2,
  },
  { name: '500 once', answers: [refusal(500, `oops ${key}`), ok], result: look, requests: 2 },
  { name: '500 always', answers: [refusal(500, `oops ${key}`)], result: paused, requests: 3 * attempts },
  {
    name: 'a connection that is reset',
    answers: [(response) => void response.socket!.resetAndDestroy()],
    result: paused,
    requests: 3 * attempts,
  },
  {
    name: 'no headers',
    answers: [silent],
    result: paused,
    requests: 3 * attempts,
    takes: 3 * attempts * attemptMs,
  },
  {
    name: 'a body that stalls',
    answers: [stalling],
    result: paused,
    requests: 3 * attempts,
    takes: 3 * attempts * attemptMs,
  },
  {
    name: 'a body of a byte at a time',
    answers: [trickling],
    result: paused,
    requests: 3 * attempts,
    takes: 3 * attempts * attemptMs,
  },
  {
    name: 'truncated JSON',
    answers: [body('application/json', `{"choices":[{"message":{"content":"${key}`)],
    result: paused,
    requests: 3 * attempts,
  },
  {
    name: 'HTML with status 200',
    answers: [body('text/html', `<h1>Sign in</h1>${key}`)],
    result: paused,
    requests: 3 * attempts,
  },
  {
    name: 'JSON that is not called so',
    answers: [body('text/plain', '{"choices":[{"message":{"content":"look"}}]}')],
    result: look,
    requests: 1,
  },
  { name: '{}', answers: [json(200, {})], result: paused, requests: 3 * attempts },
  { name: 'empty content', answers: [chatAnswer('')], result: unusable('no-command'), requests: 6 },
  {
    name: 'a refusal',
    answers: [message({ content: null, refusal: 'I cannot help with that.' }, 'stop')],
    result: unusable('refused'),
    requests: 1,
  },
  {
    name: 'a content filter',
    answers: [message({ content: 'loo' }, 'content_filter')],
    result: unusable('filtered'),
    requests: 1,
  },
  {
    name: 'a content filter that answers 400',
    answers: [refusal(400, 'The response was filtered', { code: 'content_filter' })],
    result: unusable('filtered'),
    requests: 1,
  },
  {
    name: 'a tool call',
    answers: [message({ content: null, tool_calls: [{ id: 'a', function: { name: 'go' } }] }, 'tool_calls')],
    result: unusable('no-command'),
    requests: 6,
  },
  { name: 'a body of 300 MB', answers: [flood], result: paused, requests: 3 * attempts },
  {
    name: 'wrong action syntax',
    answers: [chatAnswer('{"act": 1}')],
    result: unusable('no-command'),
    requests: 6,
  },
  {
    name: 'an unsupported parameter',
    answers: [refusal(400, "Unsupported value: 'temperature'"), ok],
    result: look,
    requests: 2,
  },
  {
    name: 'a parameter that is refused for ever',
    answers: [refusal(400, "Unsupported value: 'temperature'")],
    result: 'usage',
    requests: 2,
  },
  { name: 'leading line breaks', answers: [chatAnswer('\n\n \nlook\n')], result: look, requests: 1 },
  { name: 'an unknown model', answers: [refusal(404, 'no such model')], result: 'usage', requests: 1 },
  { name: 'a refused key', answers: [refusal(401, `bad key ${key}`)], result: 'auth', requests: 1 },
  {
    name: 'an empty account',
    answers: [refusal(429, 'no money', { code: 'insufficient_quota' })],
    result: paused,
    requests: 1,
  },
];

describe('a label, if the service answers with', () => {
  it.each(faults)('$name', async ({ name, answers, result, requests, takes = 0 }) => {
    const server = await faultServer(...answers);
    const path = join(folder, `${name.replace(/\W+/g, '-')}.jsonl`);
    const journal = openReplyJournal(path);
    const expert = openaiExpert({
      languageModel: openaiLanguageModel({
        baseUrl: server.baseUrl,
        apiKey: key,
        model: 'teacher',
        journal,
        deadlineMs,
        clock,
        random: Random.fromSeed(0),
        maxAttempts: attempts,
        backoffMs: 2,
        maxBackoffMs: 8,
        maxRetryAfterMs: 20,
      }),
    });
    const began = clock.now();
    const ended: unknown = await expert.label(request).catch((thrown: unknown) => thrown);
    const took = clock.now() - began;
    journal.close();
    await server.close();
    if (typeof result === 'string') expect(ended).toMatchObject({ name: 'EmacError', code: result });
    else expect(ended).toEqual(result);
    expect(server.seen).toHaveLength(requests);
    // three calls, each within its deadline; waits are shorter than 20 ms
    expect(took).toBeGreaterThan(takes - 0.01);
    expect(took).toBeLessThanOrEqual(takes + requests * 20);
    expect(took).toBeLessThanOrEqual(3 * deadlineMs);
    const told = [readFileSync(path, 'utf8'), everythingIn(ended)].join('\n');
    for (const form of forms) expect(told).not.toContain(form);
  });

  it('a model name unknown to tiktoken: tokens are counted with a margin, and a note says so', () => {
    const unknown = tokenEstimate('teacher');
    const known = tokenEstimate('gpt-4o');
    expect(unknown.note).toContain('teacher');
    expect(known.note).toBeNull();
    // two tokens in all of OpenAI's encodings; a quarter more is 2.5
    expect([known('hello world'), unknown('hello world')]).toEqual([2, 3]);
    unknown.free();
    known.free();
  });
});

/** As shown by a crash report, a log or a debugger. */
function everythingIn(ended: unknown): string {
  if (!(ended instanceof EmacError)) return inspect(ended, { depth: 9 });
  const cause: string = ended.cause === undefined ? '' : everythingIn(ended.cause);
  const shown = inspect(ended, { depth: 9, showHidden: true });
  return [ended.message, ended.stack, shown, JSON.stringify(ended), cause].join('\n');
}
