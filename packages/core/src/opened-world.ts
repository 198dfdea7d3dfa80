/** Implements the contract of a kind for a seeded world in this process: its tasks are seeds, its commands the names of its actions. */
import type { KindSettings, OpenedKind, TaskSet, TaskSource } from './environment-kind.ts';
import { environmentOf, type Level } from './environment-of.ts';
import type { Task } from './environment.ts';
import { EmacError, invariant } from './error.ts';
import type { Label } from './expert.ts';
import type { LocalWorld } from './local-world.ts';
import { replayingPlayer } from './replaying-player.ts';
import type { Seed, StepEnvironment } from './step-environment.ts';

/** The seeds of an id: even ones for training, odd ones held out, without end. */
export function seededTasks(id: string): Readonly<Record<TaskSet, TaskSource>> {
  const source = (odd: 0 | 1): TaskSource => ({
    count: null,
    at: (number) => ({ id: `${id}/${2n * BigInt(number) + BigInt(odd)}`, type: id }),
  });
  return { training: source(0), heldOut: source(1) };
}

/** Opens a world with the tasks of `seededTasks`. */
export function openedWorld<Made extends StepEnvironment>(
  world: LocalWorld<Made>,
  settings: KindSettings,
  speech: OpenedKind['speech'],
): OpenedKind {
  const make = () => world.make(settings);
  // invalid settings fail here
  make();
  const words = world.actions.map((word) => word.toLowerCase());
  return {
    id: world.id,
    maxSteps: settings.maxSteps ?? world.maxSteps,
    tasks: world.tasks,
    environment: (tasks) =>
      environmentOf(
        tasks.map((task) => levelOf(task, world.id)),
        { make },
      ),
    speech,
    stepped: make,
    // success as in the published code, whatever the method
    hasGoal: false,
    ...(world.rewards && { rewards: world.rewards }),
    player: replayingPlayer({
      begin(task) {
        const made = make();
        made.reset(levelOf(task, world.id).seed);
        return made;
      },
      actionOf(command) {
        const action = words.indexOf(command.trim().toLowerCase());
        return action < 0 ? null : action;
      },
      label: (made) => labelled(world, made),
    }),
  };
}

function levelOf({ id: name }: Task, id: string): Level {
  const place = name.lastIndexOf('/');
  invariant(name.slice(0, place) === id, `${id}: ${name} is not among its tasks`);
  const seed = BigInt(name.slice(place + 1));
  return { id, seed: seed > BigInt(Number.MAX_SAFE_INTEGER) ? seed : (Number(seed) satisfies Seed) };
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
