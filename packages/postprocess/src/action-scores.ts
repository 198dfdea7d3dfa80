/**
 * How good a vision-language model finds each action, where it was asked for scores in place of an action (`action_sampling` of
 * Bissmella/VLM_finetune): `{"action_scores": {"turn left": 2, …}}`. An action is drawn by them, with probability ∝ e^(score / 2).
 *
 * Departures from its code: JSON may stand in a fence, an answer that scores none of the actions says nothing (the code draws any), and
 * scores that are no finite numbers neither.
 */
import { jsonObjects } from './json-objects.ts';

/** Scores are divided by it, as published. */
const temperature = 2;

/** A score for each action, 0 where the answer leaves it out; letters count in either case. Null where it scores none; never throws. */
export function actionScores(text: string, actions: readonly string[]): readonly number[] | null {
  for (const answer of jsonObjects(text)) {
    const scores = answer['action_scores'];
    if (scores instanceof Object) return scoresOf(scores as Readonly<Record<string, unknown>>, actions);
  }
  return null;
}

function scoresOf(given: Readonly<Record<string, unknown>>, actions: readonly string[]): number[] | null {
  const byName = new Map(Object.entries(given).map(([name, score]) => [name.trim().toLowerCase(), score]));
  const found = actions.map((action) => byName.get(action.toLowerCase()));
  if (found.every((score) => score === undefined)) return null;
  const scores = found.map((score = 0) => score);
  return scores.every((score) => Number.isFinite(score)) ? (scores as number[]) : null;
}

/** The probability of each action by its score: softmax(scores / 2). */
export function scoreProbabilities(scores: readonly number[]): number[] {
  const most = Math.max(...scores);
  const weights = scores.map((score) => Math.exp((score - most) / temperature));
  const sum = weights.reduce((all, weight) => all + weight, 0);
  return weights.map((weight) => weight / sum);
}
