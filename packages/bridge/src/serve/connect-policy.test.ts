import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promptOf, Random, type Frame } from '@emac/core';
import { afterEach, describe, expect, it } from 'vitest';
import { listen, type Listening } from '../server/listen.ts';
import { agentService } from './agent-service.ts';
import { connectPolicy } from './connect-policy.ts';
import { scriptedAgent, tooLong } from './scripted-agent.test.support.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

async function served(token: string | null = null) {
  const scripted = scriptedAgent();
  const { fetch } = agentService({
    agent: scripted.agent,
    batch: 8,
    random: Random.fromSeed(0),
    now: () => 0,
  });
  const server: Listening = await listen({ fetch, port: 0, token });
  closing.push(() => server.close());
  return { ...scripted, server };
}

/** A server with scripted answers, one after another, the last one repeated; status 0 cuts the connection. */
async function answering(...answers: readonly { status: number; body: string; retryAfter?: string }[]) {
  let count = 0;
  const server: Server = createServer((request, response) => {
    const { status, body, retryAfter } = answers[Math.min(count++, answers.length - 1)]!;
    request.resume();
    if (status === 0) return void request.socket.destroy();
    const after = retryAfter !== undefined && { 'retry-after': retryAfter };
    response.writeHead(status, { 'content-type': 'application/json', ...after }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked: () => count };
}

const frame: Frame = { width: 2, height: 1, data: Uint8Array.of(1, 2, 3, 4, 5, 6) };
const situation = {
  history: { initial: 'Room.\nTask', turns: [{ command: 'look', observation: 'A desk.' }] },
  frames: [frame],
  admissible: null,
};
const reply = JSON.stringify({ model: 'm', action: 'look', text: ' look', log_probability: -1, tokens: [] });

describe('connectPolicy', () => {
  it('decides like the served policy, frames and allowed answers included', async () => {
    const { server, decided, situations } = await served();
    const policy = connectPolicy(`${server.address}/v1/`);
    const features = await policy.encode!(frame);
    expect(features.data).toHaveLength(0);
    const prompt = promptOf([features], 'Room.\nTask\n>');
    const answers = await policy.decide(
      [
        { prompt, allowed: null, random: null },
        { prompt, allowed: [' look', ' inventory'], random: null },
      ],
      { kind: 'search', beams: 2 },
    );
    expect(answers).toEqual([
      { text: ' 1 Task', tokens: expect.any(Array), logProbabilities: [-1, -2, -3] },
      { text: ' look', tokens: expect.any(Array), logProbabilities: [-1, -2] },
    ]);
    expect(situations[0]!.frames).toEqual([frame]);
    expect(decided[0]!.sampling).toEqual({ kind: 'search', beams: 5 });
    expect(policy.countPromptTokens('many words')).toBe(0);
  });

  it('sends how answers are sampled, with a seed for each', async () => {
    const { server, decided } = await served();
    const policy = connectPolicy(server.address);
    const features = await policy.encode!(frame);
    const random = Random.fromSeed(1);
    const ask = () =>
      policy.decide([{ prompt: promptOf([features], 'x\n>'), allowed: null, random }], {
        kind: 'sample',
        temperature: 0.5,
        topP: 0.8,
      });
    await ask();
    await ask();
    expect(decided[0]!.sampling).toEqual({ kind: 'sample', temperature: 0.5, topP: 0.8 });
    const seeds = decided.map(({ questions }) => questions[0]!.random!.path);
    const same = Random.fromSeed(1);
    expect(seeds).toEqual([String(same.uint32()), String(same.uint32())]);
  });

  it('refuses unsupported options without a request', async () => {
    const { server, decided } = await served();
    const policy = connectPolicy(server.address);
    const prompt = promptOf([await policy.encode!(frame)], 'x\n>');
    const question = { prompt, allowed: null, random: Random.fromSeed(1) };
    const sample = { kind: 'sample', temperature: 0.5, topP: 1 } as const;
    const stopped = policy.decide([{ ...question, stop: ['.'] }], sample);
    await expect(stopped).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('stop') as string,
    });
    const truncated = policy.decide([question], { ...sample, topK: 3 });
    await expect(truncated).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('topK') as string,
    });
    expect(decided).toEqual([]);
  });

  it('acts at a state', async () => {
    const { server } = await served();
    expect(await connectPolicy(server.address).act(situation)).toEqual({
      command: '1 A DESK.',
      logProbability: -10,
    });
  });

  it('shows its token, and reports a refusal', async () => {
    const token = 'sixteen-letters-or-more';
    const { server } = await served(token);
    expect((await connectPolicy(server.address, { token }).act(situation)).command).toBe('1 A DESK.');
    for (const wrong of [null, 'another-one-of-that-length'])
      await expect(connectPolicy(server.address, { token: wrong }).act(situation)).rejects.toMatchObject({
        code: 'auth',
        message: expect.not.stringContaining('another-one'),
      });
  });

  it('reports the fault: the address, the question, the server', async () => {
    for (const url of ['', 'localhost:1', 'ftp://a', 'http://u:p@a'])
      expect(() => connectPolicy(url)).toThrow(expect.objectContaining({ code: 'usage' }));
    const { server } = await served();
    const long = { ...situation, history: { initial: tooLong, turns: [] } };
    await expect(connectPolicy(server.address).act(long)).rejects.toMatchObject({
      code: 'data',
      message: expect.stringContaining('shorten it'),
    });
    await server.close();
    await expect(connectPolicy(server.address, { retries: 1 }).act(situation)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining(server.address),
    });
    for (const answer of [
      { status: 200, body: '<html>' },
      { status: 200, body: '{}' },
      { status: 500, body: '' },
      { status: 404, body: 'x' },
      { status: 302, body: '' },
    ]) {
      const { url } = await answering(answer);
      const asked = connectPolicy(url, { retries: 1 }).act(situation);
      await expect(asked).rejects.toMatchObject({ code: 'unavailable' });
    }
  });

  it('retries an overloaded server up to its limit', async () => {
    const busy = { status: 503, body: '{}', retryAfter: '0' };
    const recovering = await answering(busy, busy, { status: 200, body: reply });
    expect((await connectPolicy(recovering.url).act(situation)).command).toBe('look');
    const overloaded = await answering(busy);
    await expect(connectPolicy(overloaded.url, { retries: 2 }).act(situation)).rejects.toMatchObject({
      code: 'unavailable',
    });
    expect(overloaded.asked()).toBe(3);
  });

  it('retries after a lost connection', async () => {
    const lost = { status: 0, body: '' };
    const { url } = await answering(lost, { status: 408, body: '' }, lost, { status: 200, body: reply });
    expect((await connectPolicy(url).act(situation)).command).toBe('look');
    const never = await answering(lost);
    await expect(connectPolicy(never.url, { retries: 1 }).act(situation)).rejects.toMatchObject({
      code: 'unavailable',
    });
    expect(never.asked()).toBe(2);
  });

  it('waits for a server that starts again', async () => {
    const taking = createServer();
    await new Promise<void>((resolve) => taking.listen(0, '127.0.0.1', resolve));
    const { port } = taking.address() as AddressInfo;
    await new Promise((resolve) => taking.close(resolve));
    const restarted = createServer((request, response) => {
      request.resume();
      response.writeHead(200, { 'content-type': 'application/json' }).end(reply);
    });
    closing.push(() => {
      restarted.closeAllConnections();
      restarted.close();
    });
    setTimeout(() => restarted.listen(port, '127.0.0.1'), 200);
    expect((await connectPolicy(`http://127.0.0.1:${port}`).act(situation)).command).toBe('look');
  });

  it('accepts only its own features', async () => {
    const { server } = await served();
    const prompt = promptOf([{ data: new Float32Array(0), key: 'x' }], 'x\n>');
    await expect(
      connectPolicy(server.address).decide([{ prompt, allowed: null, random: null }], {
        kind: 'search',
        beams: 1,
      }),
    ).rejects.toMatchObject({ code: 'usage' });
  });
});
