import { describe, expect, it, onTestFinished } from 'vitest';
import { measures } from '../serve/measures.ts';
import { listen, type ListenOptions } from './listen.ts';
import { asked, closeConnections, connection, statusOf } from './raw-client.test.support.ts';

closeConnections();

async function counted(options: Partial<ListenOptions>) {
  const measured = measures();
  const server = await listen({
    fetch: () => new Response('well'),
    port: 0,
    onRefused: ({ path, status }) => measured.refused(path, status),
    ...options,
  });
  onTestFinished(() => server.close());
  const counts = () =>
    [...measured.text({ waiting: 0, longestStall: null }).matchAll(/^emac_requests_total(.*)$/gm)].map(
      ([, each]) => each,
    );
  return { port: server.port, counts };
}

const get = (path: string, more: readonly string[] = []) => [`GET ${path} HTTP/1.1`, ...more];
const here = 'Host: localhost';

describe('requests the server refuses itself', () => {
  it('are reported by path and status', async () => {
    const { port, counts } = await counted({
      token: 'a-token-of-good-length',
      limits: { bodyBytes: 10, headerBytes: 1024, requests: 0 },
    });
    const bearer = 'Authorization: Bearer a-token-of-good-length';
    const heads = [
      get('/v1/act', [here]),
      get('/v1/act', ['Host: evil.example', bearer]),
      get('/v1/models/m', [here, bearer, 'Origin: http://evil.example']),
      get('/healthz', [here, bearer]),
      get('/v1/act', [here, bearer]),
      get('/', [here, `X: ${'x'.repeat(2000)}`]),
      ['nonsense'],
    ];
    const statuses: number[] = [];
    for (const head of heads) statuses.push(statusOf(await asked(port, head)));
    expect(statuses).toEqual([401, 421, 403, 200, 503, 431, 400]);
    expect(counts()).toEqual([
      '{route="/v1/act",status="401"} 1',
      '{route="/v1/act",status="421"} 1',
      '{route="/v1/models",status="403"} 1',
      '{route="/v1/act",status="503"} 1',
      '{route="other",status="431"} 1',
      '{route="other",status="400"} 1',
    ]);
  });

  it('are reported once, in the common form, if too large or too slow', async () => {
    const post = (length: number) => ['POST /v1/act HTTP/1.1', here, `Content-Length: ${length}`];
    const small = await counted({ limits: { bodyBytes: 10 } });
    expect(statusOf(await asked(small.port, post(11)))).toBe(413);
    expect(small.counts()).toEqual(['{route="/v1/act",status="413"} 1']);
    const { port, counts } = await counted({ limits: { headersMs: 50, requestMs: 50, checkEveryMs: 20 } });
    const { socket, answer } = connection(port);
    socket.write(`${post(10).join('\r\n')}\r\n\r\nhalf`);
    const text = await answer;
    expect(statusOf(text)).toBe(408);
    expect(JSON.parse(text.split('\r\n\r\n')[1]!)).toMatchObject({
      error: { type: 'invalid_request_error', param: null, code: 'too_slow' },
    });
    expect(counts()).toEqual(['{route="other",status="408"} 1']);
  });
});
