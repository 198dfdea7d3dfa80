/** `emac env check` of games: a named file that is no game is an error; one within a folder is listed as a fault. */
import { EmacError, exitCodes } from '@emac/core';
import { findGames, loadGame, verifyGame, type Verification } from '@emac/world';
import { say, type Io } from '../../terminal/io.ts';
import { lettingSignalsIn } from '../../terminal/let-signals-in.ts';

/** Verifies the games at a path; returns 0, or 2 for a faulty game. Errors: `missing`, `data`. */
export async function verifyGames(path: string, json: boolean, { stdout, stderr }: Io): Promise<number> {
  const { games, leftOut } = findGames(path);
  const skipped = leftOut.map(({ reason, count }) => `${count} (${reason})`).join(', ');
  if (games.length === 0)
    throw new EmacError('data', `${path}: holds no playable game${skipped && `; skipped: ${skipped}`}`);
  if (games.length === 1 && games[0] === path) loadGame(path);
  const results: Verification[] = [];
  for await (const each of lettingSignalsIn(games)) results.push(proved(verifyGame(each)));
  const faulty = results.filter(({ fault }) => fault !== null);
  if (json) say(stdout, JSON.stringify({ path, games: results, faulty: faulty.length, leftOut }));
  else {
    for (const each of faulty) say(stdout, `${each.path}: ${each.fault}`);
    say(stdout, summary(results, faulty.length));
  }
  if (skipped !== '') say(stderr, `games skipped: ${skipped}`);
  return faulty.length === 0 ? 0 : exitCodes['check-failed'];
}

function proved(result: Verification): Verification {
  const isProved = result.fault !== null || result.walkthrough !== null || result.shortest !== null;
  return isProved ? result : { ...result, fault: 'neither a walkthrough nor a plan wins it' };
}

function summary(results: readonly Verification[], faulty: number): string {
  const plans = results.flatMap(({ shortest }) => shortest ?? []);
  const lengths = plans.length === 0 ? '' : `; shortest plans take ${range(plans)} commands`;
  return `${results.length} games verified, ${faulty} faulty${lengths}`;
}

function range(numbers: readonly number[]): string {
  const ordered = [...numbers].sort((a, b) => a - b);
  const [least, most] = [ordered[0]!, ordered.at(-1)!];
  return least === most ? String(least) : `${least} to ${most}`;
}
