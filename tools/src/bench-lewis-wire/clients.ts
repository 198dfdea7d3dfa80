/** Clients that ask a listener's service, each one request after the other. */
import { Random } from '@emac/core';
import {
  drawGames,
  drawnCatalogue,
  listenerQuestion,
  readDescription,
  thingOf,
  trueDescription,
} from '@emac/lewis';
import { asked, type Asked, type Timed } from '../bench-wire/load.ts';

export interface Load {
  readonly clients: number;
  /** of all clients together */
  readonly requests: number;
  /** items per request; null for `/score`, which has one */
  readonly items: number | null;
}

export interface Answered extends Asked {
  readonly itemsPerSecond: number;
  /** no status 200, no answer to every item, or a wrong one */
  readonly failures: number;
}

const games = drawGames(drawnCatalogue(), { views: 'test', random: Random.fromSeed(0) });

/** All items have different questions, so no answer is cached. */
function item(number: number) {
  const { image, category, candidates, label } = games[number % games.length]!;
  const { text } = readDescription(trueDescription(thingOf(image)), category);
  const body = { candidate_paths: candidates, question: listenerQuestion(`${text} (${number})`) };
  return { body, label };
}

/** Sends the wanted number of requests; items are numbered from `first` on. */
export async function answered(address: string, load: Load, first: number): Promise<Answered> {
  const left = { requests: load.requests, failures: 0, next: first };
  const found = await asked(load.clients, (_, timed) => client(address, { ...load, left, timed }));
  return { ...found, itemsPerSecond: found.perSecond * (load.items ?? 1), failures: left.failures };
}

interface Client extends Load {
  /** requests not begun yet, and the next item */
  readonly left: { requests: number; failures: number; next: number };
  readonly timed: Timed;
}

interface Scored {
  readonly predicted_index: number;
  readonly error?: string;
}

type Reply = Scored & { readonly results?: readonly Scored[] };

async function client(address: string, { items, left, timed }: Client): Promise<void> {
  while (left.requests > 0) {
    left.requests--;
    const asking = Array.from({ length: items ?? 1 }, () => item(left.next++));
    const bodies = asking.map(({ body }) => body);
    const request = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(items === null ? bodies[0] : { batch: bodies }),
    };
    const url = `${address}/${items === null ? 'score' : 'batch_score'}`;
    const { status, reply } = await timed(async () => {
      // a connection that was idle may be closed while it is taken again
      const response = await fetch(url, request).catch(() => fetch(url, request));
      return { status: response.status, reply: (await response.json()) as Reply };
    });
    const results = items === null ? [reply] : (reply.results ?? []);
    const isRight = asking.every(({ label }, place) => results[place]?.predicted_index === label);
    if (status !== 200 || !isRight) left.failures++;
  }
}
