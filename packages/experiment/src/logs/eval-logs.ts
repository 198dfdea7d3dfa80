/** `logging_results` of an evaluation: one round, no expert. */
import { join } from 'node:path';
import type { Task, Trainable } from '@emac/core';
import { createFolder, writeFileAtomic } from '@emac/files';
import { firstResults, runningLogStart, stepTexts, type PlayedGame } from './published-logs.ts';
import { runningLog, writeRound } from './published-logs-folder.ts';

export interface EvaluationLogs {
  readonly policy: Pick<Trainable, 'groups'>;
  readonly games: readonly Task[];
  readonly played: readonly PlayedGame[];
  readonly seconds: number;
}

/** Writes the files into a folder, creating it. Errors: `cannot-create`, `io`. */
export function writeEvaluationLogs(
  folder: string,
  { policy, games, played, seconds }: EvaluationLogs,
): void {
  createFolder(folder);
  const ids = games.map(({ id }) => id);
  writeRound(folder, {
    round: 0,
    games: ids,
    seconds,
    lessons: new Map(),
    before: firstResults(ids, new Map()),
    played: new Map(played.map((game) => [game.place, game])),
  });
  writeFileAtomic(join(folder, runningLog), `${runningLogStart(policy)}${played.map(stepTexts).join('')}`);
}
