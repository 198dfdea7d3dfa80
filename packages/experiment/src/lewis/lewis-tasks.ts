/** Tasks of one role with what their answers are worth; which role it is no longer matters to who trains. */
import {
  grpo,
  type GrpoRun,
  type GrpoState,
  type GrpoTask,
  type GrpoTasks,
  type Reward,
} from '@emac/algorithms';

export interface LewisTask extends GrpoTask {
  /** what is right, for people who read the log */
  readonly solution: string;
}

export interface LewisTasks {
  readonly count: number;
  /** GRPO on these tasks and rewards. Errors: as `grpo`'s. */
  train(run: Omit<GrpoRun<LewisTask>, 'tasks' | 'rewards'>): Promise<GrpoState>;
}

export function lewisTasks<T extends LewisTask>(
  tasks: GrpoTasks<T>,
  rewards: Readonly<Record<string, Reward<T>>>,
): LewisTasks {
  return { count: tasks.count, train: (run) => grpo<T>({ ...run, tasks, rewards }) };
}
