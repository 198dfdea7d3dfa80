/** The parts of a GRPO run: the trained policy, rewarded attempts, and held-out tasks. */
import type { Playing, ShardGradients } from '@emac/algorithms';
import type { Task } from '@emac/core';
import type { ReplyJournal, ReplyPosition } from '@emac/expert';
import type { Host } from '@emac/opening';
import type { EvaluationResult } from '@emac/rollout';
import type { GrpoConfig } from '@emac/settings';
import type { GradientsElsewhere } from '@emac/workers';
import type { KeptResult, RunWorkers, When } from '../life/recipe.ts';
import type { GroupPolicy } from './group-policy.ts';

/** What a checkpoint holds beside the policy. */
export interface KeptBeside {
  /** its paths as typed, so that a resumed run from elsewhere writes the same bytes */
  readonly config: GrpoConfig;
  /** those of a service so far; null without one */
  readonly replies: ReplyPosition | null;
}

/** What an evaluation keeps; its result names paths as they were typed, too. */
export interface KeptEvaluation extends KeptResult, Pick<KeptBeside, 'config'> {
  /** so many of the held-out tasks at most */
  readonly most: number;
}

export interface GroupPlay<Evaluation extends EvaluationResult = EvaluationResult> {
  readonly policy: GroupPolicy;
  /** the method's state in a checkpoint beside the policy; default none */
  readonly beside?: (kept: KeptBeside) => object;
  /** sentences about policy and environment */
  readonly notes?: readonly string[];
  /** number of training tasks; null: endless */
  readonly tasks: number | null;
  /** how many held-out tasks an evaluation has */
  readonly heldOut: number;
  /** attempts under way at once */
  readonly together: number;
  /** open before any request; null without a service */
  readonly journal: GroupJournal | null;
  /** the policy's display name */
  readonly name: string;
  /** versions a resumed run must match */
  readonly versions: Readonly<Record<string, string>>;
  /** what is attempted, with workers once they are asked for */
  attempts(): Playing;
  /** of a task, for logs */
  solutionOf(task: Task): string;
  /** whether attempts have several steps, worth a record of some */
  readonly isRecorded: boolean;
  /** The held-out tasks, with the policy as it is now. Errors: `interrupted`. */
  evaluate(when: When, kept: KeptEvaluation, host: Pick<Host, 'listener' | 'signal'>): Promise<Evaluation>;
  /** Workers for the run; null if this process does everything. */
  workers(run: { readonly folder: string }): GroupWorkers | null;
  dispose(): Promise<void>;
}

/** Stores a service's replies. */
export interface GroupJournal {
  /** `used`: entries before the run's checkpoint */
  open(journal: ReplyJournal, used: readonly { readonly request: string; readonly text: string }[]): void;
}

/** The part of a run done by workers. */
export interface GroupWorkers extends RunWorkers {
  /** of shards, if there are several */
  readonly gradients: GradientsElsewhere<ShardGradients>;
}
