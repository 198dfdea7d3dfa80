/** The environment of runs, and of checkpoints that name none; and the model that is usual in an environment. */
import { isAbsolute } from 'node:path';

export const usualEnvironment = 'alfworld';

/** True for what names a file, not an environment by its id. */
export function isEnvironmentModule(text: string): boolean {
  return /^\.{1,2}[\\/]/.test(text) || isAbsolute(text) || /\.[cm]?[jt]s$/i.test(text);
}

/** The small model that reads an environment where none is named: a module speaks as ALFWorld does, others ask for JSON. */
export function usualModel(env: string = usualEnvironment): 'emma-tiny' | 'lewis-tiny' | 'rl-tiny' {
  if (env === usualEnvironment || isEnvironmentModule(env)) return 'emma-tiny';
  return lewisEnvironments.some((id) => id === env) ? 'lewis-tiny' : 'rl-tiny';
}

/** The game of a speaker and a listener, from the side of each. */
export const lewisEnvironments = ['lewis/listener', 'lewis/speaker'] as const;
