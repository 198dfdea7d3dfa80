/** Actions that are played again after many other episodes give the same steps, as they must when a run is resumed. */
import type { Random, Task } from '@emac/core';
import type { CheckedEnvironment } from './checked-environment.ts';
import { record, repeated } from './equal-steps.ts';

/** The first difference in one sentence; null for none. */
export async function restored(
  checked: CheckedEnvironment,
  sample: readonly Task[],
  random: Random,
): Promise<string | null> {
  const recorded = [];
  for (const task of sample) recorded.push(await record(checked, task, random));
  for (const each of recorded) {
    const other = await repeated(checked, each);
    if (other !== null) return `${other} when its actions are played again after other episodes`;
  }
  return null;
}
