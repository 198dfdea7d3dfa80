/**
 * A scripted player that needs only a task and the commands so far: it replays them in its own environment to reach the moment. It keeps its positions, so the
 * next step of an episode costs one step. Without a kept position, as in another process, it replays from the beginning.
 */
import type { Task } from './environment.ts';
import type { Expert, Label } from './expert.ts';
import type { StepEnvironment } from './step-environment.ts';

export interface Replaying<Action, Made extends StepEnvironment<unknown, Action>> {
  /** A new environment at the start of the task. Errors: `internal` for a foreign task. */
  begin(task: Task): Made;
  /** The action of a command; null for an invalid one, which has no effect. */
  actionOf(command: string): Action | null;
  label(made: Made): Label;
}

interface Reached<Made> {
  readonly made: Made;
  readonly isOver: boolean;
}

/** running episodes to keep */
const kept = 64;

/** The player. After the end of an episode there is no label. */
export function replayingPlayer<Action, Made extends StepEnvironment<unknown, Action>>(
  of: Replaying<Action, Made>,
): Expert {
  const places = new Map<string, Reached<Made>>();
  /** Takes out the position after these commands, or after the longest known prefix. */
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
      return reached.isOver ? { kind: 'unusable', reason: 'the episode has ended' } : of.label(reached.made);
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
