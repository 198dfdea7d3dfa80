/** The settings of a curriculum over any tasks: schemas with ranges and words. */
import { given, positive, share, whole } from '@emac/algorithms';
import { z } from 'zod';

const weights =
  'weight exp(−(s − ½)² / τ) (half), exp((½ − s) / τ) (paper), (1 − s)^(1/τ) (failures) or (1 / |s − ½|)^(1/τ) (distance)';

/** `help`: one sentence about the tasks; `{weights}` is replaced by the formulas. */
export function curriculumFields(help: string) {
  return {
    formula: z
      .enum(['half', 'paper', 'failures', 'distance'])
      .nullable()
      .default(null)
      .describe(help.replace('{weights}', weights))
      .meta(given('curriculum', { none: 'none' })),
    decay: share
      .lt(1)
      .default(0.99)
      .describe('α of the moving average of each task’s successes')
      .meta(given('curriculum-alpha', { when: 'curriculum' })),
    temperature: positive
      .nullable()
      .default(null)
      .describe('temperature τ of the curriculum formula')
      .meta(given('curriculum-temp', { when: 'curriculum', none: 'own', otherwise: 'set by the formula' })),
    floor: share
      .default(0.1)
      .describe('ε: each of n tasks has a probability of at least ε / n')
      .meta(given('curriculum-min-prob', { when: 'curriculum' })),
  };
}

/** Of `emac train` on games. */
export const gameCurriculumSchema = z.strictObject({
  ...curriculumFields(
    'draw the type of each game by its success rate s with {weights}, then an unplayed game of that type; none: each round plays the whole list',
  ),
  games: whole(1, 100_000)
    .nullable()
    .default(null)
    .describe('--curriculum: games per round, from the list')
    .meta(given('curriculum-games', { when: 'curriculum', otherwise: 'half of the list' })),
});
