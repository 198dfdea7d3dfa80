import { describe, expect, it } from 'vitest';
import { posted, type Connection } from './post.ts';

/** A connection with these outcomes, one per request; a text is a fault. */
function ending(...ends: (number | string)[]) {
  const waits: number[] = [];
  const connection: Connection = {
    url: 'http://127.0.0.1:1',
    token: 'a token',
    retryMs: 1000,
    wait: (milliseconds) => Promise.resolve(void waits.push(milliseconds)),
    fetch: (_url, init) => {
      expect(new Headers(init!.headers).get('authorization')).toBe('Bearer a token');
      const end = ends.shift()!;
      if (typeof end === 'string') return Promise.reject(new TypeError('failed', { cause: new Error(end) }));
      return Promise.resolve(new Response(null, { status: end }));
    },
  };
  return { waits, answer: () => posted(connection, '/v2/next', { body: '{}', headers: {} }) };
}

describe('a message', () => {
  it('is sent again until answered', async () => {
    const { waits, answer } = ending('ECONNRESET', 503, 408, 200);
    // half a second between attempts: the third is at the end of the time, and is the last
    await expect(answer()).rejects.toMatchObject({ code: 'unavailable' });
    expect(waits).toEqual([500, 500]);
    const other = ending('ECONNRESET', 503, 404);
    expect((await other.answer()).status).toBe(404);
  });

  it('is sent again after an answer that was cut off, and keeps a whole one', async () => {
    const cut = new ReadableStream({ start: (stream) => stream.error(new Error('cut off')) });
    const answers = [new Response(cut), new Response('{"kind":"wait"}', { headers: { made: 'here' } })];
    const connection: Connection = {
      url: 'http://127.0.0.1:1',
      retryMs: 1000,
      wait: () => Promise.resolve(),
      fetch: () => Promise.resolve(answers.shift()!),
    };
    const answer = await posted(connection, '/v2/next', { body: '{}', headers: {} });
    expect([answer.status, answer.headers.get('made')]).toEqual([200, 'here']);
    expect(await answer.json()).toEqual({ kind: 'wait' });
  });

  it('reports why nobody answers', async () => {
    await expect(ending('ECONNREFUSED', 'ECONNREFUSED', 'ECONNREFUSED').answer()).rejects.toThrow(
      'http://127.0.0.1:1: does not answer (ECONNREFUSED)',
    );
  });

  it('waits no longer than its time limit', async () => {
    const connection: Connection = {
      url: 'http://127.0.0.1:1',
      retryMs: 0,
      wait: () => Promise.resolve(),
      fetch: (_url, init) =>
        new Promise((_resolve, reject) =>
          init!.signal!.addEventListener('abort', () => reject(init!.signal!.reason as Error)),
        ),
    };
    const answer = posted(connection, '/v2/next', { body: '{}', headers: {}, answerMs: 1 });
    await expect(answer).rejects.toMatchObject({ code: 'unavailable' });
  });
});
