/**
 * Episodes of a world of this process by commands in words, and its scripted player. The player needs only a task and the commands so far: it
 * replays them in a world of its own. It keeps its positions, so the next step of an episode costs one step. Without a kept position, as in another
 * process, it replays from the beginning.
 */
import type { OpenedKind } from './environment-kind.ts';
import type { Episode, Step, Task } from './environment.ts';
import type { Expert, Label } from './expert.ts';
import { shownNow, type Frame, type Observation } from './observation.ts';
import type { Seed, StepEnvironment } from './step-environment.ts';

export interface CommandedWorld<Made extends StepEnvironment> {
  /** A new world, not yet reset, and the seed of the task. Errors: `internal` for a foreign task. */
  start(task: Task): { readonly made: Made; readonly seed: Seed };
  /** every command, sorted by code point */
  readonly commands: readonly string[];
  /** The action of a command; null for an invalid one, which changes nothing, has reward 0 and sets `refused` in the info. */
  actionOf(command: string): number | null;
  label(made: Made): Label;
}

/** The seed of an attempt changes nothing: its task decides everything. After the end of an episode there is no label. */
export function commandedEpisodes<Made extends StepEnvironment>(
  world: CommandedWorld<Made>,
): Required<Pick<OpenedKind, 'begin' | 'player'>> {
  return { begin: async (task) => begun(task, world), player: replayingPlayer(world) };
}

function begun<Made extends StepEnvironment>(
  task: Task,
  { start, commands, actionOf }: CommandedWorld<Made>,
): Episode {
  const { made, seed } = start(task);
  const acted: number[] = [];
  const seen = (): Observation => {
    const taken = acted.length;
    return shownNow(made, commands, () => [picture(taken)]);
  };
  // a picture of an earlier moment is drawn by the same actions in another world
  const picture = (taken: number): Frame => {
    if (taken === acted.length) return made.frame();
    const { made: again } = start(task);
    again.reset(seed);
    for (const action of acted.slice(0, taken)) again.step(action);
    return again.frame();
  };
  const info = made.reset(seed);
  const first = seen();
  let last: Step = { observation: first, reward: 0, terminated: false, truncated: false, info };
  return {
    task,
    first,
    step: async (command) => {
      if (last.terminated || last.truncated) return last;
      const action = actionOf(command);
      if (action === null) return { ...last, reward: 0, info: { ...last.info, refused: true } };
      const outcome = made.step(action);
      acted.push(action);
      const { reward, terminated, truncated } = outcome;
      return (last = { observation: seen(), reward, terminated, truncated, info: outcome.info });
    },
    close: async () => {},
  };
}

interface Reached<Made> {
  readonly made: Made;
  readonly isOver: boolean;
}

/** running episodes to keep */
const kept = 64;

function replayingPlayer<Made extends StepEnvironment>(world: CommandedWorld<Made>): Expert {
  const places = new Map<string, Reached<Made>>();
  const begin = (task: Task): Made => {
    const { made, seed } = world.start(task);
    made.reset(seed);
    return made;
  };
  /** Takes out the position after these commands, or after the longest known prefix. */
  const takenFrom = (task: Task, commands: readonly string[]) => {
    for (const count of [commands.length, commands.length - 1]) {
      const key = keyOf(task, commands.slice(0, Math.max(0, count)));
      const place = places.get(key);
      if (place === undefined) continue;
      places.delete(key);
      return { ...place, count: Math.max(0, count) };
    }
    return { made: begin(task), isOver: false, count: 0 };
  };
  return {
    label: async ({ task, history }) => {
      const commands = history.turns.map(({ command }) => command);
      const { count, ...place } = takenFrom(task, commands);
      const reached = commands.slice(count).reduce((at, command) => stepped(world, at, command), place);
      places.set(keyOf(task, commands), reached);
      const [oldest] = places.keys();
      if (places.size > kept) places.delete(oldest!);
      return reached.isOver
        ? { kind: 'unusable', reason: 'the episode has ended' }
        : world.label(reached.made);
    },
  };
}

function stepped<Made extends StepEnvironment>(
  { actionOf }: Pick<CommandedWorld<Made>, 'actionOf'>,
  at: Reached<Made>,
  command: string,
): Reached<Made> {
  const action = at.isOver ? null : actionOf(command);
  if (action === null) return at;
  const { terminated, truncated } = at.made.step(action);
  return { made: at.made, isOver: terminated || truncated };
}

function keyOf(task: Task, commands: readonly string[]): string {
  return JSON.stringify([task.id, ...commands]);
}
