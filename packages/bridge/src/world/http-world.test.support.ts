/** A world on a free port, removed with its test, and clients for it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '@emac/core';
import { onTestFinished } from 'vitest';
import type { Order } from '../wire/schemas.ts';
import { playElsewhere, type PlayedElsewhere } from './client.ts';
import { openHttpWorld, type HttpWorld, type HttpWorldOptions } from './http-world.ts';

export async function world(options: Partial<HttpWorldOptions> = {}): Promise<HttpWorld> {
  const opened = await openHttpWorld({ port: 0, ...options });
  onTestFinished(() => opened.close());
  return opened;
}

/** A client that plays an environment until the world closes or the test stops it. */
export function client(
  { address }: HttpWorld,
  environment: Environment,
  options: Partial<PlayedElsewhere> = {},
): { readonly ended: Promise<void>; readonly stop: () => void } {
  const stopping = new AbortController();
  const ended = playElsewhere({
    url: address,
    environment,
    name: 'a test',
    atOnce: 1,
    pictures: true,
    retryMs: 0,
    wait: (milliseconds) => sleep(milliseconds),
    signal: stopping.signal,
    ...options,
  }).catch(() => {});
  onTestFinished(() => stopping.abort());
  return { ended, stop: () => stopping.abort() };
}

/** A manual client: the test sends every message. */
export function byHand({ address }: HttpWorld) {
  const post = (path: string, body: unknown) =>
    fetch(new URL(path, address), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  return {
    post,
    async hello(games: readonly string[]): Promise<string> {
      const listed = games.map((id) => ({ id, type: null }));
      const response = await post('/v2/hello', {
        version: 2,
        name: 'by hand',
        games: listed,
        pictures: false,
      });
      return ((await response.json()) as { client: string }).client;
    },
    async next(report: object): Promise<Order> {
      return (await (await post('/v2/next', report)).json()) as Order;
    },
  };
}

export const seen = (text: string) => ({ text, admissible: null, picture: null });
