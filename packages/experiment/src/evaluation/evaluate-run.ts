/** The evaluations of a run in words, before training and after it: with the same seeds as `emac eval` has by the run's seed. */
import { Random } from '@emac/core';
import type { Host, RunPlay } from '@emac/opening';
import { taskSeeds, type EvaluationResult } from '@emac/rollout';
import type { KeptResult, When } from '../life/recipe.ts';
import { evaluateGames, type GamesEvaluation } from './evaluate-games.ts';
import { idOfGame } from './journal.ts';

export interface RunEvaluation extends Pick<
  GamesEvaluation,
  'policy' | 'texts' | 'parallel' | 'trainedOn' | 'subject' | 'elsewhere'
> {
  readonly form: GamesEvaluation['form'] & Parameters<RunPlay['open']>[0];
  readonly play: RunPlay;
}

/** Plays every task once. Errors: `interrupted`; those of the policy. */
export async function evaluateRun(
  { play, ...evaluation }: RunEvaluation,
  { when, checkpoint, journal }: KeptResult & { readonly when: When },
  host: Pick<Host, 'listener' | 'signal'>,
): Promise<EvaluationResult> {
  const { form, parallel, subject } = evaluation;
  const { environment } = await play.open(form);
  const { result } = await evaluateGames({
    ...evaluation,
    environment,
    parallel: play.seats(parallel),
    checkpoint,
    random: Random.fromSeed(subject.seed).stream('evaluation').stream(when),
    seedOf: taskSeeds(subject.seed),
    host,
    journal: journal(idOfGame),
  });
  return result;
}
