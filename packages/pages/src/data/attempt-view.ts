/** An attempt at a task of a group method, and what its steps were credited with. */
export interface AttemptView {
  /** counted from 0, as `attempt` over the run */
  readonly update: number;
  readonly attempt: number;
  readonly task: string;
  readonly won: boolean;
  /** steps that it had; a long one is recorded in part */
  readonly steps: number;
  readonly reward: number;
  /** of the attempt, compared with its group */
  readonly advantage: number;
  /** how much its steps' advantages differ */
  readonly spread: number;
  readonly shown: readonly CreditedStepView[];
}

export interface CreditedStepView {
  readonly observed: string;
  readonly answer: string;
  /** the environment's action */
  readonly command: string;
  readonly reward: number;
  /** the step part; null if the method compares attempts alone */
  readonly own: number | null;
  /** steps of the group from the same state; null likewise */
  readonly alike: number | null;
  /** in the loss */
  readonly advantage: number;
}
