/** Levels of environments that are stepped by number, behind the contract of `Environment`: commands are the actions' words. */
import type { Environment, Episode, Info, Step, Task } from './environment.ts';
import { invariant } from './error.ts';
import type { Observation } from './observation.ts';
import type { Seed, StepEnvironment } from './step-environment.ts';

/** What an environment makes of a seed: the same start every time. */
export interface Level {
  readonly id: string;
  readonly seed: Seed;
}

export interface EnvironmentOptions {
  /** makes the environment of an id; each attempt gets one of its own */
  readonly make: (id: string) => StepEnvironment;
  /** whether observations hold the frame; true by default */
  readonly frames?: boolean;
}

/**
 * The levels as tasks, in the order given; a task is called `<id>/<seed>` and its type is the id. The level's seed decides all, so that of
 * an attempt changes nothing. A command that is no action's word, upper and lower case aside, changes nothing, brings 0 and is marked by
 * `refused` in the info. Errors: `internal` for a level that is there twice, and those of `make`.
 */
export function environmentOf(levels: readonly Level[], options: EnvironmentOptions): Environment {
  const byTask = new Map(levels.map((level) => [`${level.id}/${level.seed}`, level]));
  invariant(byTask.size === levels.length, 'environmentOf: a level is there twice');
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
  const seen = (): Observation => ({
    text: environment.text(),
    frames: frames ? [environment.frame()] : [],
    arrays: environment.observe(),
    admissible,
  });
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
