/** A policy on held-out tasks or on a dataset, as a program calls it. */
import { EmacError } from '@emac/core';
import { closingAfter, keepingWorlds, plainHost, steppedIn, trainedIn, type Host } from '@emac/opening';
import { evaluationConfig, isEnvironmentModule } from '@emac/settings';
import { evaluateInSteps, type Beside, type EvaluatedSteps } from './evaluate-in-steps.ts';
import { evaluateInWords, type WordsEvaluation, type WordsOptions } from './evaluate-in-words.ts';

export type PolicyEvaluation = WordsEvaluation | ({ readonly kind: 'steps' } & EvaluatedSteps);

/** The settings of `emac eval`, and an environment: an id, or the path of a module. Null: that of its training, else ALFWorld. */
export type AskedEvaluation = Parameters<typeof evaluationConfig>[0] & { readonly env?: string | null };

export interface Evaluating extends WordsOptions {
  /** further files of an evaluation by steps */
  readonly beside?: Beside | undefined;
}

/**
 * Evaluates. With `out` the result is written, and finished episodes are journaled beside it, so the same call resumes
 * after an interruption. Errors: those of opening; `cannot-create` before play; `interrupted`.
 */
export async function evaluatePolicy(
  { env = null, ...given }: AskedEvaluation,
  host: Host = plainHost(),
  evaluating: Evaluating = {},
): Promise<PolicyEvaluation> {
  const config = evaluationConfig(given);
  const stepped = evaluatedInSteps({ ...given, env });
  return keepingWorlds(host, (kept) =>
    closingAfter(async (open) => {
      const options = { host: kept, open, ...evaluating };
      if (stepped === null) return evaluateInWords(config, options);
      return { kind: 'steps', ...(await evaluateInSteps({ ...config, env: stepped }, options)) };
    }),
  );
}

/**
 * The environment of an evaluation step by step: the named one, or that of the policy's training by steps unless games or a dataset are
 * named. Null for episodes in words: games, a dataset, and a module for a policy that was trained in one in words.
 */
export function evaluatedInSteps({
  ckpt,
  env,
  games,
  data,
}: Pick<AskedEvaluation, 'ckpt' | 'env' | 'games' | 'data'>): string | null {
  if (env != null && !isEnvironmentModule(env)) return env;
  if (env == null && (games != null || data != null)) return null;
  const stepped = ckpt === 'untouched' ? null : orNull(() => steppedIn(ckpt));
  if (env == null || stepped !== null) return env ?? stepped;
  const isOfModule = ckpt !== 'untouched' && orNull(() => isEnvironmentModule(trainedIn(ckpt))) === true;
  return isOfModule ? null : env;
}

/** Null for what opening refuses later; `usage` is thrown. */
function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof EmacError && thrown.code !== 'usage') return null;
    throw thrown;
  }
}
