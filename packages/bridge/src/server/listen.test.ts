import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync, chmodSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { listen, type Listening, type ListenOptions } from './listen.ts';
import type { RefusedHere } from './refusal.ts';
import { asked, closeConnections, connection, statusOf } from './raw-client.test.support.ts';
import { readToken } from './token.ts';

closeConnections();
const servers: Listening[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const echo = async (request: Request): Promise<Response> =>
  new Response(request.method === 'POST' ? await request.text() : 'well');

async function served(options: Partial<ListenOptions> = {}): Promise<Listening> {
  const server = await listen({ fetch: echo, port: 0, ...options });
  servers.push(server);
  return server;
}

const get = (host: string, more: readonly string[] = []) => ['GET / HTTP/1.1', `Host: ${host}`, ...more];
const bearer = (token: string) => [`Authorization: Bearer ${token}`];
const token = 'a-token-of-good-length';

describe('admission', () => {
  it("requires this machine's own name: another name could be rebound to it", async () => {
    const { port } = await served();
    const statuses = await Promise.all(
      [
        '127.0.0.1',
        `localhost:${port}`,
        '[::1]:1',
        'LOCALHOST',
        'evil.example',
        'localhost.evil.example',
        '10.0.0.5',
      ].map(async (host) => statusOf(await asked(port, get(host)))),
    );
    expect(statuses).toEqual([200, 200, 200, 200, 421, 421, 421]);
  });

  it('refuses pages of another origin', async () => {
    const { port } = await served();
    const refusedOrigin = await asked(port, get('127.0.0.1', ['Origin: http://evil.example']));
    expect(statusOf(refusedOrigin)).toBe(403);
    expect(refusedOrigin).not.toMatch(/access-control/i);
    const own = `127.0.0.1:${port}`;
    expect(statusOf(await asked(port, get(own, [`Origin: http://${own}`])))).toBe(200);
    for (const [site, status] of [
      ['cross-site', 403],
      ['same-site', 403],
      ['same-origin', 200],
      ['none', 200],
    ] as const)
      expect(statusOf(await asked(port, get(own, [`Sec-Fetch-Site: ${site}`])))).toBe(status);
  });

  it('requires the token if there is one, also on this machine', async () => {
    const { port } = await served({ token });
    const statuses = await Promise.all(
      [
        [],
        bearer(token),
        bearer(token.toUpperCase()),
        bearer(`${token}x`),
        bearer(''),
        ['Authorization: Basic eA=='],
      ].map(async (more) => statusOf(await asked(port, get('127.0.0.1', more)))),
    );
    expect(statuses).toEqual([401, 200, 401, 401, 401, 401]);
    expect(await asked(port, get('127.0.0.1', bearer('wrong')))).not.toContain(token);
  });

  it('requires a token or an allow list at a public address', async () => {
    for (const host of ['0.0.0.0', '::', '192.0.2.1', 'some.name', ''])
      await expect(served({ host })).rejects.toMatchObject({
        code: 'usage',
        message: expect.stringContaining('EMAC_TOKEN_FILE'),
      });
    const withToken = await served({ host: '0.0.0.0', token });
    // no page knows the token, so the name does not matter
    expect(statusOf(await asked(withToken.port, get('trainer.example', bearer(token))))).toBe(200);
    expect(statusOf(await asked(withToken.port, get('trainer.example')))).toBe(401);
    const allowing = await served({ host: '0.0.0.0', allow: ['192.0.2.0/24'] });
    // from this machine, which is always admitted
    const statuses = await Promise.all(
      ['127.0.0.1', '192.0.2.7:80', '[2001:db8::1]', 'evil.example'].map(async (host) =>
        statusOf(await asked(allowing.port, get(host))),
      ),
    );
    expect(statuses).toEqual([200, 200, 200, 421]);
    // 0.0.0.0 is no address for clients
    expect(allowing.address).toBe(`http://127.0.0.1:${allowing.port}`);
  });

  it('refuses an invalid address', async () => {
    for (const allow of ['here', '10.0.0.0/33', '10.0.0.1/', '::1/129', ''])
      await expect(served({ host: '0.0.0.0', allow: [allow] })).rejects.toMatchObject({
        code: 'usage',
        message: expect.stringContaining('--allow'),
      });
  });
});

describe('a body', () => {
  const limits = { bodyBytes: 100 };
  const post = (more: readonly string[]) => ['POST / HTTP/1.1', 'Host: localhost', ...more];
  const chunked = (sizes: readonly number[]) =>
    `${sizes.map((size) => `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`).join('')}0\r\n\r\n`;

  it('reaches the application whole, with or without a declared length', async () => {
    const { port } = await served({ limits });
    expect(await asked(port, post(['Content-Length: 100']), 'x'.repeat(100))).toMatch(/\r\n\r\n.*x{100}/s);
    expect(await asked(port, post(['Transfer-Encoding: chunked']), chunked([60, 40]))).toMatch(/x{100}/);
  });

  it('over the limit is refused early, declared or not', async () => {
    const { port } = await served({ limits });
    expect(statusOf(await asked(port, post(['Content-Length: 101'])))).toBe(413);
    expect(statusOf(await asked(port, post(['Content-Length: 99999999999999'])))).toBe(413);
    const { socket, answer } = connection(port);
    socket.write(`${post(['Transfer-Encoding: chunked']).join('\r\n')}\r\n\r\n`);
    // the end never comes
    socket.write(chunked([60, 41]).replace(/0\r\n\r\n$/, ''));
    expect(statusOf(await answer)).toBe(413);
  });

  it('waits if all bodies together are too large', async () => {
    let enter = (): void => {};
    let leave = (): void => {};
    const entered = new Promise<void>((resolve) => (enter = resolve));
    const left = new Promise<void>((resolve) => (leave = resolve));
    const fetch = async (request: Request) => {
      const text = await request.text();
      if (text.startsWith('wait')) {
        enter();
        await left;
      }
      return new Response('done');
    };
    const { port } = await served({ fetch, limits: { bodyBytes: 100, heldBytes: 150 } });
    const long = (text: string) =>
      asked(port, post(['Content-Length: 100', 'Connection: close']), text.padEnd(100));
    const first = long('wait');
    await entered;
    const second = await long('second');
    expect(statusOf(second)).toBe(503);
    expect(second).toMatch(/retry-after: 1/i);
    leave();
    expect(statusOf(await first)).toBe(200);
    expect(statusOf(await long('third'))).toBe(200);
  });
});

describe('a slow client', () => {
  const hour = 3_600_000;
  const never = { headersMs: hour, requestMs: hour, idleMs: hour, checkEveryMs: 20 };

  it('with its headers or its body is cut off', async () => {
    const { port } = await served({ limits: { ...never, headersMs: 50, requestMs: 100 } });
    const silent = connection(port);
    const headers = connection(port);
    headers.socket.write('GET / HTTP/1.1\r\nHost: loc');
    const body = connection(port);
    body.socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nhalf');
    for (const { answer } of [silent, headers, body]) expect(statusOf(await answer)).toBe(408);
  });

  it('with its next request is disconnected', async () => {
    const { port } = await served({ limits: { ...never, idleMs: 50 } });
    const { socket, answer } = connection(port);
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    expect(statusOf(await answer)).toBe(200);
  });

  it('blocks nobody, however many there are', async () => {
    const { port, address } = await served({ limits: { ...never, connections: 20 } });
    const many = Array.from({ length: 200 }, () => connection(port));
    expect(await (await fetch(`${address}/healthz`)).text()).toBe('well');
    // at most 19 are left besides the answered one
    await Promise.all(many.slice(0, 181).map(({ answer }) => answer));
  });

  it('with too large a header is refused', async () => {
    const { port } = await served({ limits: { headerBytes: 1024 } });
    expect(statusOf(await asked(port, get('localhost', [`X: ${'x'.repeat(2000)}`])))).toBe(431);
  });

  it('with its body blocks nobody: the longest-lasting one is closed', async () => {
    const { port, address } = await served({ limits: { ...never, connections: 20, requests: 20 } });
    const many = await Promise.all(
      Array.from({ length: 20 }, (_, place) => unfinished(port, place % 2 === 0 ? '/healthz' : '/')),
    );
    expect(await (await fetch(`${address}/healthz`)).text()).toBe('well');
    await Promise.race(many.map(({ answer }) => answer));
  });
});

/** A connection with a request whose body never ends. */
async function unfinished(port: number, path: string) {
  const begun = connection(port);
  const head = [`POST ${path} HTTP/1.1`, 'Host: localhost', 'Expect: 100-continue', 'Content-Length: 100'];
  begun.socket.write(`${head.join('\r\n')}\r\n\r\n`);
  // 100 Continue
  await once(begun.socket, 'data');
  begun.socket.write('x');
  return begun;
}

describe('open requests', () => {
  /** A server that holds its answers, except those to `/healthz`, until released. */
  async function held(options: Partial<ListenOptions> = {}) {
    const waiting: (() => void)[] = [];
    const fetch = (request: Request) =>
      request.url.endsWith('/healthz')
        ? new Response('well')
        : new Promise<Response>((resolve) => void waiting.push(() => resolve(new Response('late'))));
    const server = await served({ fetch, ...options });
    const arrived = async (count: number): Promise<void> => {
      while (waiting.length < count) await new Promise((resolve) => setTimeout(resolve, 1));
    };
    return { server, waiting, arrived };
  }

  it('are bounded, except for health', async () => {
    const { server, waiting, arrived } = await held({ limits: { requests: 2, retryAfter: 3 } });
    const first = [1, 2].map(() => asked(server.port, get('localhost')));
    await arrived(2);
    const third = await asked(server.port, get('localhost'));
    expect(statusOf(third)).toBe(503);
    expect(third).toMatch(/retry-after: 3/i);
    expect((await fetch(`${server.address}/healthz`)).status).toBe(200);
    waiting.forEach((release) => release());
    expect((await Promise.all(first)).map(statusOf)).toEqual([200, 200]);
    const fourth = asked(server.port, get('localhost'));
    await arrived(3);
    waiting[2]!();
    expect(statusOf(await fourth)).toBe(200);
  });

  it('finish when the server drains, and no new one begins', async () => {
    const { server, waiting, arrived } = await held();
    const first = asked(server.port, get('localhost'));
    await arrived(1);
    const drained = server.drain();
    await expect(fetch(server.address)).rejects.toThrow();
    waiting[0]!();
    expect(statusOf(await first)).toBe(200);
    await drained;
  });

  it('count once complete: incomplete ones block nobody', async () => {
    const { port } = await served({ limits: { requests: 2 } });
    for (const path of ['/', '/', '/healthz']) await unfinished(port, path);
    const whole = ['POST / HTTP/1.1', 'Host: localhost', 'Content-Length: 4'];
    expect(statusOf(await asked(port, whole, 'body'))).toBe(200);
  });

  it('to /healthz are bounded like all others, except for health checks', async () => {
    const { server, waiting, arrived } = await held({ limits: { requests: 1 } });
    const first = asked(server.port, get('localhost'));
    await arrived(1);
    const status = async (method: string) => (await fetch(`${server.address}/healthz`, { method })).status;
    expect([await status('GET'), await status('HEAD'), await status('POST')]).toEqual([200, 200, 503]);
    waiting[0]!();
    await first;
  });

  it('are all that a draining server waits for', async () => {
    // longer than any test
    const { port, address, drain } = await served({ limits: { drainMs: 3_600_000 } });
    const silent = connection(port);
    const begun = connection(port);
    begun.socket.write('GET / HTTP/1.1\r\nHost: loc');
    const kept = connection(port);
    kept.socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await once(kept.socket, 'data');
    // connections are accepted in order
    await (await fetch(address)).text();
    await drain();
    expect([await silent.answer, await begun.answer]).toEqual(['', '']);
    expect(statusOf(await kept.answer)).toBe(200);
  });

  it('are cut off after the drain limit', async () => {
    const { server, arrived } = await held({ limits: { drainMs: 100 } });
    const first = asked(server.port, get('localhost'));
    await arrived(1);
    await server.drain();
    expect(await first).toBe('');
  });
});

describe('a fault', () => {
  it('of the application is reported to the server only', async () => {
    const heard: unknown[] = [];
    const fault = new Error(`cannot read ${process.cwd()}/secret`);
    const { port } = await served({
      fetch: () => Promise.reject(fault),
      onFault: (thrown) => heard.push(thrown),
    });
    const answer = await asked(port, get('localhost'));
    expect(statusOf(answer)).toBe(500);
    expect(answer).not.toMatch(/secret|node:|\.ts/);
    expect(heard).toEqual([fault]);
  });

  it('is not that a client left, although its work ends with the text of that', async () => {
    const heard: unknown[] = [];
    const leaving = new AbortController();
    let ended: Promise<unknown> = Promise.resolve();
    const { address } = await served({
      fetch: (request) => {
        const left = new Promise((resolve) => request.signal.addEventListener('abort', resolve));
        const work = left.then(() => Promise.reject(request.signal.reason as Error));
        ended = work.catch((reason: unknown) => reason);
        leaving.abort();
        return work;
      },
      onFault: (thrown) => heard.push(thrown),
    });
    await expect(fetch(address, { signal: leaving.signal })).rejects.toThrow('aborted');
    expect(typeof (await ended)).toBe('string');
    await new Promise(setImmediate);
    expect(heard).toEqual([]);
  });

  it('is heard after the client has left', async () => {
    const leaving = new AbortController();
    const fault = new TypeError('x is undefined');
    let told: (thrown: unknown) => void = () => {};
    const heard = new Promise((resolve) => void (told = resolve));
    const { address } = await served({
      fetch: async (request) => {
        const left = once(request.signal, 'abort');
        leaving.abort();
        await left;
        throw fault;
      },
      onFault: (thrown) => told(thrown),
    });
    await expect(fetch(address, { signal: leaving.signal })).rejects.toThrow('aborted');
    expect(await heard).toBe(fault);
  });

  it("in a request's address is the client's", async () => {
    const heard: unknown[] = [];
    const refusals: RefusedHere[] = [];
    const { port } = await served({
      onFault: (thrown) => heard.push(thrown),
      onRefused: (each) => refusals.push(each),
    });
    const heads = [
      ['GET / HTTP/1.0'],
      get('local host'),
      get('localhost/x'),
      ['GET http://[ HTTP/1.1', 'Host: localhost'],
    ];
    for (const head of heads) expect(statusOf(await asked(port, head))).toBe(400);
    expect(heard).toEqual([]);
    expect(refusals).toEqual(heads.map(() => ({ path: null, status: 400 })));
  });

  it('of a taken port names it, and does not disturb its owner', async () => {
    const { port, address } = await served();
    await expect(served({ port })).rejects.toMatchObject({
      code: 'cannot-create',
      message: expect.stringMatching(new RegExp(`port ${port}: .*EADDRINUSE`)),
    });
    expect((await fetch(address)).status).toBe(200);
  });
});

describe('a token', () => {
  const folder = mkdtempSync(join(tmpdir(), 'token-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = (text: string, mode = 0o600) => {
    const path = join(folder, 'token');
    writeFileSync(path, text);
    chmodSync(path, mode);
    return path;
  };

  it('is the one word in a file that only its owner can read', () => {
    expect(readToken(file(`${token}\n`))).toBe(token);
    for (const mode of [0o644, 0o640, 0o604])
      expect(() => readToken(file(token, mode))).toThrow(expect.objectContaining({ code: 'auth' }));
    for (const text of ['', 'short', 'two words that are long', 'with-a-letter-of-ä-kind'])
      expect(() => readToken(file(text))).toThrow(expect.objectContaining({ code: 'data' }));
    expect(() => readToken(join(folder, 'nowhere'))).toThrow(expect.objectContaining({ code: 'missing' }));
  });

  it('is not in error messages', () => {
    expect(() => readToken(file('a b'))).toThrow(/^(?!.*a b)/);
  });
});
