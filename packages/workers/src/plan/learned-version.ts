/**
 * A version of all trainable parameters, those of policy and critic. Frozen parameters come with the policy's start.
 */
import { EmacError, parametersOf, type ParameterGroup, type ParameterSet } from '@emac/core';
import type { SharedFolder } from '@emac/queue';
import { readVersion, storeVersion } from './policy-version.ts';

/** An object with live parameters. */
export interface Learner {
  readonly groups: readonly ParameterGroup[];
  commit(): void;
}

/** Stores the learner's current parameters; returns the version's name. Errors: those of the folder. */
export function storeLearned(folder: SharedFolder, { groups }: Pick<Learner, 'groups'>): string {
  return storeVersion(folder, { parameters: parametersOf({ groups }), adapter: null });
}

/** Loads a stored version into a learner. Errors: `missing`; `data` for another learner's version. */
export async function becomeVersion(folder: SharedFolder, learner: Learner, name: string): Promise<void> {
  const { parameters } = await readVersion(folder, name);
  const own: ParameterSet = parametersOf(learner);
  for (const [each, { data }] of own) {
    const stored = parameters.get(each);
    if (stored?.data.length !== data.length || parameters.size !== own.size)
      throw new EmacError(
        'data',
        `version ${name.slice(0, 12)}: is of another policy, its ${each} has ${stored?.data.length ?? 'no'} numbers, this model's has ${data.length}; give the worker the run's model`,
      );
    data.set(stored.data);
  }
  learner.commit();
}
