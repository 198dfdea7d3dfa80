/** How many of training's own answers were right: a speaker's descriptions that were understood, a listener's yes and no. */
import { learningCurves } from '../experiments/learning-curves.ts';

export interface TrainedRole {
  readonly name: string;
  /** a run of each seed, all of the same length */
  readonly runs: readonly string[];
}

interface Rewards {
  /** of a speaker */
  readonly reward_accuracy?: number;
  /** of a listener */
  readonly reward_consistency?: number;
}

export function learningChart(roles: readonly TrainedRole[]): string {
  const valueOf = ({ reward_accuracy, reward_consistency }: Rewards) =>
    (reward_accuracy ?? reward_consistency)!;
  return learningCurves(
    'Answers that were right, by updates (chance: speaker 1/3, listener 1/2)',
    roles.map((role) => ({ ...role, valueOf })),
    10,
  );
}
