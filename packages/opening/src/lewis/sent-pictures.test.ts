/** A run's own pictures at a real service: scaled to the model's limit in requests that fit, or by name. */
import { createCipheriv } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Frame } from '@emac/core';
import { encodePng } from '@emac/images';
import type { Listener } from '@emac/lewis';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { remoteListener, type RemoteAgent } from './remote-agents.ts';

const folder = temporaryFolder();
const names = ['cat/tom/0.png', 'cat/tom/1.png', 'dog/rex/0.png', 'dog/rex/1.png'];
/** Noise, which PNG cannot compress: 5.9 MB each. */
const sides = { width: 1400, height: 1400 };

beforeAll(async () => {
  const zeros = new Uint8Array(3 * sides.width * sides.height);
  for (const [number, name] of names.entries()) {
    const data = createCipheriv('aes-128-ctr', Buffer.alloc(16, number), Buffer.alloc(16)).update(zeros);
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), await encodePng({ ...sides, data }));
  }
});

/** A listener service that records its questions; `reads` is its folder of pictures. */
async function serve(reads: string | null) {
  const { listen, listenerService, openPictures } = await import('@emac/bridge');
  const pictures = openPictures({ folder: reads });
  const asked: { readonly name: string; readonly frame: Frame }[] = [];
  const listener: Listener = {
    identity: async () => 'scripted',
    ask: async (questions) => {
      const shown = questions.map(({ picture }) => picture);
      const frames = await Promise.all(shown.map((name) => pictures.frame(name)));
      asked.push(...shown.map((name, place) => ({ name, frame: frames[place]! })));
      return { answers: shown.map(() => 0.5), identity: 'scripted' };
    },
  };
  const app = listenerService({
    listener,
    pictures,
    model: 'scripted',
    concurrency: 1,
    acquireTimeoutMs: 60_000,
    batchSize: 5,
    now: () => 0,
  });
  let requests = 0;
  const server = await listen({
    port: 0,
    fetch: (request) => {
      if (request.method === 'POST') requests++;
      return app.fetch(request);
    },
  });
  onTestFinished(() => server.close());
  return { address: server.address, asked, requests: () => requests };
}

const env = { LISTENER_MAX_RETRIES: '0', LISTENER_CHUNK_DELAY: '0' };
const agent = (address: string, more: Partial<RemoteAgent> = {}) =>
  remoteListener(
    { address, folder, send: 'data', maxPixels: null, journal: { append: () => undefined }, ...more },
    { env },
  );
const questions = names.map((picture) => ({ picture, question: 'a cat' }));

describe('own pictures at a service', () => {
  it('are scaled, and few enough go into a request', async () => {
    const { address, asked, requests } = await serve(null);
    expect((await (await agent(address)).ask(questions)).answers).toEqual([0.5, 0.5, 0.5, 0.5]);
    // 28 · 28 · 1280 at most: 1400 / √(1400² / 1003520) = 1001.8, of 28 each 35
    expect(asked.map(({ frame }) => [frame.width, frame.height])).toEqual(names.map(() => [980, 980]));
    // 980² · 3 bytes are 3.84 MB as base64: 4 of them are 15.4 MB, and 15 MiB are 15.7 MB
    expect(requests()).toBe(1);
  });

  it('are as large as a model is shown them, and larger ones go in several requests', async () => {
    const small = await serve(null);
    await (await agent(small.address, { maxPixels: 401_408 })).ask(questions);
    // 1400 / √(1400² / 401408) = 633.6, of 28 each 22
    expect(small.asked.map(({ frame }) => frame.width)).toEqual(names.map(() => 616));

    const large = await serve(null);
    await (await agent(large.address, { maxPixels: 12_845_056 })).ask(questions);
    // unscaled, 5.9 MB each and 7.8 MB as base64: four are 31.4 MB, and a service takes 16 MiB at a time
    expect(large.asked.map(({ frame }) => frame.width)).toEqual(names.map(() => 1400));
    expect(large.requests()).toBeGreaterThan(1);
  });

  it('are sent by name if below the folder the service reads', async () => {
    const { address, asked } = await serve(folder);
    await (await agent(address, { send: 'paths' })).ask(questions);
    expect(asked.map(({ name }) => name)).toEqual(names.map((name) => join(folder, name)));
    expect(asked[0]!.frame.width).toBe(1400);

    const other = await serve(null);
    await expect((await agent(other.address, { send: 'paths' })).ask(questions)).rejects.toMatchObject({
      code: 'interrupted',
      message: expect.stringContaining('"cat/tom/0.png": is not served here') as string,
    });
  });
});
