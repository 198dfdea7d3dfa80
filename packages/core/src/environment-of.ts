/** Levels of step environments as an `Environment`: commands are the names of the actions. */
import type { Environment, Episode, Info, Step, Task } from './environment.ts';
import { invariant } from './error.ts';
import { shownNow, type Frame, type Observation } from './observation.ts';
import type { Seed, StepEnvironment } from './step-environment.ts';

/** A seeded start of an environment: the same every time. */
export interface Level {
  readonly id: string;
  readonly seed: Seed;
}

export interface EnvironmentOptions {
  /** makes the environment of an id; each attempt gets its own */
  readonly make: (id: string) => StepEnvironment;
  /** whether observations include the frame, rendered when it is first read; true by default */
  readonly frames?: boolean;
}

/**
 * The levels as tasks, in the given order; a task's id is `<id>/<seed>` and its type is the id. The level's seed decides everything; an
 * attempt's seed changes nothing. A command that names no action (ignoring case) changes nothing, has reward 0 and sets `refused` in the
 * info. Errors: `internal` for a duplicate level, and those of `make`.
 */
export function environmentOf(levels: readonly Level[], options: EnvironmentOptions): Environment {
  const byTask = new Map(levels.map((level) => [`${level.id}/${level.seed}`, level]));
  invariant(byTask.size === levels.length, 'environmentOf: levels must have different ids');
  return {
    tasks: [...byTask].map(([id, level]) => ({ id, type: level.id })),
    begin: async (task) => {
      const level = byTask.get(task.id);
      invariant(level, `environmentOf: ${task.id} is not among its levels`);
      return begun(task, level, options);
    },
  };
}

function begun(task: Task, level: Level, { make, frames = true }: EnvironmentOptions): Episode {
  const environment = make(level.id);
  const words = environment.actions.map((word) => word.toLowerCase());
  const admissible = [...environment.actions].sort();
  const acted: number[] = [];
  const seen = (): Observation => {
    const taken = acted.length;
    return shownNow(environment, admissible, () => (frames ? [picture(taken)] : []));
  };
  // a picture of an earlier moment is drawn by the same actions in another environment
  const picture = (taken: number): Frame => {
    if (taken === acted.length) return environment.frame();
    const again = make(level.id);
    again.reset(level.seed);
    for (const action of acted.slice(0, taken)) again.step(action);
    return again.frame();
  };
  let info: Info = environment.reset(level.seed);
  const first = seen();
  let last: Step | null = null;
  const step = (command: string): Step => {
    const action = words.indexOf(command.trim().toLowerCase());
    if (action < 0) {
      const observation = last?.observation ?? first;
      return {
        observation,
        reward: 0,
        terminated: false,
        truncated: false,
        info: { ...info, refused: true },
      };
    }
    const { reward, terminated, truncated, info: facts } = environment.step(action);
    acted.push(action);
    info = facts;
    return { observation: seen(), reward, terminated, truncated, info };
  };
  return {
    task,
    first,
    step: async (command) => {
      if (last?.terminated || last?.truncated) return last;
      return (last = step(command));
    },
    close: async () => {},
  };
}
