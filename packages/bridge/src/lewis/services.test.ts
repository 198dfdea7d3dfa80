/** The services as applications: published bodies, calls of the model, busy replies, faults. */
import { EmacError } from '@emac/core';
import { trueDescription, thingOf } from '@emac/lewis';
import { describe, expect, it } from 'vitest';
import { manualTimer } from '../world/manual-timer.test.support.ts';
import { openPictures } from './pictures.ts';
import { candidates, question, scriptedListener, scriptedSpeaker } from './scripted-agents.test.support.ts';
import { listenerService, loadingService, speakerService } from './service.ts';

const [one, two, three] = candidates as [string, string, string];

function options() {
  const timer = manualTimer();
  const faults: unknown[] = [];
  return {
    timer,
    faults,
    pictures: openPictures({ folder: null }),
    model: 'scripted',
    concurrency: 1,
    acquireTimeoutMs: 300_000,
    batchSize: 5,
    now: () => 0,
    onFault: (thrown: unknown) => void faults.push(thrown),
  };
}

type Application = ReturnType<typeof listenerService>;

async function post(app: Application, path: string, body: unknown) {
  const response = await app.request(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as unknown };
}

function listening(more: Partial<Parameters<typeof listenerService>[0]> = {}) {
  const { listener, script } = scriptedListener();
  const used = options();
  const app = listenerService({ ...used, listener, ...more });
  return { app, script, ...used, post: (path: string, body: unknown) => post(app, path, body) };
}

/** resolves after all work that waits only for the event loop */
const settled = async () => {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
};

describe('listenerService', () => {
  it('answers /score and /batch_score as published', async () => {
    const { post } = listening();
    const item = { candidate_paths: candidates, question: question(), topk: 1 };
    // of shape, colour, pattern and edge: 3, 4 and 2 agree; the best over the sum is 1 / 2.25
    const result = { yes_probabilities: [0.75, 1, 0.5], predicted_index: 1, reward_score: 1 / 2.25 };
    const { status, headers, body } = await post('/score', item);
    expect([status, body]).toEqual([200, { ...result, took: 0 }]);
    expect(decodeURI(headers.get('x-emac-identity')!)).toBe('scripted adapter 1');
    const none = { yes_probabilities: [], predicted_index: -1, reward_score: 0 };
    const batch = [item, { candidate_paths: [], question: question() }];
    expect((await post('/batch_score', { batch })).body).toEqual({ results: [result, none], took: 0 });
    expect((await post('/batch_score', { batch: [] })).body).toEqual({ results: [], took: 0 });
  });

  it('reports its health and identity', async () => {
    const { app, script } = listening();
    script.identity = 'tiny, adapter ü 2';
    const response = await app.request('/health');
    expect([response.status, await response.json()]).toEqual([
      200,
      { status: 'ok', model: 'scripted', queue: 0, identity: 'tiny, adapter ü 2' },
    ]);
    expect((await app.request('/nothing')).status).toBe(404);
  });

  it('batches one question of all requests into one call, up to the batch size', async () => {
    const { post, script } = listening({ batchSize: 3 });
    const release = script.hold();
    const first = post('/score', { candidate_paths: [one], question: question('first') });
    await settled();
    const waiting = [
      post('/batch_score', {
        batch: [
          { candidate_paths: [one, two], question: question('a') },
          { candidate_paths: [one, two], question: question('b') },
        ],
      }),
      post('/batch_score', { batch: [{ candidate_paths: [three, one], question: question('a') }] }),
      post('/batch_score', {
        batch: [{ candidate_paths: ['drawn/box/red-plain-no/1'], question: question('a') }],
      }),
    ];
    await settled();
    release();
    await Promise.all([first, ...waiting]);
    expect(script.calls).toEqual([
      { question: question('first'), pictures: [one] },
      // the second requests only new pictures
      { question: question('a'), pictures: [one, two, three] },
      { question: question('b'), pictures: [one, two] },
      { question: question('a'), pictures: ['drawn/box/red-plain-no/1'] },
    ]);
  });

  it('answers each picture and question once, for any order and client', async () => {
    const { post, script } = listening();
    const scores = async (paths: readonly string[]) => {
      const { body } = await post('/score', { candidate_paths: paths, question: question() });
      return (body as { yes_probabilities: number[] }).yes_probabilities;
    };
    expect(await Promise.all([scores(candidates), scores([three, one])])).toEqual([
      [0.75, 1, 0.5],
      [0.5, 0.75],
    ]);
    expect(await scores([two, one, two])).toEqual([1, 0.75, 1]);
    expect(script.calls.flatMap(({ pictures }) => pictures)).toEqual(candidates);
  });

  it('serves no answer of another adapter', async () => {
    const { post, script } = listening();
    const item = { candidate_paths: candidates, question: question() };
    await post('/score', item);
    script.identity = 'scripted adapter 2';
    const { headers } = await post('/score', item);
    expect(headers.get('x-emac-identity')).toBe('scripted%20adapter%202');
    expect(script.calls).toHaveLength(2);
  });

  it('replies 503 with Retry-After if there is no place in time', async () => {
    const { post, script, timer, app } = listening();
    const release = script.hold();
    const first = post('/score', { candidate_paths: [one], question: question('first') });
    await settled();
    const second = post('/batch_score', { batch: [{ candidate_paths: [one, two], question: question() }] });
    await settled();
    expect(await (await app.request('/health')).json()).toMatchObject({ queue: 2 });
    timer.pass(300_000);
    const { status, headers, body } = await second;
    expect([status, headers.get('retry-after'), body]).toEqual([
      503,
      '1',
      { detail: 'Listener busy; try again later' },
    ]);
    release();
    // a request with a place keeps it, however long it takes
    expect((await first).status).toBe(200);
    expect((await post('/score', { candidate_paths: [one], question: question() })).status).toBe(200);
    expect(script.calls.map(({ question: asked }) => asked)).toEqual([question('first'), question()]);
  });

  it('refuses a picture for its item only, without a zero score', async () => {
    const { post, script, faults } = listening();
    const bad = { candidate_paths: [one, '/etc/passwd'], question: question() };
    const why = expect.stringMatching(/^picture "\/etc\/passwd": is not served here/) as string;
    expect((await post('/score', bad)).body).toEqual({ error: why });
    const { status, body } = await post('/batch_score', {
      batch: [bad, { candidate_paths: [two], question: question() }],
    });
    expect([status, body]).toEqual([
      200,
      {
        results: [
          { yes_probabilities: [0, 0], predicted_index: -1, reward_score: 0, error: why },
          { yes_probabilities: [1], predicted_index: 0, reward_score: 1 },
        ],
        took: 0,
      },
    ]);
    expect(script.calls.flatMap(({ pictures }) => pictures)).toEqual([two]);
    expect(faults).toEqual([]);
  });

  it('reports only that the model failed, caches nothing, and asks again', async () => {
    const { post, script, faults } = listening();
    const item = { candidate_paths: candidates, question: question() };
    script.fail = new EmacError('unavailable', 'device 7 of /dev/secret is gone');
    expect((await post('/score', item)).body).toEqual({
      error: 'The model failed to answer; the log of its service says why.',
    });
    expect(faults).toEqual([script.fail]);
    script.fail = null;
    expect((await post('/score', item)).body).toMatchObject({ predicted_index: 1 });
    const long = { candidate_paths: [one, two], question: question('too long') };
    expect((await post('/score', long)).body).toEqual({
      error: 'The model rejects this question or picture; it may be too long.',
    });
  });

  it('rejects every number that is no probability', async () => {
    for (const wrong of [[Number.NaN], [1.5], [-0.1], [], [0.1, 0.2]]) {
      const listener = {
        identity: async () => 'broken',
        ask: async () => ({ answers: wrong, identity: 'broken' }),
      };
      const { post } = listening({ listener });
      const { body } = await post('/score', { candidate_paths: [one], question: question() });
      expect(body).toEqual({ error: 'The model failed to answer; the log of its service says why.' });
    }
  });

  it('refuses invalid bodies', async () => {
    const { app, post } = listening();
    const missing = await post('/batch_score', { batch: [{ question: 'q' }] });
    expect([missing.status, missing.body]).toEqual([
      422,
      {
        detail: [
          {
            loc: ['body', 'batch', 0, 'candidate_paths'],
            msg: 'Invalid input: expected array, received undefined',
            type: 'invalid_type',
          },
        ],
      },
    ]);
    const many = { candidate_paths: Array.from({ length: 1000 }, () => one), question: 'q' };
    expect((await post('/batch_score', { batch: Array.from({ length: 5 }, () => many) })).status).toBe(422);
    const text = await app.request('/score', { method: 'POST', body: '{}' });
    expect(text.status).toBe(415);
  });
});

describe('speakerService', () => {
  it('answers /describe and /batch_describe, each item with its own descriptions', async () => {
    const { speaker, script } = scriptedSpeaker();
    const app = speakerService({ ...options(), speaker });
    const said = (name: string) => trueDescription(thingOf(name));
    const single = await post(app, '/describe', { candidate_paths: [one], question: 'Describe.', topk: 1 });
    expect(single.body).toEqual({ description: said(one), took: 0 });
    const batch = [
      { candidate_paths: [two, three], question: 'Describe.' },
      { candidate_paths: [one], question: 'Describe.' },
      { candidate_paths: ['../x.png'], question: 'Describe.' },
    ];
    const { body } = await post(app, '/batch_describe', { batch });
    expect(body).toEqual({
      results: [
        { descriptions: [said(two), said(three)] },
        { descriptions: [said(one)] },
        {
          descriptions: [],
          error: expect.stringContaining('"../x.png": is not served here') as string,
        },
      ],
      took: 0,
    });
    expect(script.calls.map(({ pictures }) => pictures)).toEqual([[one], [two, three]]);
    const several = await post(app, '/describe', batch[0]);
    expect(several.body).toEqual({
      error: 'candidate_paths: must be one picture, got 2; use /batch_describe for several',
    });
  });
});

describe('loadingService', () => {
  it('replies on every route that the model is loading', async () => {
    const app = loadingService('Speaker');
    const health = await app.request('/health');
    expect([health.status, health.headers.get('retry-after')]).toEqual([503, '5']);
    const { status, body } = await post(app, '/batch_describe', {});
    expect([status, body]).toEqual([503, { detail: 'Speaker is loading its model; try again later' }]);
  });
});
