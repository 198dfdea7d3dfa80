/**
 * `emac games list`: ids and task types. It reads every file, to find truncated ones. Only `emac env check` compiles and plays them: a list of thousands of
 * games takes a second or two.
 */
import { EmacError, exitCodes } from '@emac/core';
import { listGames, type ListedGame } from '@emac/opening';
import { taskTypes } from '@emac/world';
import { choice, text, toggle, type Values } from '../../options/option.ts';
import { say, type Io } from '../../terminal/io.ts';
import { lettingSignalsIn } from '../../terminal/let-signals-in.ts';
import { command } from '../../calling/command.ts';

const options = {
  games: text({
    help: 'builtin:train, builtin:valid_seen, builtin:valid_unseen, a *.tw-pddl file, or a folder',
    default: 'builtin:valid_unseen',
  }),
  type: choice(taskTypes, { help: 'only games of this task type', default: null }),
  json: toggle('print the list as JSON on standard output'),
};

export const gamesListCommand = command({
  options,
  run: (values, _words, io) => printGames(values, io),
});

/** Prints the games in `--games`; returns 0, or 65 for a damaged file. Errors: `usage`, `missing`, `data`. */
async function printGames(
  { games: source, type, json }: Values<typeof options>,
  { stdout, stderr }: Io,
): Promise<number> {
  const list = listGames(source);
  const [games, damaged]: [object[], string[]] = [[], []];
  for await (const game of lettingSignalsIn(list.games)) {
    if (type !== null && game.type !== type) continue;
    const fault = faultOf(game);
    if (fault !== null) damaged.push(fault);
    else games.push({ id: game.id(), type: game.type });
    if (fault === null && !json) say(stdout, `${game.id()}  ${game.type}`);
  }
  if (json)
    say(stdout, JSON.stringify({ source, count: games.length, games, leftOut: list.leftOut, damaged }));
  say(stderr, `${source}: ${games.length} games${type === null ? '' : ` of type ${type}`}`);
  if (list.leftOut !== null) say(stderr, list.leftOut);
  for (const fault of damaged) say(stderr, `damaged: ${fault}`);
  return damaged.length === 0 ? 0 : exitCodes.data;
}

/** The error in a file, path included; null without one. */
function faultOf({ check }: ListedGame): string | null {
  try {
    check();
    return null;
  } catch (thrown) {
    if (thrown instanceof EmacError && thrown.code === 'data')
      return thrown.message.replace(/\s*\n\s*/g, ' ');
    throw thrown;
  }
}
