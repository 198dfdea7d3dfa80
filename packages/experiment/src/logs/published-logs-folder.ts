/** The files of `logging_results`, one set for each round. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { whileReading, writeFileAtomic } from '@emac/files';
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

/** The results in the files after a round; null if missing or unreadable. */
export function readResults(folder: string, round: number): readonly GameResult[] | null {
  const path = join(folder, resultsName(round));
  if (!existsSync(path)) return null;
  try {
    return Object.values(JSON.parse(readFileSync(path, 'utf8')) as Record<string, GameResult>);
  } catch {
    return null;
  }
}

function resultsName(round: number): string {
  return `env_results_trial_${round}.json`;
}

/** A rewritten round replaces its earlier text. */
function worldBefore(path: string, round: number): string {
  if (!existsSync(path)) return '';
  const text = whileReading(path, () => readFileSync(path, 'utf8'));
  const rounds = text.match(/\n-----\nROUND: \d+\n[^]*?\n-----\n\n/g) ?? [];
  return rounds.filter((each) => Number(/ROUND: (\d+)/.exec(each)![1]) < round).join('');
}
