/**
 * Services on real ports: the published client's requests, safety, two clients of one listener, faults during a run.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { EmacError, Random } from '@emac/core';
import { encodePng } from '@emac/images';
import {
  drawGames,
  drawnCatalogue,
  drawView,
  listenerQuestion,
  readDescription,
  scoreCandidates,
  thingOf,
  trueDescription,
  type Listener,
} from '@emac/lewis';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { listen, type ListenOptions } from '../server/listen.ts';
import { asked, closeConnections, connection, statusOf } from '../server/raw-client.test.support.ts';
import { cachedPlayer } from './cached.ts';
import { connectListener, connectSpeaker } from './connect.ts';
import { openPictures } from './pictures.ts';
import { candidates, question, scoresOf, scriptedListener } from './scripted-agents.test.support.ts';
import { listenerService } from './service.ts';

closeConnections();
const place = realpathSync(mkdtempSync(join(tmpdir(), 'emac-exchange-')));
const folder = join(place, 'pictures');
afterAll(() => rmSync(place, { recursive: true }));
beforeAll(async () => {
  mkdirSync(folder);
  const png = await encodePng(drawView(candidates[0]!));
  for (const name of ['img1.png', 'img2.png']) writeFileSync(join(folder, name), png);
  writeFileSync(join(place, 'secret.png'), png);
  symlinkSync(join(place, 'secret.png'), join(folder, 'link.png'));
});

const settings = {
  pictures: openPictures({ folder: null }),
  model: 'scripted',
  concurrency: 1,
  acquireTimeoutMs: 300_000,
  batchSize: 5,
  now: () => 1500,
};

async function serve(app: { fetch: ListenOptions['fetch'] }, port = 0) {
  const server = await listen({ port, fetch: (request) => app.fetch(request) });
  onTestFinished(() => server.close());
  return server;
}

/** As Python's requests library sends it. */
function posted(port: number, path: string, body: string): Promise<string> {
  const lines = [
    `POST ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    'User-Agent: python-requests/2.32.3',
    'Accept-Encoding: gzip, deflate',
    'Accept: */*',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Content-Type: application/json',
  ];
  return asked(port, lines, body);
}

const bodyOf = (answer: string) => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)) as unknown;

describe('a recorded exchange of the published client', () => {
  it('is answered by the listener in the published form', async () => {
    const seen: string[] = [];
    const listener: Listener = {
      identity: async () => 'one',
      ask: async (questions) => {
        const names = questions.map(({ picture }) => picture);
        seen.push(...names);
        return { answers: names.map((name) => (name.endsWith('img1.png') ? 0.95 : 0.23)), identity: 'one' };
      },
    };
    const { port } = await serve(
      listenerService({ ...settings, pictures: openPictures({ folder }), listener }),
    );
    const paths = `"candidate_paths": ["${folder}/img1.png", "${folder}/img2.png"]`;
    const asking = `"question": "Does the description match the dog in the image?", "topk": 1`;
    const batch = await posted(port, '/batch_score', `{"batch": [{${paths}, ${asking}}]}`);
    expect(statusOf(batch)).toBe(200);
    expect(batch).toMatch(/\r\ncontent-type: application\/json/i);
    // 0.95 / (0.95 + 0.23)
    const result = { yes_probabilities: [0.95, 0.23], predicted_index: 0, reward_score: 0.95 / 1.18 };
    expect(bodyOf(batch)).toEqual({ results: [result], took: 0 });
    const single = await posted(port, '/score', `{${paths}, ${asking}}`);
    expect(bodyOf(single)).toEqual({ ...result, took: 0 });
    expect(seen).toEqual([join(folder, 'img1.png'), join(folder, 'img2.png')]);
  });
});

describe('refuses pictures that are not served', () => {
  it.each([
    ['a path outside', () => join(place, 'secret.png')],
    ['a way out', () => '../secret.png'],
    ['a symbolic link', () => 'link.png'],
    ['file://', () => pathToFileURL(join(folder, 'img1.png')).href],
    ['a web address', () => 'http://127.0.0.1:1/secret.png'],
  ])('%s: is refused over HTTP, and the listener never hears of it', async (_, path) => {
    const { listener, script } = scriptedListener();
    const pictures = openPictures({ folder });
    const server = await serve(listenerService({ ...settings, pictures, listener }));
    const body = JSON.stringify({ candidate_paths: [path()], question: question() });
    const answer = await posted(server.port, '/score', body);
    expect(bodyOf(answer)).toEqual({
      error: expect.stringContaining('is not served here') as string,
    });
    expect(answer.includes(place) && !path().includes(place)).toBe(false);
    const client = connectListener(server.address, { wait: async () => {} });
    const failed = await scoresOf(client, [{ candidates: [path()], question: question() }]).catch(
      (thrown: unknown) => thrown,
    );
    expect(failed).toBeInstanceOf(EmacError);
    expect((failed as EmacError).code).toBe('unavailable');
    expect((failed as EmacError).message).toContain('results.0: failed: picture "');
    expect(script.calls).toEqual([]);
  });
});

const games = drawGames(drawnCatalogue({ train: 0, test: 2 }).slice(0, 36), {
  views: 'test',
  random: Random.fromSeed(17),
});
const rounds = games.map(({ image, category, candidates: names }) => ({
  candidates: names,
  question: listenerQuestion(readDescription(trueDescription(thingOf(image)), category).text),
}));

/** A run with a listener: its choices, game by game, four games per call. */
async function played(listener: Listener): Promise<readonly number[]> {
  const chosen: number[] = [];
  for (let place = 0; place < rounds.length; place += 4)
    for (const given of await scoresOf(listener, rounds.slice(place, place + 4)))
      chosen.push(scoreCandidates(given).predicted);
  return chosen;
}

const labels = games.map(({ label }) => label);
describe('clients of one listener', () => {
  it('are many at once, and none fails', async () => {
    const { listener } = scriptedListener();
    const { address } = await serve(listenerService({ ...settings, listener }));
    const asked = Array.from({ length: 64 }, (_, place) => rounds[place % rounds.length]!);
    const given = await Promise.all(
      // one attempt: 512 requests find a place, 64 do
      asked.map((item) => scoresOf(connectListener(address, { retries: 0, timeoutMs: 600_000 }), [item])),
    );
    const chosen = given.map(([one]) => scoreCandidates(one!).predicted);
    expect(chosen).toEqual(asked.map((_, place) => labels[place % rounds.length]));
  });
});

describe('a run over a faulty network', () => {
  it('ends like one without faults: nothing is made up, no failure is cached', async () => {
    const { listener } = scriptedListener();
    const app = listenerService({ ...settings, listener });
    const faults: ((right: Response) => Response | Promise<Response>)[] = [
      () => Response.json({ detail: 'Listener busy; try again later' }, { status: 503 }),
      async (right) => new Response((await right.text()).slice(0, -20), { headers: right.headers }),
      () => Response.json({ results: [] }),
      () =>
        new Response('{"results":[{"yes_probabilities":[NaN]}]}', {
          headers: { 'content-type': 'application/json' },
        }),
      () => new Response('<html>', { headers: { 'content-type': 'text/html' } }),
      () => {
        throw new Error('broken');
      },
    ];
    let requests = 0;
    const { address } = await serve({
      fetch: async (request) => {
        const right = await app.fetch(request);
        if (request.method !== 'POST') return right;
        requests++;
        return requests % 2 === 1 ? faults[(requests >> 1) % faults.length]!(right) : right;
      },
    });
    const pauses: number[] = [];
    const client = connectListener(address, { chunkDelayMs: 0, wait: async (ms) => void pauses.push(ms) });
    expect(await played(cachedPlayer(client))).toEqual(labels);
    expect(requests).toBeGreaterThan(2 * faults.length);
  });

  it('survives a restart of the listener with another adapter, without mixing their answers', async () => {
    const first = scriptedListener();
    const server = await serve(listenerService({ ...settings, listener: first.listener }));
    const cached = cachedPlayer(connectListener(server.address, { chunkDelayMs: 0, wait: async () => {} }));
    const item = { candidates, question: question() };
    expect(await scoresOf(cached, [item])).toEqual([[0.75, 1, 0.5]]);
    await server.close();
    // cached answers are not served while the listener's identity is unknown
    await expect(scoresOf(cached, [item])).rejects.toThrow('does not answer (');
    const second: Listener = {
      identity: async () => 'adapter 2',
      ask: async (questions) => ({ answers: questions.map(() => 0.125), identity: 'adapter 2' }),
    };
    await serve(listenerService({ ...settings, listener: second }), server.port);
    expect(await scoresOf(cached, [item])).toEqual([[0.125, 0.125, 0.125]]);
    expect(await cached.identity()).toBe('adapter 2');
  });

  it('continues after a connection is cut mid-request', async () => {
    const { listener } = scriptedListener();
    const { port, address } = await serve(listenerService({ ...settings, listener }));
    const { socket } = connection(port);
    socket.write('POST /batch_score HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\n{"batch": [');
    socket.destroy();
    const speaker = connectSpeaker(address, { retries: 0 });
    await expect(speaker.ask([{ picture: candidates[0]!, question: 'q' }])).rejects.toThrow('status 404');
    expect(await scoresOf(connectListener(address), [{ candidates, question: question() }])).toEqual([
      [0.75, 1, 0.5],
    ]);
  });
});
