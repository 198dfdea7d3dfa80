/** `emac world`: plays games on this machine for a run started elsewhere with `--world http`. */
import { playAsPublished, playElsewhere, type Connection } from '@emac/bridge';
import { EmacError, Random, type Environment } from '@emac/core';
import { drawGames, listedEnvironment, listGames, shortage } from '@emac/opening';
import { gamesText } from '@emac/settings';
import { formed, integer, requiredText, text, toggle, type Values } from '../options/option.ts';
import { tokenIn } from '../options/server-options.ts';
import { numberIn } from '../options/form.ts';
import { counted } from '../terminal/amounts.ts';
import { say, type Io } from '../terminal/io.ts';
import { command } from './command.ts';

const options = {
  connect: requiredText('address of the run, such as http://127.0.0.1:7860'),
  games: text({ help: `games to offer: ${gamesText}`, default: 'builtin:train' }),
  'num-games': integer([1, 1_000_000], {
    help: 'offers so many games, drawn as emac train draws them with this --seed',
    default: null,
    defaultText: 'all, in their order',
  }),
  seed: integer([0, 999_999_999_999_999], { help: '--num-games: seed of the draw', default: 0 }),
  'at-once': integer([1, 64], { help: 'episodes at once; the published wire has one', default: 1 }),
  published: toggle('speaks the published wire, in which the games come in their order, round after round'),
  rounds: integer([1, 1_000_000], {
    help: '--published: passes over the games',
    default: null,
    defaultText: 'as many as the run takes',
  }),
  'max-steps': integer([1, 10_000], {
    help: '--published: commands after which a game is left',
    default: null,
    defaultText: 'the run decides',
  }),
  'retry-seconds': formed(numberIn({ from: 0, to: 1_000_000 }), {
    help: 'tries so long while nobody answers: a run that is started later, or again',
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
  const environment = offered(values, io);
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
      `--${misplaced}: belongs to ${published ? 'version 2 of the wire, not to --published' : '--published, which was not asked for'}`,
    );
}

function addressOf(connect: string): string {
  const address = URL.canParse(connect) ? new URL(connect) : null;
  if (address && /^https?:$/.test(address.protocol)) return address.origin;
  throw new EmacError('usage', `--connect ${connect}: must be an address such as http://127.0.0.1:7860`);
}

function offered({ games, 'num-games': count, seed }: WorldValues, { stderr }: Io): Environment {
  const list = listGames(games);
  const random = Random.fromSeed(seed).stream('games');
  const drawn = count === null ? list.games : drawGames(list, count, random);
  for (const note of [list.leftOut, shortage('--num-games', drawn.length, count ?? 0)])
    if (note !== null) say(stderr, note);
  return listedEnvironment(drawn);
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
