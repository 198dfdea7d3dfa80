/** Implements the contract of a kind for a world in this process. */
import { commandedEpisodes } from './commanded.ts';
import type { KindSettings, OpenedKind, TaskSet, TaskSource } from './environment-kind.ts';
import type { Task } from './environment.ts';
import { EmacError, invariant } from './error.ts';
import type { Label } from './expert.ts';
import type { LocalSettings, LocalWorld } from './local-world.ts';
import type { Seed, StepEnvironment } from './step-environment.ts';

/** The seeds of an id: even ones for training, odd ones held out, without end. */
export function seededTasks(id: string): Readonly<Record<TaskSet, TaskSource>> {
  const source = (odd: 0 | 1): TaskSource => ({
    count: null,
    at: (number) => ({ id: `${id}/${2n * BigInt(number) + BigInt(odd)}`, type: id }),
  });
  return { training: source(0), heldOut: source(1) };
}

/** Opens a world: commands are the names of its actions, and a task is a seed, or a start where its tasks are counted. */
export function openedWorld<Made extends StepEnvironment>(
  world: LocalWorld<Made>,
  settings: KindSettings,
  speech: OpenedKind['speech'],
): OpenedKind {
  // invalid settings fail here
  world.make(settings);
  const words = world.actions.map((word) => word.toLowerCase());
  const isCounted = world.tasks.training.count !== null;
  const startOf = isCounted ? countedStarts(world) : (task: Task) => ({ seed: seedOf(task, world.id) });
  return {
    id: world.id,
    maxSteps: settings.maxSteps ?? world.maxSteps,
    tasks: world.tasks,
    speech,
    // the same for every method
    hasGoal: world.hasGoal ?? false,
    ...(world.rewards && { rewards: world.rewards }),
    ...commandedEpisodes({
      start(task) {
        const { seed, ...starts } = startOf(task);
        return { made: world.make({ ...settings, ...starts }), seed };
      },
      commands: [...world.actions].sort(),
      actionOf(command) {
        const action = words.indexOf(command.trim().toLowerCase());
        return action < 0 ? null : action;
      },
      label: (made) => labelled(world, made),
    }),
  };
}

function seedOf({ id: name }: Task, id: string): Seed {
  const place = name.lastIndexOf('/');
  invariant(name.slice(0, place) === id, `${id}: ${name} is not among its tasks`);
  const seed = BigInt(name.slice(place + 1));
  return seed > BigInt(Number.MAX_SAFE_INTEGER) ? seed : Number(seed);
}

/** A counted start is made by its number in its set. */
function countedStarts({ id, tasks }: LocalWorld) {
  const places = new Map<string, { readonly seed: Seed } & Required<Pick<LocalSettings, 'starts'>>>();
  for (const set of ['training', 'heldOut'] as const)
    for (let seed = 0; seed < (tasks[set].count ?? 0); seed++)
      places.set(tasks[set].at(seed).id, { seed, starts: { set, isCounted: true } });
  return ({ id: name }: Task) => {
    const place = places.get(name);
    invariant(place, `${id}: ${name} is not among its tasks`);
    return place;
  };
}

function labelled<Made extends StepEnvironment>(world: LocalWorld<Made>, made: Made): Label {
  const action = world.expert(made);
  const command = world.actions[action]!;
  if (!world.words) return { kind: 'action', command };
  const answer = world.words.answer(made, action, { concludes: true, actionOnly: false });
  const { thoughts } = JSON.parse(answer) as { readonly thoughts?: string };
  return { kind: 'action', command, ...(thoughts !== undefined && { thoughts: [thoughts] }) };
}

/** Rejects settings that do not apply to seeded worlds. Errors: `usage` for a source, an unknown palette, and a frame size for pictures of fixed size. */
export function requireMeant(
  id: string,
  { source: given = null, heldOut = null, palette = null, frameSize }: KindSettings,
  has: { readonly palettes?: readonly string[]; readonly frameSize?: boolean } = {},
): void {
  const refuse = (what: string, rule: string): never => {
    throw new EmacError('usage', `${id}: ${rule}, got the ${what}; leave it out`);
  };
  const source = given ?? heldOut;
  if (source !== null) refuse(`source ${source}`, 'is made from its id alone');
  if (palette !== null && !has.palettes?.includes(palette))
    refuse(`palette ${palette}`, `has ${has.palettes?.join(' and ') ?? 'no palettes to choose from'}`);
  if (frameSize !== undefined && !has.frameSize)
    refuse(`frame size ${frameSize}`, 'has pictures of one size');
}
