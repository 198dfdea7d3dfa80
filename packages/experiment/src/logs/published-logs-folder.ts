/** The files of `logging_results`, one set for each round. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EmacError } from '@emac/core';
import { isThere, whileReading, writeFileAtomic } from '@emac/files';
import {
  nextResults,
  resultsText,
  trialText,
  worldText,
  type GameResult,
  type PlayedGame,
} from './published-logs.ts';

export const runningLog = 'running_nb01.log';

export interface PlayedRound {
  readonly round: number;
  /** ids of all games of the list, those not played included */
  readonly games: readonly string[];
  /** by their places */
  readonly played: ReadonlyMap<number, PlayedGame>;
  readonly lessons: ReadonlyMap<string, readonly string[]>;
  /** each game's results before the round */
  readonly before: readonly GameResult[];
  readonly seconds: number;
}

/** Writes a round's files; rewriting gives the same files except for times. Returns the results after it. */
export function writeRound(folder: string, wrote: PlayedRound): readonly GameResult[] {
  const { round, games, played, lessons, before, seconds } = wrote;
  const results = nextResults(before, played, lessons);
  const success = results.filter((result) => result.is_success).length;
  const additional = success - before.filter((result) => result.is_success).length;
  writeFileAtomic(join(folder, `trial_${round}.log`), trialText(games, played, before));
  writeFileAtomic(join(folder, resultsName(round)), resultsText(results));
  const world = join(folder, 'world.log');
  const counts = { round, success, additional, total: games.length, seconds };
  writeFileAtomic(world, `${worldBefore(world, round)}${worldText(counts)}`);
  return results;
}

/** The results in the files after a round; null if missing. Errors: `data` for a damaged file; `io`. */
export function readResults(folder: string, round: number): readonly GameResult[] | null {
  const path = join(folder, resultsName(round));
  if (!isThere(path)) return null;
  const text = whileReading(path, () => readFileSync(path, 'utf8'));
  try {
    return Object.values(JSON.parse(text) as Record<string, GameResult>);
  } catch {
    throw new EmacError(
      'data',
      `${path}: must have the results of round ${round} as JSON; it was damaged, put it back or remove it`,
    );
  }
}

function resultsName(round: number): string {
  return `env_results_trial_${round}.json`;
}

/** A rewritten round replaces its earlier text. */
function worldBefore(path: string, round: number): string {
  if (!isThere(path)) return '';
  const text = whileReading(path, () => readFileSync(path, 'utf8'));
  const rounds = text.match(/\n-----\nROUND: \d+\n[^]*?\n-----\n\n/g) ?? [];
  return rounds.filter((each) => Number(/ROUND: (\d+)/.exec(each)![1]) < round).join('');
}
