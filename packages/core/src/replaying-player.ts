/**
 * A scripted player that needs nothing but a task and what was done so far: it gets to the moment by the same actions in an environment of its
 * own. Where it has been is kept, so that the next step of an episode costs one; whoever forgets it, such as another process, pays by playing on from the beginning.
 */
import type { Task } from './environment.ts';
import type { Expert, Label } from './expert.ts';
import type { StepEnvironment } from './step-environment.ts';

export interface Replaying<Action, Made extends StepEnvironment<unknown, Action>> {
  /** A new environment where the task begins. Errors: `internal` for a task of another. */
  begin(task: Task): Made;
  /** The action of a command; null where it is none, so that nothing happened. */
  actionOf(command: string): Action | null;
  label(made: Made): Label;
}

interface Reached<Made> {
  readonly made: Made;
  readonly isOver: boolean;
}

/** episodes under way that are kept */
const kept = 64;

/** The player. After the end of an episode there is no label. */
export function replayingPlayer<Action, Made extends StepEnvironment<unknown, Action>>(
  of: Replaying<Action, Made>,
): Expert {
  const places = new Map<string, Reached<Made>>();
  /** The place of so many commands, or of the most that are known, taken out. */
  const takenFrom = (task: Task, commands: readonly string[]) => {
    for (const count of [commands.length, commands.length - 1]) {
      const key = keyOf(task, commands.slice(0, Math.max(0, count)));
      const found = places.get(key);
      if (found === undefined) continue;
      places.delete(key);
      return { ...found, count: Math.max(0, count) };
    }
    return { made: of.begin(task), isOver: false, count: 0 };
  };
  return {
    label: async ({ task, history }) => {
      const commands = history.turns.map(({ command }) => command);
      const { count, ...place } = takenFrom(task, commands);
      const reached = commands.slice(count).reduce((at, command) => stepped(of, at, command), place);
      places.set(keyOf(task, commands), reached);
      const [oldest] = places.keys();
      if (places.size > kept) places.delete(oldest!);
      return reached.isOver ? { kind: 'unusable', reason: 'the episode is over' } : of.label(reached.made);
    },
  };
}

function stepped<Action, Made extends StepEnvironment<unknown, Action>>(
  { actionOf }: Replaying<Action, Made>,
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
