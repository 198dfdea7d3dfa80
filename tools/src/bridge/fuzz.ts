/**
 * Malformed bodies against a world that connects, over both wires and real HTTP: each is answered with a 4xx, or carried out
 * where the damage left it well-formed; nothing crashes, hangs or piles up.
 */
import { createHash } from 'node:crypto';
import { openHttpWorld, type HttpWorld } from '@emac/bridge';
import { Random } from '@emac/core';
import { damaged } from './mutate.ts';

export interface Fuzz {
  /** of each wire */
  readonly bodies: number;
  readonly seed: number;
  /** bodies under way at once */
  readonly atOnce: number;
}

export interface Fuzzed {
  /** answers by their status */
  readonly statuses: ReadonlyMap<number, number>;
  /** bytes of the process after a fifth of the bodies, and after all of them */
  readonly memory: { readonly early: number; readonly late: number };
  /** the server still answers */
  readonly isWell: boolean;
}

interface Sent {
  readonly path: string;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly headers: Record<string, string>;
}

type Draw = (random: Random) => Sent;

const observation = {
  text: 'You are in the middle of a room.',
  admissible: ['look', 'go to desk 1'],
  picture: null,
};
const messages = [
  ['/v2/hello', { version: 2, name: 'fuzz', games: [{ id: 'a/b', type: null }], pictures: false }],
  ['/v2/next', { kind: 'nothing', client: 'nobody' }],
  ['/v2/next', { kind: 'begun', client: 'nobody', episode: 'e1', step: 0, observation }],
  [
    '/v2/next',
    {
      kind: 'stepped',
      client: 'nobody',
      episode: 'e1',
      step: 1,
      observation,
      reward: 0,
      won: false,
      done: false,
      truncated: false,
    },
  ],
] as const;

const version2: Draw = (random) => {
  const [path, message] = messages[random.integer(messages.length)]!;
  const body = damaged(Buffer.from(JSON.stringify(message)), random);
  return { path, body, headers: { 'content-type': 'application/json' } };
};

const information = `{'admissible_commands': ['look', "put Tom's cup"], 'won': [False], 'extra.gamefile': ['/d/t/r/game.tw-pddl']}`;
const published: Draw = (random) => {
  const text = `[#OBSERVATION]You see\n\nYour task[#HISTORY]You see[#INFORMATION]${information}[#TYPE]pick_two_obj[#DONE]False[#IMAGE][[[1, 2, 3], [4, 5, 6]]]`;
  const body = damaged(Buffer.from(text), random);
  const isRight = random.integer(10) > 0;
  const sum = createHash('md5').update(body).digest('hex');
  return { path: '/', body, headers: { MD5: isRight ? sum : 'none' } };
};

/** Sends all of them. Errors: what `fetch` throws where the server gives no answer. */
export async function fuzz({ bodies, seed, atOnce }: Fuzz): Promise<Fuzzed> {
  const statuses = new Map<number, number>();
  const memory = { early: 0, late: 0 };
  let isWell = true;
  for (const draw of [version2, published]) {
    const world = await openHttpWorld({ port: 0, pollSeconds: 0.05 });
    const turningAway = draw === published ? turnAway(world) : null;
    const random = Random.fromSeed(seed).stream(draw === published ? 'published' : 'version 2');
    let sent = 0;
    const worker = async (): Promise<void> => {
      while (sent < bodies) {
        const number = sent++;
        const status = await answerTo(world, draw(random.stream(number)));
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (number === Math.floor(bodies / 5) && draw === version2) memory.early = process.memoryUsage().rss;
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
    isWell &&= (await fetch(new URL('/healthz', world.address))).ok;
    turningAway?.abort();
    await world.close();
  }
  memory.late = process.memoryUsage().rss;
  return { statuses, memory, isWell };
}

async function answerTo({ address }: HttpWorld, { path, body, headers }: Sent): Promise<number> {
  const response = await fetch(new URL(path, address), {
    method: 'POST',
    body,
    headers,
    signal: AbortSignal.timeout(30_000),
  });
  await response.arrayBuffer();
  return response.status;
}

/** Whatever is well-formed all the same is answered SKIP. */
function turnAway(world: HttpWorld): AbortController {
  const ending = new AbortController();
  const answer = async (): Promise<void> => {
    const connected = await world.connected(ending.signal);
    if (connected.wire !== 'published') return;
    const { arrivals } = world.environment({ tasks: [], count: 1, pictures: false, signal: ending.signal });
    for (;;) await arrivals!.next(() => false);
  };
  answer().catch(() => {});
  return ending;
}
