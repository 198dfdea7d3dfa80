/**
 * Reads a vision-language model's scores of actions, asked for instead of one action (`action_sampling` of Bissmella/VLM_finetune):
 * `{"action_scores": {"turn left": 2, …}}`. An action is sampled with probability ∝ e^(score / 2).
 *
 * Departures from that code: JSON may be in a fence; an answer without any action's score gives none (the code picks any action), and
 * so do non-finite scores.
 */
import { jsonObjects } from './json-objects.ts';

/** Divisor of scores, as published. */
const temperature = 2;

/** A score per action, 0 if omitted; case is ignored. Null without any score; never throws. */
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

/** Each action's probability: softmax(scores / 2). */
export function scoreProbabilities(scores: readonly number[]): number[] {
  const most = Math.max(...scores);
  const weights = scores.map((score) => Math.exp((score - most) / temperature));
  const sum = weights.reduce((all, weight) => all + weight, 0);
  return weights.map((weight) => weight / sum);
}
