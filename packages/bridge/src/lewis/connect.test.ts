/** The clients over real HTTP: requests, every fault, retries, settings. */
import { createServer, request as ask } from 'node:http';
import { createServer as createTcpServer, connect, type AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { EmacError } from '@emac/core';
import { drawView } from '@emac/lewis';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectListener, connectSpeaker, type ConnectOptions } from './connect.ts';
import { faultServer, json, scores, text, type Reply } from './fault-server.test.support.ts';
import { openPictures } from './pictures.ts';
import { scoresOf } from './scripted-agents.test.support.ts';
import { clientSettings, serviceSettings } from './settings.ts';

const item = { candidates: ['a', 'b', 'c'], question: 'q' };
const right = { yes_probabilities: [0.25, 0.5, 1], predicted_index: 2, reward_score: 0.57 };

/** a client that records its pauses without waiting */
function patient(more: ConnectOptions = {}) {
  const pauses: number[] = [];
  return { pauses, options: { wait: async (ms: number) => void pauses.push(ms), ...more } };
}

const codeAndMessage = (thrown: unknown) => {
  expect(thrown).toBeInstanceOf(EmacError);
  const { code, message } = thrown as EmacError;
  return [code, message];
};

describe('connectListener', () => {
  it("sends four items per request, pauses between requests, and keeps the answers' order", async () => {
    const reply: Reply = (response, seen) => {
      const results = seen.body.batch.map(({ candidate_paths: paths }) => ({
        yes_probabilities: paths.map((path) => Number(path)),
      }));
      json({ results })(response, seen);
    };
    const { url, seen } = await faultServer([reply]);
    const { pauses, options } = patient();
    const items = Array.from({ length: 9 }, (_, place) => {
      return { candidates: [`0.${place}1`, `0.${place}2`], question: `q ${place}` };
    });
    const given = await scoresOf(connectListener(url, options), items);
    expect(given).toEqual(items.map((_, place) => [Number(`0.${place}1`), Number(`0.${place}2`)]));
    expect(seen.map(({ body }) => body.batch.length)).toEqual([4, 4, 1]);
    expect(seen[2]).toMatchObject({
      path: '/batch_score',
      body: { batch: [{ candidate_paths: ['0.81', '0.82'], question: 'q 8' }] },
    });
    expect(pauses).toEqual([50, 50]);
  });

  const results = (...list: unknown[]) => json({ results: list });
  it.each<[string, Reply, RegExp]>([
    [
      '503',
      json({ detail: 'Listener busy; try again later' }, { status: 503 }),
      /status 503: Listener busy; try/,
    ],
    ['500', text('oh', { status: 500 }), /status 500;/],
    ['a reset', (response) => response.socket!.resetAndDestroy(), /does not answer \(.*(ECONNRESET|closed)/],
    ['an end', (response) => response.socket!.end(), /does not answer \(/],
    ['no answer', () => {}, /has not answered in time/],
    [
      'half an answer',
      (response) => void response.writeHead(200).write('{"resu'),
      /has not answered in time/,
    ],
    ['JSON without end of levels', text(`${'['.repeat(200)}${']'.repeat(200)}`), /more than 100 levels/],
    ['truncated JSON', text('{"results":[{"yes_pro'), /is not JSON or is cut off: /],
    ['NaN as Python writes it', text('{"results":[{"yes_probabilities":[0.1,NaN,0.2]}]}'), /not JSON.*NaN/],
    [
      'null',
      results({ ...right, yes_probabilities: [0.1, null, 0.2] }),
      /results\.0\.yes_probabilities\.1: .*, got null/,
    ],
    [
      'more than 1',
      results({ ...right, yes_probabilities: [0.1, 0.2, 1.5] }),
      /results\.0\.yes_probabilities\.2: .*, got 1\.5/,
    ],
    ['a text', results({ ...right, yes_probabilities: ['1', 0, 0] }), /probabilities\.0: .*, got "1"/],
    ['a short list', results({ ...right, yes_probabilities: [0.1] }), /results\.0: must be 3 answers, got 1/],
    ['no results', results(), /results: must be 1 answers, got 0/],
    ['more results', results(right, right), /results: must be 1 answers, got 2/],
    ['no list', json({ took: 1 }), /: results: .*, got nothing/],
    [
      'another content type',
      text('{}', { headers: { 'content-type': 'text/html' } }),
      /json, got text\/html/,
    ],
    [
      'an item with an error',
      results({ ...right, error: 'picture gone' }),
      /results\.0: failed: picture gone/,
    ],
    ['an error for all', json({ error: 'cuda' }), /batch_score: failed: cuda/],
    [
      'zeros for a failure',
      results({ yes_probabilities: [0, 0, 0], predicted_index: -1, reward_score: 0 }),
      /results\.0: must be 3 answers, got 0/,
    ],
  ])('takes %s for no answer: it asks again, then gives up', async (name, reply, message) => {
    const { pauses, options } = patient();
    // only these cases wait for real time
    const isSlow = name === 'no answer' || name === 'half an answer';
    if (!isSlow) {
      const { url, seen } = await faultServer([reply, reply, results(right)]);
      expect(await scoresOf(connectListener(url, options), [item])).toEqual([[0.25, 0.5, 1]]);
      expect([seen.length, pauses]).toEqual([3, [1000, 2000]]);
    }
    const broken = await faultServer([reply]);
    const limits = isSlow ? { timeoutMs: 200, retries: 1 } : {};
    const never = connectListener(broken.url, { ...options, ...limits });
    const [code, why] = codeAndMessage(await scoresOf(never, [item]).catch((thrown: unknown) => thrown));
    expect(code).toBe('unavailable');
    expect(why).toMatch(message);
    expect(why).toContain(`${broken.url}/batch_score`);
    expect(broken.seen.length).toBe(isSlow ? pauses.length + 1 : 4);
  });

  it('keeps its time limit through garbage collection', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const collecting = setInterval(collect, 20);
    onTestFinished(() => clearInterval(collecting));
    const { url } = await faultServer([() => {}]);
    const { options } = patient({ timeoutMs: 200, retries: 0, signal: new AbortController().signal });
    const [, why] = codeAndMessage(
      await scoresOf(connectListener(url, options), [item]).catch((thrown: unknown) => thrown),
    );
    expect(why).toMatch(/has not answered in time/);
  });

  it('waits as long as the service asks, if longer than its own pause', async () => {
    const busy = (seconds: string) => json({}, { status: 503, headers: { 'retry-after': seconds } });
    const { url } = await faultServer([busy('7'), busy('1'), busy('100000'), scores()]);
    const { pauses, options } = patient();
    await scoresOf(connectListener(url, options), [item]);
    expect(pauses).toEqual([7000, 2000, 60_000]);
  });

  it.each([
    [401, 'auth', { error: { message: 'The token is wrong.' } }, 'status 401: The token is wrong.'],
    [422, 'data', { detail: [{ msg: 'no question' }] }, 'status 422: [{"msg":"no question"}]'],
    [404, 'unavailable', { detail: 'Not Found' }, 'status 404: Not Found'],
    [307, 'unavailable', {}, 'status 307'],
  ] as const)('does not retry after %i', async (status, code, body, why) => {
    const { url, seen } = await faultServer([json(body, { status, headers: { location: '/elsewhere' } })]);
    const failed = await scoresOf(connectListener(url, patient().options), [item]).catch(
      (thrown: unknown) => thrown,
    );
    expect(codeAndMessage(failed)).toEqual([code, `${url}/batch_score: answers with ${why}`]);
    expect(seen).toHaveLength(1);
  });

  it('reports that nobody listens', async () => {
    const server = createTcpServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const { pauses, options } = patient({ backoffMs: 10, retries: 2 });
    const [code, why] = codeAndMessage(
      await scoresOf(connectListener(`http://127.0.0.1:${port}`, options), [item]).catch(
        (thrown: unknown) => thrown,
      ),
    );
    expect([code, pauses]).toEqual(['unavailable', [10, 20]]);
    expect(why).toMatch(
      /does not answer \(.*ECONNREFUSED.*\); is its server running\?; that was try 3 of 3$/,
    );
  });

  it('takes the identity from /health and from every answer, else from the address', async () => {
    const told = { 'x-emac-identity': 'tiny,%20adapter%20%C3%BC' };
    const health = json({ status: 'ok', model: 'm', queue: 0, identity: 'tiny, adapter 1' });
    const { url } = await faultServer([scores(0.5, told)], health);
    const listener = connectListener(`${url}/batch_score`, patient().options);
    expect(await listener.identity()).toBe('tiny, adapter 1');
    const questions = [{ picture: 'a', question: 'q' }];
    expect(await listener.ask(questions)).toEqual({ answers: [0.5], identity: 'tiny, adapter ü' });
    const published = await faultServer([scores()]);
    const other = connectListener(`${published.url}/`, patient().options);
    expect(await other.identity()).toBe(published.url);
    expect((await other.ask(questions)).identity).toBe(published.url);
    const loading = await faultServer([scores()], json({ status: 'loading' }, { status: 503 }));
    const waits = patient();
    await expect(connectListener(loading.url, waits.options).identity()).rejects.toThrow('status 503');
    expect(waits.pauses).toEqual([1000, 2000, 4000]);
  });

  it('repeats all questions if another adapter answered the rest', async () => {
    const by = (name: string, value: number) => scores(value, { 'x-emac-identity': name });
    const { url, seen } = await faultServer([by('1', 0.1), by('2', 0.2)]);
    const listener = connectListener(url, patient({ chunkSize: 1 }).options);
    const items = [item, { ...item, question: 'r' }];
    expect(await scoresOf(listener, items)).toEqual(items.map(() => [0.2, 0.2, 0.2]));
    expect(seen).toHaveLength(4);
    let turn = 0;
    const never = await faultServer([(response, asked) => by(`${turn++}`, 0.3)(response, asked)]);
    const restless = connectListener(never.url, patient({ chunkSize: 1 }).options);
    await expect(scoresOf(restless, items)).rejects.toThrow('identity: changed after each of 5 tries');
  });

  it('sends pictures if told to read them', async () => {
    const { url, seen } = await faultServer([scores()]);
    const pictures = openPictures({ folder: null });
    const view = 'drawn/box/red-plain-no/1';
    await scoresOf(connectListener(url, patient({ inline: pictures }).options), [
      { ...item, candidates: [view] },
    ]);
    const [sent] = seen[0]!.body.batch[0]!.candidate_paths;
    expect(sent).toMatch(/^data:image\/png;base64,/);
    expect(await pictures.frame(sent!)).toEqual(drawView(view));
  });

  it('reports the size a service refused, and the remedy', async () => {
    const { url } = await faultServer([json({ detail: 'Request Entity Too Large' }, { status: 413 })]);
    const { options } = patient({ inline: openPictures({ folder: null }) });
    const view = { ...item, candidates: ['drawn/box/red-plain-no/1'] };
    const refused = scoresOf(connectListener(url, options), [view]);
    await expect(refused).rejects.toSatisfy((thrown) => {
      const [code, message] = codeAndMessage(thrown);
      expect(code).toBe('data');
      expect(message).toMatch(
        /status 413: Request Entity Too Large; the request had \d+ bytes \(a service of emac takes 16 MiB\): send fewer items at a time \(LISTENER_CHUNK_SIZE .*--max-pixels.*--send paths/,
      );
      return true;
    });
  });

  it('shows its token, and stops on request', async () => {
    const { url, seen } = await faultServer([() => stopping.abort()]);
    const stopping = new AbortController();
    const listener = connectListener(url, { token: 'sesame-sesame-ses', signal: stopping.signal });
    const failed = await scoresOf(listener, [item]).catch((thrown: unknown) => thrown);
    expect(codeAndMessage(failed)).toEqual(['interrupted', `${url}: stopped on request`]);
    expect(seen[0]!.headers.authorization).toBe('Bearer sesame-sesame-ses');
  });

  it('refuses an invalid address', () => {
    for (const url of ['gpu-node-01:9000', 'file:///etc', 'http://user:word@host', 'http://host/?q=1'])
      expect(() => connectListener(url)).toThrow(
        /must be an address such as http:\/\/127\.0\.0\.1:9000, got "/,
      );
  });

  it('uses the given proxy, unless the host is in NO_PROXY', async () => {
    const { url, seen } = await faultServer([scores()]);
    const through: string[] = [];
    const proxy = createServer((incoming, outgoing) => {
      through.push(incoming.url!);
      const { method, headers } = incoming;
      incoming.pipe(
        ask(incoming.url!, { method, headers }, (answer) => {
          outgoing.writeHead(answer.statusCode!, answer.headers);
          answer.pipe(outgoing);
        }),
      );
    });
    proxy.on('connect', ({ url: target }, socket) => {
      through.push(target!);
      const [host, port] = target!.split(':');
      const there = connect(Number(port), host, () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        there.pipe(socket).pipe(there);
      });
      for (const each of [there, socket]) each.on('error', () => {});
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void proxy.close());
    const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    for (const [env, passed] of [
      [{ HTTP_PROXY: address }, 1],
      [{ http_proxy: address, HTTP_PROXY: 'http://127.0.0.1:1' }, 2],
      [{ HTTP_PROXY: address, NO_PROXY: 'gpu-node-01,localhost,127.0.0.1' }, 2],
      [{}, 2],
    ] as const) {
      const settings = clientSettings(env, 'LISTENER');
      await scoresOf(connectListener(url, { ...settings, retries: 0 }), [item]);
      expect(through).toHaveLength(passed);
    }
    expect(seen).toHaveLength(4);
  });
});

describe('connectSpeaker', () => {
  it('requests one description per picture, and accepts nothing else', async () => {
    const describing = (...lists: unknown[]) =>
      json({ results: lists.map((descriptions) => ({ descriptions })) });
    const { url, seen } = await faultServer([
      // as in the original, every item has all descriptions
      describing(['one', 'two'], ['one', 'two']),
      describing([], ['two']),
      describing([7], ['two']),
      describing(['one'], ['two']),
    ]);
    const { pauses, options } = patient();
    const questions = ['a', 'b'].map((picture) => ({ picture, question: 'Describe.' }));
    const speaker = connectSpeaker(`${url}/batch_describe`, options);
    expect((await speaker.ask(questions)).answers).toEqual(['one', 'two']);
    expect(pauses).toEqual([1000, 2000, 4000]);
    expect(seen[0]).toMatchObject({
      path: '/batch_describe',
      body: { batch: questions.map(({ picture, question }) => ({ candidate_paths: [picture], question })) },
    });
  });
});

describe('settings from environment variables', () => {
  it('have the published names and defaults', () => {
    expect(clientSettings({ LISTENER_TIMEOUT: '' }, 'LISTENER')).toEqual({
      url: null,
      timeoutMs: 60_000,
      chunkSize: 4,
      chunkDelayMs: 50,
      retries: 3,
      backoffMs: 1000,
      proxies: { LISTENER_TIMEOUT: '' },
    });
    const env = {
      SPEAKER_URL: 'http://gpu-node-01:9001/batch_describe',
      SPEAKER_TIMEOUT: '12.5',
      SPEAKER_CHUNK_SIZE: '8',
      SPEAKER_CHUNK_DELAY: '0',
      SPEAKER_MAX_RETRIES: '0',
      SPEAKER_BACKOFF_FACTOR: '0.5',
      LISTENER_CHUNK_SIZE: 'none',
    };
    expect(clientSettings(env, 'SPEAKER')).toEqual({
      url: 'http://gpu-node-01:9001/batch_describe',
      timeoutMs: 12_500,
      chunkSize: 8,
      chunkDelayMs: 0,
      retries: 0,
      backoffMs: 500,
      proxies: env,
    });
    expect(clientSettings({}, 'SPEAKER').timeoutMs).toBe(30_000);
    expect(serviceSettings({}, 'speaker')).toEqual({
      concurrency: 1,
      acquireTimeoutMs: 300_000,
      batchSize: 5,
    });
    const service = {
      INFERENCE_CONCURRENCY: '2',
      INFERENCE_ACQUIRE_TIMEOUT: '0.5',
      LISTENER_BATCH_SIZE: '8',
    };
    expect(serviceSettings(service, 'listener')).toEqual({
      concurrency: 2,
      acquireTimeoutMs: 500,
      batchSize: 8,
    });
    expect(serviceSettings(service, 'speaker').batchSize).toBe(5);
  });

  it.each([
    ['LISTENER_CHUNK_SIZE', '0', 'a whole number from 1 to 1000000'],
    ['LISTENER_CHUNK_SIZE', '1.5', 'a whole number from 1'],
    ['LISTENER_TIMEOUT', '0', 'a number from 0.001'],
    ['LISTENER_TIMEOUT', '-5', 'a number from'],
    ['LISTENER_MAX_RETRIES', '1e9', 'a whole number from 0'],
    ['LISTENER_BACKOFF_FACTOR', 'long', 'a number from 0'],
  ])('%s=%s is refused', (name, value, rule) => {
    const refused = () => clientSettings({ [name]: value }, 'LISTENER');
    expect(refused).toThrow(`${name}: must be ${rule}`);
    expect(refused).toThrow(`got "${value}"`);
  });
});
