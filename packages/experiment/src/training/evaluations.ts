/** The evaluations of a run before training and after it, on the games of --eval-on. */
import { basename } from 'node:path';
import { taskSeeds, type EvaluationResult } from '@emac/rollout';
import { evaluateGames } from '../evaluation/evaluate-games.ts';
import { idOfGame, type JournaledGame } from '../evaluation/journal.ts';
import type { KeptResult, When } from '../life/recipe.ts';
import type { Work } from './work.ts';

/** Of the policy that training starts from, or has made; null without games. Errors: `interrupted`. */
export async function evaluated(
  { plan, host, elsewhere }: Work,
  when: When,
  { checkpoint, journal }: KeptResult,
): Promise<EvaluationResult | null> {
  const { form, texts, evaluated: play, language, parallelEvaluation: parallel, random } = plan;
  if (play.tasks().length === 0) return null;
  host.listener?.begin?.(`evaluation ${when}`, play.tasks().length);
  const policy = when === 'before' ? plan.before : plan.student;
  const draws = random.stream('evaluation').stream(when);
  const { environment } = await play.open(form);
  const what = {
    policy,
    texts,
    form,
    environment,
    trainedOn: plan.trainedOn(),
    checkpoint,
    subject: { env: plan.config.env, policy: basename(plan.config.model.path), seed: plan.config.seed },
    parallel: play.seats(parallel),
    random: draws,
    seedOf: taskSeeds(plan.config.seed),
  };
  const workers = elsewhere?.part(when, play, policy === plan.student ? undefined : language!.reference!);
  const kept = journal<JournaledGame>(idOfGame);
  const { result } = await evaluateGames({ ...what, host, journal: kept, elsewhere: workers });
  return result;
}
