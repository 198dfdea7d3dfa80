/** Equal task, seed and actions give equal steps: while another episode runs, and after others, as when a run is resumed. */
import type { Episode, NumberArray, Observation, Random, Step, Task } from '@emac/core';
import type { CheckedEnvironment } from './checked-environment.ts';

/** An attempt: its first observation, and each action with its step. */
interface Recorded {
  readonly task: Task;
  readonly first: Observation;
  readonly taken: readonly { readonly action: string; readonly step: Step }[];
}

/** at most so many steps of an attempt */
const most = 30;

/** The first difference in one sentence; null for none. */
export async function agreeing(
  checked: CheckedEnvironment,
  sample: readonly Task[],
  random: Random,
): Promise<string | null> {
  for (const task of sample) {
    const recorded = await record(checked, task, random);
    const again = await repeated(checked, recorded);
    if (again !== null) return `${again}, although task, seed and actions are equal`;
    // where one episode runs at a time, none is beside it
    const mixed = checked.seats?.() === 1 ? null : await repeatedBeside(checked, recorded);
    if (mixed !== null) return `${mixed} while another episode runs: keep each episode's state in begin`;
  }
  return null;
}

/** The same while another episode of the task takes the same actions. */
async function repeatedBeside(checked: CheckedEnvironment, recorded: Recorded): Promise<string | null> {
  const beside = await checked.begin(recorded.task, '1');
  try {
    return await repeated(checked, recorded, async (action) => void (await beside.step(action)));
  } finally {
    await beside.close();
  }
}

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

/** One in so many answers is no offered action. */
const share = 20;
const foreign = ['xyzzy', 'go', 'look around', '7', ''] as const;

/** An action of a random player; a few are in no list, as an untrained model writes them. */
export function randomAction(seen: Observation, random: Random, draw?: CheckedEnvironment['draw']): string {
  const { admissible } = seen;
  if (!admissible?.length && draw && random.integer(share) > 0) return draw(seen, random);
  const words =
    admissible === null || admissible.length === 0 || random.integer(share) === 0 ? foreign : admissible;
  return words[random.integer(words.length)]!;
}

/** Plays a task at random. */
async function record(
  { begin, draw }: Pick<CheckedEnvironment, 'begin' | 'draw'>,
  task: Task,
  random: Random,
): Promise<Recorded> {
  const episode = await begin(task, '0');
  const taken: { action: string; step: Step }[] = [];
  let seen = episode.first;
  while (taken.length < most) {
    const action = randomAction(seen, random, draw);
    const step = await episode.step(action);
    taken.push({ action, step });
    if (step.terminated || step.truncated) break;
    seen = step.observation;
  }
  await episode.close();
  return { task, first: episode.first, taken };
}

/** Plays the actions again, `between` before each; the first difference, or null. */
async function repeated(
  { begin }: Pick<CheckedEnvironment, 'begin'>,
  { task, first, taken }: Recorded,
  between: (action: string) => Promise<void> = async () => {},
): Promise<string | null> {
  const episode: Episode = await begin(task, '0');
  try {
    const start = differing(first, episode.first);
    if (start !== null) return `${task.id} begins with another ${start}`;
    for (const [place, { action, step }] of taken.entries()) {
      await between(action);
      const other = differingStep(step, await episode.step(action));
      if (other !== null)
        return `step ${place + 1} of ${task.id} (${JSON.stringify(action)}) gives another ${other}`;
    }
    return null;
  } finally {
    await episode.close();
  }
}

/** The part in which two steps differ; null if they are equal. */
export function differingStep(one: Step, other: Step): string | null {
  const parts = ['reward', 'terminated', 'truncated', 'info'] as const;
  const part = parts.find((each) => JSON.stringify(one[each]) !== JSON.stringify(other[each]));
  return part ?? differing(one.observation, other.observation);
}

function differing(one: Observation, other: Observation): string | null {
  if (one.text !== other.text) return 'text';
  if (JSON.stringify(one.admissible) !== JSON.stringify(other.admissible)) return 'list of actions';
  const pictures = ({ frames }: Observation) =>
    frames.map(({ width, height, data }) => ({ shape: [width, height], data }));
  if (!areEqual(pictures(one), pictures(other))) return 'picture';
  const arrays = (seen: Observation) =>
    Object.entries(seen.arrays ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const names = (seen: Observation) => JSON.stringify(arrays(seen).map(([name]) => name));
  const numbers = (seen: Observation) => arrays(seen).map(([, array]) => array);
  return names(one) === names(other) && areEqual(numbers(one), numbers(other)) ? null : 'array';
}

/** NaN equals itself. */
function areEqual(some: readonly NumberArray[], others: readonly NumberArray[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ shape, data }, place) => {
      const other = others[place]!;
      if (shape.join() !== other.shape.join() || data.length !== other.data.length) return false;
      for (let at = 0; at < data.length; at++) if (!Object.is(data[at], other.data[at])) return false;
      return true;
    })
  );
}
