/** A scripted vLLM-like server: checks requests to it and the handling of its answers. */
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { faultServer, json, type Reply } from '../lewis/fault-server.test.support.ts';
import { connectInference } from './connect.ts';

const version = { name: 'run-v3-0a1b2c3d', folder: '/adapters/run-v3-0a1b2c3d' };
const listing = (...names: string[]) => json({ object: 'list', data: names.map((id) => ({ id })) });
const question = {
  pictures: [],
  text: 'Which?',
  temperature: 1,
  minTokens: 1,
  maxTokens: 8,
  endToken: 2,
  seed: 5,
};
const lost: Reply = (response: ServerResponse) => void response.destroy();
const completion = (more: object = {}, choice: object = {}) =>
  json({
    model: version.name,
    choices: [
      {
        message: { content: 'up' },
        logprobs: { content: [{ token: 'token_id:7', logprob: -0.5 }] },
        finish_reason: 'length',
        ...choice,
      },
    ],
    ...more,
  });

async function connected(script: readonly Reply[], models?: Reply) {
  const { url, seen } = await faultServer(script, models);
  const server = connectInference(`${url}/v1`, {
    timeoutMs: 120_000,
    retries: 1,
    listings: 3,
    token: 'key',
    wait: () => Promise.resolve(),
  });
  return { server, seen };
}

describe('a version', () => {
  it('is loaded once, by its path on the server, and waited for', async () => {
    let asked = 0;
    const models: Reply = (response, seen) =>
      (asked++ < 2 ? listing('base') : listing('base', version.name))(response, seen);
    const { server, seen } = await connected([json({})], models);
    await server.load(version);
    await server.load(version);
    expect(seen.map(({ path, body }) => [path, body])).toEqual([
      ['/v1/load_lora_adapter', { lora_name: version.name, lora_path: version.folder }],
    ]);
    expect(seen[0]!.headers.authorization).toBe('Bearer key');
  });

  it('is found if the answer to its load was lost and the second attempt is refused', async () => {
    let asked = 0;
    const models: Reply = (response, seen) =>
      listing(...(asked++ === 0 ? [] : [version.name]))(response, seen);
    const already = json({ message: 'The lora adapter has already been loaded.' }, { status: 400 });
    const { server, seen } = await connected([lost, already], models);
    await server.load(version);
    expect(seen).toHaveLength(2);
  });

  it.each([
    [
      'that is never listed',
      [json({})],
      listing('base'),
      'unavailable',
      'does not list the loaded adapter run-v3-0a1b2c3d',
    ],
    [
      'at a server without a list',
      [json({})],
      json({}, { status: 404 }),
      'unavailable',
      '/v1/models: does not exist',
    ],
    ['with a wrong key', [json({ error: 'Unauthorized' }, { status: 401 })], listing(), 'auth', '401'],
    [
      'whose folder it does not see',
      [json({ error: { message: 'No adapter found for /adapters/x' } }, { status: 404 })],
      listing(),
      'unavailable',
      'must see the folder of --inference-adapters under the same path',
    ],
    [
      'that a server without the variable has no path for',
      [json({ detail: 'Not Found' }, { status: 404 })],
      listing(),
      'unavailable',
      'VLLM_ALLOW_RUNTIME_LORA_UPDATING=True',
    ],
  ] as const)('%s is an error', async (_which, script, models, code, sentence) => {
    const { server } = await connected(script, models);
    const loading = server.load(version);
    await expect(loading).rejects.toMatchObject({ code, message: expect.stringContaining(sentence) });
  });
});

describe('an answer', () => {
  it('has ids, their log-probabilities and whether it ended', async () => {
    const { server } = await connected([completion()]);
    expect(await server.ask(version.name, question)).toEqual({
      text: 'up',
      tokens: [7],
      logProbabilities: [-0.5],
      isEnded: false,
    });
  });

  it('is asked for after a conversation', async () => {
    const { server, seen } = await connected([completion()]);
    await server.ask(version.name, { ...question, earlier: ['room', 'look'] });
    expect(seen[0]!.body).toMatchObject({
      messages: [
        { role: 'user', content: 'room' },
        { role: 'assistant', content: 'look' },
        { role: 'user', content: [{ type: 'text', text: 'Which?' }] },
      ],
    });
  });

  it.each([
    ['of another version', completion({ model: 'run-v2-ffffffff' }), 'but run-v2-ffffffff answered'],
    ['that was broken off', completion({}, { finish_reason: 'abort' }), 'choices.0.finish_reason'],
    ['without log-probabilities', completion({}, { logprobs: null }), 'choices.0.logprobs'],
    ['without a text', completion({ choices: [] }), 'choices'],
  ])('%s is rejected', async (_which, reply, sentence) => {
    const { server } = await connected([reply]);
    const asking = server.ask(version.name, question);
    await expect(asking).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining(sentence),
    });
  });
});

it.each(['127.0.0.1:8000', 'ftp://h', 'http://key@h', 'http://h/?key=1'])(
  'refuses %s as an address',
  (url) => {
    expect(() => connectInference(url, { timeoutMs: 1 })).toThrow(/^--inference: must be an http address/);
  },
);

it.each([
  'http://name:s3cret@127.0.0.1:8000',
  'http://s3cret@127.0.0.1:8000',
  'http://127.0.0.1:8000/?key=s3cret',
])('does not repeat possible secrets in %s', (url) => {
  const refusal = captured(() => connectInference(url, { timeoutMs: 1 }));
  expect(refusal).toMatch(/VLLM_API_KEY/);
  expect(refusal).not.toContain('s3cret');
});

function captured(work: () => unknown): string {
  try {
    work();
  } catch (thrown) {
    return String(thrown);
  }
  return 'nothing was thrown';
}
