/** A policy on held-out tasks or on a dataset, as a program calls it. */
import { EmacError } from '@emac/core';
import {
  closingAfter,
  isModel,
  keepingWorlds,
  modelName,
  plainHost,
  steppedIn,
  trainedIn,
  type Host,
} from '@emac/opening';
import { evaluationConfig, isEnvironmentModule, type EvaluationConfig } from '@emac/settings';
import {
  evaluateEnvironment,
  type EvaluatedEnvironment,
  type Keeping,
} from '../reinforcement/evaluate-environment.ts';
import { evaluateInWords, type WordsEvaluation, type WordsOptions } from './evaluate-in-words.ts';

export type PolicyEvaluation = WordsEvaluation | ({ readonly kind: 'steps' } & EvaluatedEnvironment);

/** The settings of `emac eval`, and an environment: an id, or the path of a module. Null: that of its training, else ALFWorld. */
export type AskedEvaluation = Parameters<typeof evaluationConfig>[0] & { readonly env?: string | null };

export interface Evaluating extends WordsOptions {
  /** further files of an evaluation by steps */
  readonly beside?: Partial<Keeping> | undefined;
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
  if (stepped !== null) return bySteps({ ...config, env: stepped }, host, evaluating);
  return keepingWorlds(host, (kept) =>
    closingAfter((open) => evaluateInWords(config, { host: kept, open, ...evaluating })),
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

async function bySteps(
  config: EvaluationConfig & { readonly env: string },
  host: Host,
  { prepare, beside = {} }: Evaluating,
): Promise<PolicyEvaluation> {
  const { env, ckpt, out, attempts, temperature, seed, maxSteps, world, model } = config;
  const isModelAlone = ckpt !== 'untouched' && model.path === null && isModel(ckpt);
  const asked = {
    env,
    ckpt: isModelAlone ? 'untouched' : ckpt,
    policy: isModelAlone ? modelName(ckpt) : model.path,
    episodes: config.numGames,
    attempts,
    temperature,
    seed,
    blankFrames: config.speech.observe === 'text',
    ...(maxSteps !== null && { maxSteps }),
    ...(world.kind !== 'own' && { world }),
  };
  const keeping: Keeping = {
    out: () => out!,
    ...beside,
    begin: (folder, isFresh) => {
      prepare?.(folder);
      return beside.begin?.(folder, isFresh) ?? null;
    },
  };
  return { kind: 'steps', ...(await evaluateEnvironment(asked, host, out === null ? null : keeping)) };
}
