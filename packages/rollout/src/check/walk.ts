/** A long random walk over the tasks, with every observation and end checked. */
import { messageOf, type Episode, type Random, type Step, type Task } from '@emac/core';
import type { Check, CheckedEnvironment } from './checked-environment.ts';
import { differingStep, randomAction } from './equal-steps.ts';
import type { Fault, Watch } from './seen-faults.ts';

export interface Walked {
  /** the first of each check */
  readonly findings: ReadonlyMap<Check, string>;
  readonly steps: number;
  readonly episodes: number;
}

interface Walking {
  readonly sample: readonly Task[];
  readonly random: Random;
  readonly steps: number;
  readonly watch: Watch;
}

/** A fault ends the walk if the environment threw it. */
export async function walked(
  checked: CheckedEnvironment,
  { sample, random, steps: wanted, watch }: Walking,
): Promise<Walked> {
  const findings = new Map<Check, string>();
  const note = (fault: Fault | null, place: string): void => {
    if (fault && !findings.has(fault[0])) findings.set(fault[0], `${place} ${fault[1]}`);
  };
  let [steps, episodes, lost, atLimit] = [0, 0, 0, 0];
  while (steps < wanted && sample.length > 0) {
    const task = sample[episodes % sample.length]!;
    let place = `the start of ${task.id}`;
    try {
      const episode = await checked.begin(task, String(episodes));
      note(watch.seen(episode.first), place);
      let seen = episode.first;
      let last: Step | null = null;
      // some environments do not count what is no action of theirs
      let counted = 0;
      for (let taken = 1; steps < wanted; taken++) {
        const action = randomAction(seen, random, checked.draw);
        place = `step ${taken} of ${task.id} (${JSON.stringify(action)})`;
        last = await episode.step(action);
        steps++;
        if (last.info['refused'] !== true) counted++;
        note(watch.stepped(last), place);
        note(endFault(last, { counted, maxSteps: checked.maxSteps }), place);
        if ((last.terminated || last.truncated) && !last.info.won) lost++;
        if (last.terminated && !last.info.won && taken === checked.maxSteps) atLimit++;
        if (last.terminated || last.truncated || taken > 4 * checked.maxSteps) break;
        seen = last.observation;
      }
      if (last && (last.terminated || last.truncated))
        note(await afterEnd(episode, last), `after ${place}, ${task.id}`);
      await episode.close();
    } catch (thrown) {
      note(['walk', `failed: ${messageOf(thrown)}`], place);
      break;
    }
    episodes++;
  }
  // an episode of one step ends as it should
  if (checked.maxSteps > 1 && atLimit >= 3 && atLimit === lost)
    note(
      [
        'ends',
        `all ${lost} lost random episodes end with done at step ${checked.maxSteps}, the limit; give truncated instead, or leave it to maxSteps`,
      ],
      'of the walk,',
    );
  return { findings, steps, episodes };
}

interface Ending {
  readonly counted: number;
  readonly maxSteps: number;
}

function endFault({ terminated, truncated }: Step, { counted, maxSteps }: Ending): Fault | null {
  if (typeof terminated !== 'boolean' || typeof truncated !== 'boolean')
    return ['ends', `ends neither with true nor with false`];
  if (counted >= maxSteps && !terminated && !truncated)
    return ['ends', `goes on at the limit of ${maxSteps} steps; it must be truncated there`];
  return null;
}

/** A step after the end gives the last one again. */
async function afterEnd(episode: Episode, last: Step): Promise<Fault | null> {
  const other = differingStep(last, await episode.step('xyzzy'));
  return other === null
    ? null
    : ['ends', `gives another ${other} for a step after the end; it must repeat the last step`];
}
