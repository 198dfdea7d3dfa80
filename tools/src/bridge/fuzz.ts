/**
 * Sends malformed bodies to our servers over real HTTP: each is answered with a 4xx, or carried out if still
 * well-formed. Nothing may crash, hang or pile up.
 */
import { Random } from '@emac/core';
import { servedTarget } from './fuzzed-agent.ts';
import { publishedTarget, version2Target } from './fuzzed-worlds.ts';
import type { Sent, Target } from './target.ts';

export interface Fuzz {
  /** for each target */
  readonly bodies: number;
  readonly seed: number;
  /** bodies under way at once */
  readonly atOnce: number;
}

export interface Fuzzed {
  readonly target: string;
  /** answers by their status */
  readonly statuses: ReadonlyMap<number, number>;
  /** bytes of the process after a fifth of the bodies, and after all of them */
  readonly memory: { readonly early: number; readonly late: number };
  /** the server still answers */
  readonly isWell: boolean;
}

/** Both wires of a world that connects, and an agent that is served. */
export const targets: readonly Target[] = [version2Target, publishedTarget, servedTarget];

/** Sends all of them, target by target. Errors: those of `fetch` if the server gives no answer twice. */
export async function fuzz(options: Fuzz): Promise<readonly Fuzzed[]> {
  const results: Fuzzed[] = [];
  for (const target of targets) results.push(await fuzzed(target, options));
  return results;
}

async function fuzzed({ name, draw, open }: Target, { bodies, seed, atOnce }: Fuzz): Promise<Fuzzed> {
  const statuses = new Map<number, number>();
  const random = Random.fromSeed(seed).stream(name);
  const { address, close } = await open();
  let early = 0;
  let sent = 0;
  const worker = async (): Promise<void> => {
    while (sent < bodies) {
      const number = sent++;
      const status = await answerTo(address, draw(random.stream(number)));
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (number === Math.floor(bodies / 5)) early = process.memoryUsage().rss;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  const isWell = (await fetch(new URL('/healthz', address))).ok;
  await close();
  return { target: name, statuses, memory: { early, late: process.memoryUsage().rss }, isWell };
}

/** Retries once: a kept-alive connection may be closed just when it is reused. */
async function answerTo(address: string, sent: Sent): Promise<number> {
  return statusOf(address, sent).catch(() => statusOf(address, sent));
}

async function statusOf(address: string, { path, body, headers }: Sent): Promise<number> {
  const response = await fetch(new URL(path, address), {
    method: 'POST',
    body,
    headers,
    signal: AbortSignal.timeout(30_000),
  });
  await response.arrayBuffer();
  return response.status;
}
