/** `emac world`: plays games on this machine for a run started elsewhere with `--world http`. */
import { playAsPublished, playElsewhere, type Connection } from '@emac/bridge';
import { EmacError, Random, type Environment } from '@emac/core';
import { drawGames, kindOf, listGames, shortage, taskOf } from '@emac/opening';
import { gamesText, usualEnvironment } from '@emac/settings';
import { formed, integer, requiredText, text, toggle, type Values } from '../options/option.ts';
import { tokenIn } from '../options/server-options.ts';
import { numberIn } from '../options/form.ts';
import { counted } from '../terminal/amounts.ts';
import { say, type Io } from '../terminal/io.ts';
import { command } from '../calling/command.ts';

const options = {
  connect: requiredText('address of the run, such as http://127.0.0.1:7860'),
  games: text({ help: `games to offer: ${gamesText}`, default: 'builtin:train' }),
  'num-games': integer([1, 1_000_000], {
    help: 'number of games to offer, sampled like emac train with this --seed',
    default: null,
    defaultText: 'all, in their order',
  }),
  seed: integer([0, 999_999_999_999_999], { help: '--num-games: seed of the sample', default: 0 }),
  'at-once': integer([1, 64], { help: 'episodes in parallel; always one on the published wire', default: 1 }),
  published: toggle('use the published wire: games in order, round after round'),
  rounds: integer([1, 1_000_000], {
    help: '--published: rounds over the games',
    default: null,
    defaultText: 'as many as the run takes',
  }),
  'max-steps': integer([1, 10_000], {
    help: '--published: step limit of a game',
    default: null,
    defaultText: 'the run decides',
  }),
  'retry-seconds': formed(numberIn({ from: 0, to: 1_000_000 }), {
    help: 'time to keep trying without an answer, e.g. until the run is started',
    default: 60,
  }),
};

type WorldValues = Values<typeof options>;

export const worldCommand = command({ options, run: (values, _words, io) => played(values, io) });

/** Plays until the run has ended. Errors: `usage`, `missing`, `data`, `unavailable`, `interrupted`. */
async function played(values: WorldValues, io: Io): Promise<number> {
  const { connect, published, rounds, 'max-steps': maxSteps, 'at-once': atOnce } = values;
  refuseMisplaced(values);
  const url = addressOf(connect);
  const environment = await offered(values, io);
  const signal = io.catchInterruption('the request');
  const connection = connectionOf(values, { url, signal, env: io.env });
  say(io.stderr, `${counted(environment.tasks.length, 'game')} for ${url}`);
  if (published) await playAsPublished({ ...connection, environment, maxSteps, rounds });
  else await playElsewhere({ ...connection, environment, name: 'emac world', atOnce, pictures: true });
  say(io.stderr, 'the run has ended');
  return 0;
}

function refuseMisplaced({ published, rounds, 'max-steps': maxSteps, 'at-once': atOnce }: WorldValues): void {
  const misplaced = published
    ? atOnce > 1 && 'at-once'
    : (rounds !== null && 'rounds') || (maxSteps !== null && 'max-steps');
  if (misplaced)
    throw new EmacError(
      'usage',
      `--${misplaced}: belongs to ${published ? 'version 2 of the wire, not to --published' : '--published, which was not given'}`,
    );
}

function addressOf(connect: string): string {
  const address = URL.canParse(connect) ? new URL(connect) : null;
  if (address && /^https?:$/.test(address.protocol)) return address.origin;
  throw new EmacError('usage', `--connect ${connect}: must be an address such as http://127.0.0.1:7860`);
}

async function offered(
  { games, 'num-games': count, seed }: WorldValues,
  { stderr }: Io,
): Promise<Environment> {
  const list = listGames(games);
  const random = Random.fromSeed(seed).stream('games');
  const drawn = count === null ? list.games : drawGames(list, count, random);
  for (const note of [list.leftOut, shortage('--num-games', drawn.length, count ?? 0)])
    if (note !== null) say(stderr, note);
  // the run has the step limit
  const asks = { maxSteps: Infinity, source: games };
  const { begin } = await kindOf(usualEnvironment).open(usualEnvironment, asks);
  return { tasks: drawn.map(taskOf), begin };
}

interface Reached {
  readonly url: string;
  readonly signal: AbortSignal;
  readonly env: Io['env'];
}

function connectionOf({ 'retry-seconds': seconds }: WorldValues, { url, signal, env }: Reached): Connection {
  return {
    url,
    token: tokenIn(env),
    retryMs: 1000 * seconds,
    signal,
    wait: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
  };
}
