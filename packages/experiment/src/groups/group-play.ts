/** What a run of GRPO plays with, whatever that is: the policy that learns, attempts with their rewards, and held-out tasks. */
import type {
  Answering,
  GrpoRun,
  GrpoState,
  GrpoTask,
  RewardedAttempt,
  ShardGradients,
} from '@emac/algorithms';
import type { ReplyJournal } from '@emac/expert';
import type { Student } from '@emac/model';
import type { Host, RewardedAnswer } from '@emac/opening';
import type { EvaluationResult } from '@emac/rollout';
import type { GrpoConfig } from '@emac/settings';
import type { RunAnswers, RunGradients } from '@emac/workers';
import type { KeptResult, When } from '../life/recipe.ts';
import type { GroupPolicy } from './group-policy.ts';

export interface GroupPlay<Evaluation extends EvaluationResult = EvaluationResult> {
  readonly policy: GroupPolicy;
  /** the policy with its limits */
  readonly learner: Student;
  /** how many tasks there are to train on; null: as many as there are seeds */
  readonly tasks: number | null;
  /** how many held-out tasks an evaluation has */
  readonly heldOut: number;
  /** to be opened before anything is asked; null where nobody elsewhere is asked */
  readonly journal: GroupJournal | null;
  /** what plays, for people */
  readonly name: string;
  /** what a resumed run has to find again */
  readonly versions: Readonly<Record<string, string>>;
  /** GRPO on these tasks and rewards. Errors: as `grpo`'s. */
  train(training: GroupTraining): Promise<GrpoState>;
  /** The held-out tasks, with the policy as it is now. Errors: `interrupted`. */
  evaluate(when: When, kept: KeptResult, host: Pick<Host, 'listener' | 'signal'>): Promise<Evaluation>;
  /** Workers for the run, which trains these parts; null where this process does everything. */
  workers(run: { readonly folder: string }, trained: GrpoConfig['trained']): GroupWorkers | null;
  dispose(): Promise<void>;
}

/** Keeps what a service replied. */
export interface GroupJournal {
  /** `used`: entries before the run's checkpoint */
  open(journal: ReplyJournal, used: readonly { readonly request: string; readonly text: string }[]): void;
}

export interface GroupTraining
  extends
    Omit<GrpoRun<RewardedAttempt>, 'attempts' | 'sample'>,
    Partial<Pick<Answering<GrpoTask>, 'elsewhere'>> {
  /** hears of every attempt after its update */
  readonly answered: (answer: RewardedAnswer) => void;
}

/** What of a run workers do. */
export interface GroupWorkers extends Omit<RunAnswers, 'elsewhere'>, Partial<Pick<RunAnswers, 'elsewhere'>> {
  /** of shards, where there are several */
  readonly gradients: Pick<RunGradients<ShardGradients>, 'each' | 'at'>;
}
