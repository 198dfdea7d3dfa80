/**
 * A state restored in the middle of an episode gives the steps that followed. Environments without states are resumed by
 * playing the actions again, which must also hold after many other episodes.
 */
import { invariant, type OpenedKind, type Random, type Task } from '@emac/core';
import type { CheckedEnvironment } from './checked-environment.ts';
import { record, repeated } from './equal-steps.ts';

const [before, after] = [7, 7];

/** The first difference in one sentence; null for none. */
export async function restored(
  checked: CheckedEnvironment,
  sample: readonly Task[],
  random: Random,
): Promise<string | null> {
  return checked.stepped ? restoredState(checked.stepped, random) : replayed(checked, sample, random);
}

async function replayed(
  checked: CheckedEnvironment,
  sample: readonly Task[],
  random: Random,
): Promise<string | null> {
  const environment = checked.environment(sample);
  const recorded = [];
  for (const task of sample) recorded.push(await record(environment, task, random));
  for (const each of recorded) {
    const other = await repeated(environment, each);
    if (other !== null) return `${other} when its actions are played again after other episodes`;
  }
  return null;
}

/** The state goes through JSON, as in a checkpoint. */
function restoredState(stepped: NonNullable<OpenedKind['stepped']>, random: Random): string | null {
  for (const seed of [0, 1]) {
    const environment = stepped();
    if (environment.actions.length === 0) return null;
    environment.reset(seed);
    const act = () => random.integer(environment.actions.length);
    const taken = Array.from({ length: before }, act);
    // a state after the end need not be one
    if (taken.some((action) => isOver(environment.step(action)))) continue;
    const state: unknown = JSON.parse(JSON.stringify(environment.state()));
    const copy = stepped();
    copy.reset(seed);
    copy.restore(state);
    for (let step = 1; step <= after; step++) {
      const action = act();
      const [own, other] = [environment, copy].map((each) => ({
        outcome: each.step(action),
        text: each.text(),
        arrays: Object.entries(each.observe()).map(([name, { data }]) => [name, [...data]]),
      }));
      invariant(own && other, 'two environments give two steps');
      if (JSON.stringify(own) !== JSON.stringify(other))
        return `step ${before + step} from seed ${seed} (action ${action}) differs after the state of step ${before} was restored`;
      if (isOver(own.outcome)) break;
    }
  }
  return null;
}

function isOver({ terminated, truncated }: { terminated: boolean; truncated: boolean }): boolean {
  return terminated || truncated;
}
