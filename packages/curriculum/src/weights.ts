/**
 * Probabilities of tasks from their success rates: four formulas in circulation for VLA-RL (Lu et al. 2025), and a floor under them.
 * All are softmaxes of a preference, so no temperature overflows. With s the success rate and τ the temperature:
 *
 * - `half`: exp(−(s − ½)² / τ), tasks that succeed half of the time; the default
 * - `paper`: exp((½ − s) / τ), the hardest first, although the paper's text speaks of one half
 * - `failures`: (1 − s + 1e−9)^(1/τ), the share of failures (upstream's branch dev-ppo)
 * - `distance`: (1 / (|s − ½| + 1e−9))^(1/τ), sharply one half (the fork's `CurriculumWrapper`)
 */
import { EmacError } from '@emac/core';

export type CurriculumFormula = 'half' | 'paper' | 'failures' | 'distance';

export interface CurriculumWeighting {
  readonly formula: CurriculumFormula;
  /** τ, above 0 */
  readonly temperature: number;
  /** ε from 0 to 1: none of n tasks falls below ε / n */
  readonly floor: number;
  /**
   * `exact`: shares below the floor are raised to it, and the others shrink in proportion. `renormalized`: raised, then all divided by
   * their sum, so raised ones end a little below the floor, as in the fork's wrapper.
   */
  readonly floorRule: 'exact' | 'renormalized';
}

const preferences: Readonly<Record<CurriculumFormula, (s: number) => number>> = {
  half: (s) => -((s - 0.5) ** 2),
  paper: (s) => 0.5 - s,
  failures: (s) => Math.log(1 - s + 1e-9),
  distance: (s) => -Math.log(Math.abs(s - 0.5) + 1e-9),
};

/** Errors: `usage`. */
export function requireWeighting({ formula, temperature, floor, floorRule }: CurriculumWeighting): void {
  if (!Object.hasOwn(preferences, formula))
    throw refused('formula', `one of ${Object.keys(preferences).join(', ')}`, formula);
  if (!(temperature > 0 && temperature < Infinity)) throw refused('temperature', 'above 0', temperature);
  if (!(floor >= 0 && floor <= 1)) throw refused('floor', 'from 0 to 1', floor);
  if (floorRule !== 'exact' && floorRule !== 'renormalized')
    throw refused('floor rule', 'exact or renormalized', floorRule);
}

const refused = (setting: string, rule: string, value: unknown): EmacError =>
  new EmacError('usage', `curriculum: ${setting}: must be ${rule}, got ${String(value)}`);

/** Probabilities of tasks from their shares of successes (0 … 1); they sum to 1. Errors: `usage`. */
export function taskProbabilities(
  successes: readonly number[],
  weighting: CurriculumWeighting,
): readonly number[] {
  requireWeighting(weighting);
  const { formula, temperature, floor, floorRule } = weighting;
  const scores = successes.map((success) => preferences[formula](success) / temperature);
  const highest = Math.max(...scores);
  const free = normalized(scores.map((score) => Math.exp(score - highest)));
  const least = floor / successes.length;
  if (floorRule === 'renormalized') return normalized(free.map((share) => Math.max(share, least)));
  return raised(free, least);
}

function normalized(weights: readonly number[]): readonly number[] {
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}

/** Shares below `least` become it; the others keep their proportions, and any that this pushes below are raised too. */
function raised(shares: readonly number[], least: number): readonly number[] {
  const isRaised = shares.map(() => false);
  for (;;) {
    const free = shares.reduce((sum, share, task) => (isRaised[task] ? sum : sum + share), 0);
    const left = 1 - least * isRaised.filter(Boolean).length;
    const found = shares.map((share, task) => (isRaised[task] ? least : (share / free) * left));
    // the largest is below only by rounding, so one always stays free
    const isBelow = found.map((share) => share < least * (1 - 1e-12));
    if (!isBelow.includes(true)) return found;
    isBelow.forEach((each, task) => (isRaised[task] ||= each));
  }
}
