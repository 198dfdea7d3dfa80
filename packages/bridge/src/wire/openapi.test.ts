import type { Hono } from 'hono';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listen, type ListenOptions } from '../server/listen.ts';
import { asked, closeConnections, connection, statusOf } from '../server/raw-client.test.support.ts';
import { worldApp } from '../world/app.ts';
import { openapi } from './openapi.ts';
import { refusalsEverywhere, routes } from './routes.ts';
import { refusalSchema } from './schemas.ts';

closeConnections();

interface Described {
  readonly paths: Record<string, Record<string, { readonly responses: Record<string, unknown> }>>;
  readonly security: readonly object[];
  readonly components: {
    readonly schemas: Record<string, unknown>;
    readonly securitySchemes: Record<string, object>;
  };
}

/** Every method and path, without the catch-all routes. */
const servedBy = ({ routes }: Hono) =>
  routes
    .flatMap(({ method, path }) => (path.includes('*') ? [] : [`${method.toLowerCase()} ${path}`]))
    .sort();
const describedIn = ({ paths }: Described) =>
  Object.entries(paths)
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`))
    .sort();

const app = worldApp({
  hello: () => ({ version: 2, client: 'c', pollSeconds: 1, stepSeconds: 1 }),
  next: () => Promise.resolve({ do: 'wait' }),
  post: () => Promise.resolve('look'),
});

describe('the description of version 2', () => {
  it('is served, and names every route of the application except the published wire', async () => {
    const response = await app.request('/openapi.json');
    const described = (await response.json()) as Described;
    expect(describedIn(described)).toEqual(servedBy(app));
    expect(describedIn(described)).toContain('get /healthz');
  });

  it('has no dangling reference', () => {
    const whole = openapi(routes) as Described;
    const names = JSON.stringify(whole).match(/#\/components\/schemas\/\w+/g)!;
    const held = Object.keys(whole.components.schemas);
    expect(new Set(names.map((name) => name.split('/').at(-1)!))).toEqual(new Set(held));
    expect(held).toEqual(
      expect.arrayContaining(['Hello', 'Welcome', 'Report', 'Order', 'Observation', 'Game', 'Refusal']),
    );
  });

  it('lists the refusals in the code', async () => {
    const { paths } = openapi(routes) as Described;
    for (const { path, takes, refusals } of Object.values(routes)) {
      const statuses = Object.keys(paths[path]![takes ? 'post' : 'get']!.responses);
      const all = { 200: '', ...refusalsEverywhere, ...refusals };
      expect(statuses).toEqual(Object.keys(all).sort());
      if (!takes) continue;
      const bad = await app.request(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      });
      expect(bad.status).toBe(422);
    }
  });

  it('lists the answers given before a route is reached', async () => {
    const token = 'a-token-of-good-length';
    const served = async (options: Partial<ListenOptions> = {}) => {
      const server = await listen({ port: 0, fetch: (request) => app.fetch(request), ...options });
      onTestFinished(() => server.close());
      return server.port;
    };
    const next = 'POST /v2/next HTTP/1.1';
    const ask = async (options: Partial<ListenOptions>, more: readonly string[]) =>
      asked(await served(options), [next, 'Host: localhost', ...more]);
    const slow = await served({ limits: { headersMs: 50, requestMs: 50, checkEveryMs: 20 } });
    const answers = [
      await ask({}, ['No header']),
      await ask({ token }, []),
      await ask({}, ['Origin: http://evil.example']),
      await connection(slow).answer,
      await ask({ limits: { bodyBytes: 10 } }, ['Content-Length: 11']),
      await asked(await served(), [next, 'Host: evil.example']),
      await ask({ limits: { headerBytes: 1024 } }, [`X: ${'x'.repeat(2000)}`]),
      await ask({ limits: { requests: 0 } }, []),
    ];
    expect(answers.map(statusOf)).toEqual(Object.keys(refusalsEverywhere).map(Number));
    for (const answer of answers) {
      const [, body] = answer.split('\r\n\r\n');
      expect(refusalSchema.safeParse(JSON.parse(body!)).success, answer).toBe(true);
    }
    const { security, components } = openapi(routes) as Described;
    expect(security).toEqual([{}, { token: [] }]);
    expect(components.securitySchemes).toEqual({ token: { type: 'http', scheme: 'bearer' } });
  });
});
