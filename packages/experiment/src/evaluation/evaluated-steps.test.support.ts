import { plainHost, type Host } from '@emac/opening';
import type { Beside, EvaluatedSteps } from './evaluate-in-steps.ts';
import { evaluatePolicy, type AskedEvaluation } from './evaluate-policy.ts';

/** An evaluation that must be played step by step. */
export async function evaluatedSteps(
  asked: AskedEvaluation,
  host: Host = plainHost(),
  beside?: Beside,
): Promise<EvaluatedSteps> {
  const evaluated = await evaluatePolicy(asked, host, { beside });
  if (evaluated.kind !== 'steps') throw new TypeError(`expected steps, got ${evaluated.kind}`);
  return evaluated;
}
