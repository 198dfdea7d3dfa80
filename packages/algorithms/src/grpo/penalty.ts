/** The KL penalty as a reward (REINFORCE++, arXiv 2501.03262): what an answer costs for leaving the reference. */
import { divergenceEstimates, numbers } from '@emac/losses';
import type { AttemptGroups, StepOfAttempt } from './attempts.ts';
import type { GrpoLossSettings } from './grpo-settings.ts';

interface Penalty {
  readonly said: readonly StepOfAttempt[];
  /** of each step the log-probabilities of its tokens under the reference */
  readonly scored: readonly Float32Array[];
  readonly losses: Pick<GrpoLossSettings, 'beta' | 'estimate'>;
}

/** Every answer costs β times the estimated divergence of its tokens, which is a reward named `kl`. */
export function penalized(
  groups: AttemptGroups,
  { said, scored, losses: { beta, estimate = 'k3' } }: Penalty,
): AttemptGroups {
  const costs = groups.attempts.map(({ steps }) => steps.map(() => 0));
  said.forEach(({ step: { answer }, attempt, index }, which) => {
    const apart = answer.logProbabilities.map((sampled, token) => scored[which]![token]! - sampled);
    costs[attempt]![index] = -beta * sumOf(apart.map((x) => divergenceEstimates[estimate](numbers, x)));
  });
  const attempts = groups.attempts.map((attempt, place) => {
    const own = costs[place]!;
    const kl = sumOf(own);
    const steps = attempt.steps.map((step, index) => ({ ...step, reward: step.reward + own[index]! }));
    return { ...attempt, steps, reward: attempt.reward + kl, rewards: { ...attempt.rewards, kl } };
  });
  return { ...groups, attempts };
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
