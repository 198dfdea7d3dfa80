/** The environment of runs, and of checkpoints that name none; and the model that is usual in an environment. */
import { isAbsolute } from 'node:path';

export const usualEnvironment = 'alfworld';

/** True for the name of a file rather than an environment's id. */
export function isEnvironmentModule(text: string): boolean {
  return /^\.{1,2}[\\/]/.test(text) || isAbsolute(text) || /\.[cm]?[jt]s$/i.test(text);
}

/** The default small model of an environment: a module uses ALFWorld's form, others ask for JSON. */
export function usualModel(env: string = usualEnvironment): 'emma-tiny' | 'lewis-tiny' | 'rl-tiny' {
  if (env === usualEnvironment || isEnvironmentModule(env)) return 'emma-tiny';
  return lewisEnvironments.some((id) => id === env) ? 'lewis-tiny' : 'rl-tiny';
}

/** The game of a speaker and a listener, from the side of each. */
export const lewisEnvironments = ['lewis/listener', 'lewis/speaker'] as const;
