/**
 * Redis is unreachable, refuses, would evict keys, goes away for good or speaks TLS: each gives one sentence without
 * the password.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bullQueue, type BullQueueOptions } from './bull-queue.ts';
import { gather } from './gather.ts';
import { faultOf, identity, job, leased, until } from './jobs.test.support.ts';
import { freePort, hasRedis, needsRedis, startRedis } from '@emac/testing';
import { installed } from './redis/load.ts';
import { runWorker } from './run-worker.ts';

async function refusal(url: string, options: BullQueueOptions = {}) {
  const { code, message } = await faultOf(bullQueue(url, options));
  return [code, message];
}

async function server(...settings: string[]) {
  const redis = await startRedis(...settings);
  onTestFinished(() => redis.remove());
  return redis;
}

/** A line to a port that cuts its connections from this one to that one at their first bytes. */
async function cuttingLine(port: number, from: number, to = from) {
  let count = 0;
  const line = createServer((socket) => {
    const number = ++count;
    socket.on('error', () => {});
    if (number >= from && number <= to) return void socket.once('data', () => socket.destroy());
    const there = connect(port, '127.0.0.1').on('error', () => socket.destroy());
    socket.on('close', () => there.destroy());
    there.on('close', () => socket.destroy());
    socket.pipe(there).pipe(socket);
  }).listen(0, '127.0.0.1');
  await once(line, 'listening');
  onTestFinished(() => void line.close());
  return { url: `redis://127.0.0.1:${(line.address() as AddressInfo).port}`, lines: () => count };
}

describe('a queue on Redis with wrong settings', () => {
  it.each([
    ['localhost:6379', 'its address must be redis://host:port or rediss://host:port'],
    ['http://user:secret@localhost:6379', 'its address must be'],
    ['redis://', 'its address must be'],
    ['redis://:secret@localhost/abc', 'the number of a database, got /abc'],
    ['redis://:secret%b@localhost', 'write % as %25'],
  ])('refuses %s as an address, and does not repeat it', async (url, words) => {
    const [code, message] = await refusal(url);
    expect(code).toBe('usage');
    expect(message).toContain(words);
    expect(message).not.toContain('secret');
  });

  it('refuses names that Redis or BullMQ would split, and invalid limits', async () => {
    expect(await refusal('redis://localhost', { name: 'a:b' })).toEqual([
      'usage',
      'queue: its name must be letters, digits, _, - and ., got "a:b"',
    ]);
    expect(await refusal('redis://localhost', { bound: 0 })).toEqual([
      'usage',
      'queue: bound must be a whole number from 1, got 0',
    ]);
  });

  it('reports an unreachable Redis', async () => {
    const port = await freePort();
    expect(await refusal(`redis://user:secret@127.0.0.1:${port}`)).toEqual([
      'unavailable',
      `queue at redis://127.0.0.1:${port}: Redis refuses: connect ECONNREFUSED 127.0.0.1:${port}; start it or correct its address`,
    ]);
  });

  it('names the package that is not installed, and how to install it', async () => {
    // another name, since BullMQ is installed here
    const name: string = 'bullmq-that-is-not-there';
    const { code, message } = await faultOf(installed('bullmq', () => import(name) as Promise<unknown>));
    expect([code, message]).toEqual([
      'unavailable',
      'queue on Redis: needs the package bullmq, which is not installed; run npm install bullmq@6.7.0 ioredis@5.11.1',
    ]);
  });

  it('requires the versions that the package declares and is tested with', () => {
    const { peerDependencies, devDependencies } = JSON.parse(
      readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
    ) as Record<string, Record<string, string>>;
    expect(peerDependencies).toEqual({ bullmq: '6.7.0', ioredis: '5.11.1' });
    expect(devDependencies).toEqual(peerDependencies);
  });
});

describe.skipIf(!hasRedis)(`a Redis that refuses (${needsRedis})`, () => {
  it('reports a wrong or missing password, and accepts the right one', async () => {
    const { port } = await server('--requirepass', 'secret');
    const place = `redis://127.0.0.1:${port}`;
    for (const url of [`redis://:wrong-secret@127.0.0.1:${port}`, place]) {
      const [code, message] = await refusal(url);
      expect(code).toBe('unavailable');
      expect(message).toMatch(new RegExp(`^queue at ${place}: Redis refuses: (WRONGPASS|NOAUTH)`));
      expect(message).not.toContain('secret');
    }
    const queue = await bullQueue(`redis://:secret@127.0.0.1:${port}`);
    expect(await queue.put([job(1)])).toBe(1);
    await queue.close();
  });

  it('reports that it must not evict keys', async () => {
    const { port, url } = await server('--maxmemory', '50mb', '--maxmemory-policy', 'allkeys-lru');
    expect(await refusal(url)).toEqual([
      'config',
      `redis://127.0.0.1:${port}: Redis must keep every key, its maxmemory-policy is allkeys-lru; set maxmemory-policy noeviction`,
    ]);
  });

  it('reports a missing database number', async () => {
    const { port, url } = await server();
    expect(await refusal(`${url}/99`)).toEqual([
      'unavailable',
      `queue at redis://127.0.0.1:${port}: Redis refuses: ERR DB index is out of range; start it or correct its address`,
    ]);
    const [second, first] = [await bullQueue(`${url}/1`), await bullQueue(url)];
    await second.put([job(1)]);
    expect(await first.counts()).toEqual({ waiting: 0, leased: 0 });
    await Promise.all([second.close(), first.close()]);
  });

  it('reports that its memory is full, and loses nothing', async () => {
    const redis = await server();
    const queue = await bullQueue(redis.url);
    onTestFinished(() => queue.close());
    await queue.put([job(1)]);
    const { Redis } = await import('ioredis');
    const direct = new Redis(redis.url);
    onTestFinished(() => direct.disconnect());
    await direct.config('SET', 'maxmemory', '1');
    const { code, message } = await faultOf(queue.put([job(2)]));
    expect(code).toBe('unavailable');
    expect(message).toMatch(/Redis refuses: .*OOM command not allowed/);
    await direct.config('SET', 'maxmemory', '0');
    expect((await leased(queue)).job).toEqual(job(1));
  });

  it.each([1, 2, 3])('lets a worker open its queue though connection %i is cut at once', async (cut) => {
    const redis = await server();
    const here = await bullQueue(redis.url);
    onTestFinished(() => here.close());
    const { url, lines } = await cuttingLine(redis.port, cut);
    const queue = await bullQueue(url);
    onTestFinished(() => queue.close());
    const stop = new AbortController();
    const handlers = { rollout: () => 'done' };
    const working = runWorker({ queue, handlers, identity: identity('w'), signal: stop.signal });
    expect(await gather(here, [job(1)])).toEqual(['done']);
    stop.abort();
    expect(await working).toMatchObject({ counted: 1 });
    expect(lines()).toBeGreaterThan(3);
  });

  it('names a server that cuts every connection, after a few attempts', async () => {
    const redis = await server();
    const { url, lines } = await cuttingLine(redis.port, 1, Infinity);
    expect(await refusal(url)).toEqual([
      'unavailable',
      `queue at ${url}: Redis does not answer; start it or correct its address`,
    ]);
    expect(lines()).toBe(6);
  });

  it('on stop, ends `gather` as interrupted and an idle worker normally, within seconds', async () => {
    const redis = await server();
    const stop = new AbortController();
    const { signal } = stop;
    const open = async () => {
      const queue = await bullQueue(redis.url, { signal });
      onTestFinished(() => queue.close());
      return queue;
    };
    const [here, there] = [await open(), await open()];
    const own = { queue: there, handlers: {}, identity: identity('w'), heartbeat: 100 };
    const worker = runWorker({ ...own, signal });
    await until(async () => (await here.workers()).length === 1);
    await redis.kill();
    const gathering = gather(here, [job(1)], { signal });
    stop.abort();
    const { code, message } = await faultOf(gathering);
    expect(code).toBe('interrupted');
    expect(message).toMatch(/^queue at redis:.*: stopped while Redis did not answer; start again/);
    expect(await worker).toMatchObject({ counted: 0, failed: 0 });
  });

  it('ends waiting calls once Redis has been away longer than the patience', async () => {
    const redis = await server();
    const queue = await bullQueue(redis.url, { patienceMs: 2_000 });
    onTestFinished(() => queue.close());
    const worker = runWorker({ queue, handlers: {}, identity: identity('w'), heartbeat: 100 });
    const put = redis.kill().then(() => queue.put([job(1)]));
    for (const waiting of [put, worker]) {
      const { code, message } = await faultOf(waiting);
      expect(code).toBe('unavailable');
      expect(message).toBe(
        `queue at redis://127.0.0.1:${redis.port}: Redis has been unreachable for 2 s; start it or correct its address`,
      );
    }
  });
});

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

describe.skipIf(!hasRedis || !hasOpenssl)(`TLS (${needsRedis}, and openssl)`, () => {
  it('works with a trusted certificate, for workers too, and fails with any other', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'emac-tls-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
    const files = ['-keyout', key, '-out', certificate];
    const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
    execFileSync('openssl', ['req', ...kind, ...files, ...subject], { stdio: 'ignore' });
    const port = String(await freePort());
    const use = ['--tls-cert-file', certificate, '--tls-key-file', key, '--tls-ca-cert-file', certificate];
    await server('--tls-port', port, '--tls-auth-clients', 'no', ...use);
    const url = `rediss://127.0.0.1:${port}`;

    const [code, message] = await refusal(url);
    expect(code).toBe('unavailable');
    expect(message).toMatch(/Redis refuses: self-signed certificate/);

    const queue = await bullQueue(url, { ca: readFileSync(certificate, 'utf8') });
    const stop = new AbortController();
    const handlers = { rollout: () => stop.abort() ?? 'safe' };
    await queue.put([job(1)]);
    const own = { queue, handlers, identity: identity('w'), heartbeat: 100 };
    expect((await runWorker({ ...own, signal: stop.signal })).counted).toBe(1);
    await queue.close();
  });
});
