/**
 * Several environments as one, each a task: an episode's seed selects the task. Half of the seed modulo n is the task.
 * So random seeds select tasks uniformly, and even training seeds stay apart from odd ones.
 */
import { EmacError, type Random, type Seed, type Seen, type StepEnvironment } from '@emac/core';
import type { StepTexts } from '@emac/rollout';
import type { PpoConfig } from '@emac/settings';
import { environmentId } from '../environments/kind-of.ts';

/** Published ids of a run's tasks, in order; null for a single environment. Errors: `usage` for an unknown one. */
export function tasksIn({
  curriculum: { tasks },
}: {
  readonly curriculum: Pick<PpoConfig['curriculum'], 'tasks'>;
}): readonly string[] | null {
  return tasks === null ? null : tasks.split(',').map((name) => environmentId(name.trim()));
}

/** A seed's meaning among n tasks: the task's number, and the seed in its environment. */
export function taskOfSeed(seed: Seed, count: number): { readonly task: number; readonly seed: Seed } {
  const [whole, n] = [BigInt(seed), BigInt(count)];
  const half = whole / 2n;
  const inner = 2n * (half / n) + (whole % 2n);
  return {
    task: Number(half % n),
    seed: inner > BigInt(Number.MAX_SAFE_INTEGER) ? inner : Number(inner),
  };
}

/** The nearest seed below that selects a task, with the same parity. */
export function seedOfTask(seed: Seed, task: number, count: number): Seed {
  const half = BigInt(seed) / 2n;
  const moved = half - (half % BigInt(count)) + BigInt(task);
  return Number(2n * moved + (BigInt(seed) % 2n));
}

/** seeds of training are twice a number below this */
const halves = 2 ** 51;

/** The choices of a curriculum. */
export interface ChosenTasks {
  readonly tasks: readonly string[];
  /** a drawn episode of a task */
  seedOf(task: string, random: Random): Seed;
}

/** The tasks, and an episode of each. */
export function environmentTasks(tasks: readonly string[]): ChosenTasks {
  const places = new Map(tasks.map((task, place) => [task, place]));
  return {
    tasks,
    seedOf: (task: string, random: Random) =>
      seedOfTask(2 * random.integer(halves), places.get(task) ?? -1, tasks.length),
  };
}

interface TasksState {
  readonly task: number;
  /** of the task's environment, in the middle of its episode */
  readonly environment: unknown;
}

/** The array that tells a policy's texts the current task. */
const array = 'task';

/** Under the id of the first; the environments have the same actions, and are its own from now on. */
export function tasksEnvironment(environments: readonly StepEnvironment[]): StepEnvironment<TasksState> {
  const [first] = environments;
  let task = 0;
  const now = () => environments[task]!;
  return {
    id: first!.id,
    actions: first!.actions,
    reset(seed) {
      // the environment refuses an invalid seed
      if (seed === null || (typeof seed === 'number' && !(Number.isSafeInteger(seed) && seed >= 0)))
        return now().reset(seed);
      const found = taskOfSeed(seed, environments.length);
      task = found.task;
      return now().reset(found.seed);
    },
    step: (action) => now().step(action),
    text: () => now().text(),
    observe: () => ({ ...now().observe(), [array]: { shape: [1], data: Int32Array.of(task) } }),
    frame: () => now().frame(),
    state: () => ({ task, environment: now().state() }),
    restore(state) {
      const { task: stored, environment } = state as Partial<TasksState>;
      if (stored === undefined || !environments[stored])
        throw new EmacError(
          'data',
          `training state: must be of one of ${environments.length} tasks, got task ${stored}; resume with the tasks of that run`,
        );
      task = stored;
      now().restore(environment);
    },
  };
}

/** Each task has its own prompt; answers are read the same way. */
export function taskTexts<Action>(texts: readonly StepTexts<Action>[]): StepTexts<Action> {
  const numberOf = ({ arrays }: Seen): number => arrays[array]!.data[0]!;
  return { ...texts[0]!, prompt: (seen) => texts[numberOf(seen)]!.prompt(seen) };
}
