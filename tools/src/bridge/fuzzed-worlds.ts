/** Both wires of a world that connects, and damaged messages of its clients. */
import { createHash } from 'node:crypto';
import { openHttpWorld, type HttpWorld } from '@emac/bridge';
import { damaged } from './mutate.ts';
import type { Target } from './target.ts';

const observation = {
  text: 'You are in the middle of a room.',
  admissible: ['look', 'go to desk 1'],
  picture: null,
};
const step = { client: 'nobody', episode: 'e1', observation };
const outcome = { reward: 0, won: false, done: false, truncated: false };
const messages = [
  ['/v2/hello', { version: 2, name: 'fuzz', games: [{ id: 'a/b', type: null }], pictures: false }],
  ['/v2/next', { kind: 'nothing', client: 'nobody' }],
  ['/v2/next', { kind: 'begun', ...step, step: 0 }],
  ['/v2/next', { kind: 'stepped', ...step, step: 1, ...outcome }],
] as const;

const open = () => openHttpWorld({ port: 0, pollSeconds: 0.05 });

export const version2Target: Target = {
  name: 'version 2',
  draw: (random) => {
    const [path, message] = messages[random.integer(messages.length)]!;
    const body = damaged(Buffer.from(JSON.stringify(message)), random);
    return { path, body, headers: { 'content-type': 'application/json' } };
  },
  open,
};

const information = `{'admissible_commands': ['look', "put Tom's cup"], 'won': [False], 'extra.gamefile': ['/d/t/r/game.tw-pddl']}`;
const turn = `[#OBSERVATION]You see\n\nYour task[#HISTORY]You see[#INFORMATION]${information}[#TYPE]pick_two_obj[#DONE]False[#IMAGE][[[1, 2, 3], [4, 5, 6]]]`;

export const publishedTarget: Target = {
  name: 'published',
  draw: (random) => {
    const body = damaged(Buffer.from(turn), random);
    const isRight = random.integer(10) > 0;
    const sum = createHash('md5').update(body).digest('hex');
    return { path: '/', body, headers: { MD5: isRight ? sum : 'none' } };
  },
  open: async () => {
    const world = await open();
    const turningAway = turnAway(world);
    const close = async (): Promise<void> => {
      turningAway.abort();
      await world.close();
    };
    return { address: world.address, close };
  },
};

/** Answers every well-formed message with SKIP. */
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
