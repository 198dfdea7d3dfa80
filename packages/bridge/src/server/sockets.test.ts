import { afterEach, describe, expect, it } from 'vitest';
import { listen, type Listening, type ListenOptions } from './listen.ts';
import { refusedStatus, socketClients } from './socket-client.test.support.ts';
import type { Conversation } from './sockets.ts';

const connect = socketClients();
const servers: Listening[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

/** Answers each message with its number and text. */
function counting(more: Partial<Conversation> = {}): Conversation {
  let count = 0;
  return {
    answer: async (message) => JSON.stringify({ count: ++count, message }),
    close: async () => {},
    ...more,
  };
}

async function served(conversation: () => Conversation, options: Partial<ListenOptions> = {}) {
  const server = await listen({
    fetch: () => new Response('well'),
    port: 0,
    sockets: { '/ws': conversation },
    ...options,
  });
  servers.push(server);
  return { server, url: `ws://127.0.0.1:${server.port}/ws` };
}

describe('WebSockets of a server', () => {
  it('answer messages in their order, in a conversation for each connection', async () => {
    const { url } = await served(() => counting());
    const [one, other] = [await connect(url), await connect(url)];
    for (const message of ['a', 'b', 'c']) one.socket.send(message);
    expect([await one.next(), await one.next(), await one.next()]).toEqual([
      { count: 1, message: 'a' },
      { count: 2, message: 'b' },
      { count: 3, message: 'c' },
    ]);
    expect(await other.ask('d')).toEqual({ count: 1, message: 'd' });
  });

  it('follow the rules of admission, and exist at their path alone', async () => {
    const { url } = await served(() => counting(), { token: 'a-token-of-good-length' });
    const headers = { authorization: 'Bearer a-token-of-good-length' };
    expect(await refusedStatus(url)).toBe(401);
    expect(await refusedStatus(url, { headers: { ...headers, origin: 'http://evil.example' } })).toBe(403);
    expect(await refusedStatus(url.replace('/ws', '/other'), { headers })).toBe(404);
    const client = await connect(url, { headers });
    expect(await client.ask('a')).toEqual({ count: 1, message: 'a' });
  });

  it('end at a message that is too large, and tell the conversation', async () => {
    const ended: string[] = [];
    const close = async () => void ended.push('one');
    const { url } = await served(() => counting({ close }), { limits: { messageBytes: 10 } });
    const client = await connect(url);
    client.socket.send('12345678901');
    expect(await client.closed).toBe(1009);
    await servers.splice(0)[0]!.close();
    expect(ended).toEqual(['one']);
  });

  it('are read no further while messages wait', async () => {
    const release: (() => void)[] = [];
    const answer = () => new Promise<string>((resolve) => release.push(() => resolve('{}')));
    const { url } = await served(() => counting({ answer }), { limits: { messages: 2 } });
    const client = await connect(url);
    for (let count = 0; count < 50; count++) client.socket.send('m'.repeat(900_000));
    // one in work, two that wait; of the other 42 MB most stay at the client, the network holds a few
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(release).toHaveLength(1);
    expect(client.socket.bufferedAmount).toBeGreaterThan(10_000_000);
    for (let count = 0; count < 50; count++) {
      while (release.length === 0) await new Promise((resolve) => setImmediate(resolve));
      release.shift()!();
      await client.next();
    }
  });

  it('end after the message in work when the server drains', async () => {
    const working: ((answer: string) => void)[] = [];
    const answer = () => new Promise<string>((resolve) => working.push(resolve));
    const { server, url } = await served(() => counting({ answer }));
    const [busy, idle] = [await connect(url), await connect(url)];
    busy.socket.send('a');
    while (working.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const drained = server.drain();
    expect(await idle.closed).toBe(1001);
    working[0]!('{"late": true}');
    expect(await busy.next()).toEqual({ late: true });
    expect(await busy.closed).toBe(1001);
    await drained;
  });

  it('end by themselves where their client shows no sign of life', async () => {
    const { url } = await served(() => counting(), { limits: { pingMs: 10, silenceMs: 50 } });
    const [silent, alive] = [await connect(url, { autoPong: false }), await connect(url)];
    // 1006: without a goodbye
    expect(await silent.closed).toBe(1006);
    expect(await alive.ask('a')).toEqual({ count: 1, message: 'a' });
  });

  it('report a fault of a conversation to the server alone', async () => {
    const faults: unknown[] = [];
    const fault = new Error('secret');
    const answer = () => Promise.reject(fault);
    const { url } = await served(() => counting({ answer }), { onFault: (thrown) => faults.push(thrown) });
    const client = await connect(url);
    client.socket.send('a');
    expect(await client.closed).toBe(1011);
    expect(faults).toEqual([fault]);
  });

  it('outlive a flood of requests, which close idle connections alone', async () => {
    const { server, url } = await served(() => counting(), { limits: { connections: 2 } });
    const client = await connect(url);
    for (let count = 0; count < 5; count++)
      expect((await fetch(server.address, { headers: { connection: 'close' } })).status).toBe(200);
    expect(await client.ask('a')).toEqual({ count: 1, message: 'a' });
  });
});
