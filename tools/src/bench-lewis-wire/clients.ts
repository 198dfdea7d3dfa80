/** Clients that ask a listener's service, each one request after the other. */
import { performance } from 'node:perf_hooks';
import { Random } from '@emac/core';
import {
  drawGames,
  drawnCatalogue,
  listenerQuestion,
  readDescription,
  thingOf,
  trueDescription,
} from '@emac/lewis';

export interface Load {
  readonly clients: number;
  /** of all clients together */
  readonly requests: number;
  /** items in a request; null for `/score`, which has one */
  readonly items: number | null;
}

export interface Asked {
  readonly requestsPerSecond: number;
  readonly itemsPerSecond: number;
  /** of a request, from its sending to its answer */
  readonly medianMs: number;
  readonly p99Ms: number;
  /** no status 200, no answer to every item, or a wrong one */
  readonly failures: number;
}

const games = drawGames(drawnCatalogue(), { views: 'test', random: Random.fromSeed(0) });

/** No two items have the same question, so that nothing is answered from what is kept. */
function item(number: number) {
  const { image, category, candidates, label } = games[number % games.length]!;
  const { text } = readDescription(trueDescription(thingOf(image)), category);
  const body = { candidate_paths: candidates, question: listenerQuestion(`${text} (${number})`) };
  return { body, label };
}

/** Asks until there are as many requests as wanted; items are numbered from `first` on. */
export async function asked(address: string, load: Load, first: number): Promise<Asked> {
  const times: number[] = [];
  const left = { requests: load.requests, failures: 0, next: first };
  const start = performance.now();
  await Promise.all(Array.from({ length: load.clients }, () => client(address, { ...load, left, times })));
  const seconds = (performance.now() - start) / 1000;
  times.sort((a, b) => a - b);
  return {
    requestsPerSecond: times.length / seconds,
    itemsPerSecond: (times.length * (load.items ?? 1)) / seconds,
    medianMs: times[Math.floor(times.length / 2)]!,
    p99Ms: times[Math.floor(times.length * 0.99)]!,
    failures: left.failures,
  };
}

interface Client extends Load {
  /** requests that nobody has begun yet, and the next item */
  readonly left: { requests: number; failures: number; next: number };
  readonly times: number[];
}

interface Scored {
  readonly predicted_index: number;
  readonly error?: string;
}

async function client(address: string, { items, left, times }: Client): Promise<void> {
  while (left.requests > 0) {
    left.requests--;
    const asking = Array.from({ length: items ?? 1 }, () => item(left.next++));
    const bodies = asking.map(({ body }) => body);
    const start = performance.now();
    const request = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(items === null ? bodies[0] : { batch: bodies }),
    };
    const url = `${address}/${items === null ? 'score' : 'batch_score'}`;
    // a connection that was idle may be closed while it is taken again
    const response = await fetch(url, request).catch(() => fetch(url, request));
    const reply = (await response.json()) as Scored & { readonly results?: readonly Scored[] };
    times.push(performance.now() - start);
    const results = items === null ? [reply] : (reply.results ?? []);
    const isRight = asking.every(({ label }, place) => results[place]?.predicted_index === label);
    if (response.status !== 200 || !isRight) left.failures++;
  }
}
