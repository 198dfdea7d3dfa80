/** Describes a result's games: success on games trained on proves less. */
import type { EvaluationResult } from '@emac/rollout';

/** `20 held-out games of SOURCE`; else how many of them the policy was trained on. `source` is named as it is given. */
export function evaluatedGamesText({ games }: Pick<EvaluationResult, 'games'>, source: string): string {
  const seen = games.filter((game) => game.seen_in_training).length;
  const noun = games.length === 1 ? 'game' : 'games';
  if (seen === 0) return `${games.length} held-out ${noun} of ${source}`;
  if (seen === games.length) return `${games.length} ${noun} of ${source}, all seen in training`;
  return `${games.length} ${noun} of ${source}, ${seen} of ${games.length} seen in training and counted apart`;
}
