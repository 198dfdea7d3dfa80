/** Tasks of one role with their rewards; the trainer need not know the role. */
import {
  answeredGroups,
  grpo,
  type AnsweredTask,
  type Answering,
  type GrpoRun,
  type GrpoState,
  type GrpoTask,
} from '@emac/algorithms';

export interface LewisTask extends GrpoTask {
  /** the right answer, for the log */
  readonly solution: string;
}

export interface LewisTasks {
  readonly count: number;
  /** GRPO on these tasks and rewards. Errors: as `grpo`'s. */
  train(run: LewisTraining): Promise<GrpoState>;
}

type LewisTraining = Omit<GrpoRun<AnsweredTask<LewisTask>>, 'attempts'> &
  Pick<Answering<LewisTask>, 'elsewhere'>;

export function lewisTasks<T extends LewisTask>(
  tasks: Answering<T>['tasks'],
  rewards: Answering<T>['rewards'],
): LewisTasks {
  return {
    count: tasks.count,
    train: ({ elsewhere, ...run }) =>
      grpo<AnsweredTask<T>>({ ...run, attempts: answeredGroups({ tasks, rewards, elsewhere }) }),
  };
}
