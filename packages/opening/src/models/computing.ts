/**
 * Everything besides the weights that affects a model's numbers: the computing backend. Compared if several processes
 * compute for one run.
 */
import type { OpenModel } from './model.ts';

export interface Computing {
  readonly provider: string;
  readonly tensorflow: string;
}

/** Why better backends are not in use does not matter. */
export function computingOf({ provider, tensorflow }: Pick<OpenModel, 'provider' | 'tensorflow'>): Computing {
  return { provider, tensorflow: tensorflow.note.split('; ')[0]! };
}
