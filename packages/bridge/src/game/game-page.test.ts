import { request } from 'node:http';
import type { GameOrder } from '@emac/pages/data';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listen, type Listening } from '../server/listen.ts';
import { gamePage } from './game-page.ts';

const token = 'a-token-of-this-test';
const orders: GameOrder[] = [];
let server: Listening;

beforeAll(async () => {
  const { fetch } = gamePage({
    title: '<b>a game</b>',
    token,
    place: async (order) => {
      orders.push(order);
      return { fault: `heard ${order.kind}` };
    },
  });
  server = await listen({ fetch, port: 0 });
});
afterAll(() => server.close());

const post = (body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${server.address}/game`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
const shown = { authorization: `Bearer ${token}` };

describe('the page of a game', () => {
  it('carries out orders that show the token', async () => {
    const answer = await post({ kind: 'let', by: 'policy' }, shown);
    expect(await answer.json()).toEqual({ fault: 'heard let' });
    expect(orders.at(-1)).toEqual({ kind: 'let', by: 'policy' });
  });

  it('refuses orders without it, with another, from other origins and names, and none that it does not know', async () => {
    const before = orders.length;
    expect((await post({ kind: 'show' })).status).toBe(401);
    expect((await post({ kind: 'show' }, { authorization: 'Bearer another' })).status).toBe(401);
    expect((await post({ kind: 'show' }, { ...shown, origin: 'https://elsewhere.example' })).status).toBe(
      403,
    );
    expect((await post({ kind: 'end' }, shown)).status).toBe(400);
    expect((await post({ kind: 'back', step: -1 }, shown)).status).toBe(400);
    const { port } = new URL(server.address);
    const rebound = await new Promise((resolve, reject) => {
      const asked = request({ host: '127.0.0.1', port, path: '/', headers: { host: 'elsewhere.example' } });
      asked
        .on('response', (reply) => resolve(reply.resume().statusCode))
        .on('error', reject)
        .end();
    });
    expect(rebound).toBe(421);
    expect(orders).toHaveLength(before);
  });

  it('is one page with its own script and style, which names nothing outside', async () => {
    const page = await fetch(server.address);
    const text = await page.text();
    expect(text).toContain('&lt;b&gt;a game');
    expect(text).not.toMatch(/https?:/);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    for (const path of ['/game.js', '/style.css'])
      expect((await fetch(server.address + path)).status).toBe(200);
    expect((await fetch(`${server.address}/other`)).status).toBe(404);
  });
});
