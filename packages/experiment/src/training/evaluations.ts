/** The evaluations of a run before training and after it, on the games of --eval-on. */
import { basename } from 'node:path';
import type { EvaluationResult } from '@emac/rollout';
import { evaluateRun } from '../evaluation/evaluate-run.ts';
import type { KeptResult, When } from '../life/recipe.ts';
import type { Work } from './work.ts';

/** Of the policy that training starts from, or has made; null without games. Errors: `interrupted`. */
export async function evaluated(
  { plan, host, elsewhere }: Work,
  when: When,
  kept: KeptResult,
): Promise<EvaluationResult | null> {
  const { config, form, texts, evaluated: play, language, parallelEvaluation: parallel } = plan;
  if (play.tasks().length === 0) return null;
  host.listener?.begin?.(`evaluation ${when}`, play.tasks().length);
  const policy = when === 'before' ? plan.before : plan.student;
  const subject = { env: config.env, policy: basename(config.model.path), seed: config.seed };
  const workers = elsewhere?.part(when, play, policy === plan.student ? undefined : language!.reference!);
  const asked = { policy, texts, form, play, parallel, trainedOn: plan.trainedOn(), subject };
  return evaluateRun({ ...asked, elsewhere: workers }, { when, ...kept }, host);
}
