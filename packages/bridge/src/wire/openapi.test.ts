import { fetching } from '@emac/testing';
import { describe, expect, it } from 'vitest';
import { worldApp } from '../world/app.ts';
import { openapi } from './openapi.ts';
import { environmentService } from '../world/environment-service.ts';
import { environmentRoutes, routes } from './routes.ts';

interface Described {
  readonly paths: Record<string, { readonly post: { readonly responses: Record<string, unknown> } }>;
  readonly components: { readonly schemas: Record<string, unknown> };
}

const app = worldApp({
  hello: () => ({ version: 2, client: 'c', pollSeconds: 1, stepSeconds: 1 }),
  next: () => Promise.resolve({ do: 'wait' }),
  post: () => Promise.resolve('look'),
});

describe('the description of version 2', () => {
  it('is served, and names every route of the application below /v2', async () => {
    const response = await app.request('/openapi.json');
    const { paths } = (await response.json()) as Described;
    const served = app.routes.filter(({ path, method }) => method === 'POST' && /^\/v2\/\w/.test(path));
    expect(Object.keys(paths).sort()).toEqual(served.map(({ path }) => path).sort());
  });

  it('of an environment at an address names every route of it', async () => {
    const { app, close } = environmentService(fetching());
    const { paths } = (await (await app.request('/openapi.json')).json()) as Described;
    const served = app.routes.filter(({ path }) => /^\/v2\/\w/.test(path));
    expect(Object.keys(paths).sort()).toEqual(served.map(({ path }) => path).sort());
    expect(Object.keys(paths)).toHaveLength(Object.keys(environmentRoutes).length);
    await close();
  });

  it('refers to nothing that it does not hold', () => {
    const whole = openapi(routes) as Described;
    const names = JSON.stringify(whole).match(/#\/components\/schemas\/\w+/g)!;
    const held = Object.keys(whole.components.schemas);
    expect(new Set(names.map((name) => name.split('/').at(-1)!))).toEqual(new Set(held));
    expect(held).toEqual(
      expect.arrayContaining(['Hello', 'Welcome', 'Report', 'Order', 'Observation', 'Game', 'Refusal']),
    );
  });

  it('says what the code refuses', async () => {
    const { paths } = openapi(routes) as Described;
    for (const { path, refusals } of Object.values(routes)) {
      const statuses = Object.keys(paths[path]!.post.responses);
      expect(statuses).toEqual(['200', ...Object.keys(refusals)].sort());
      const bad = await app.request(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      });
      expect(bad.status).toBe(422);
    }
  });
});
