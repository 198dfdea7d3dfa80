/** What attempts earn: the environment's return, success, a function of one's own, or rewards by name. */
import { EmacError, type Task, type Trajectory, type TrajectoryStep } from '@emac/core';

/** An episode's reward: the undiscounted return, success alone, by default 1 and 0, or a function of one's own. */
export type PlayedReward = 'return' | 'success' | { readonly won: number; readonly lost: number } | OwnReward;

/** A number, paid with the last step, or a list with one for each step. All attempts of an update are rewarded at once. */
export type OwnReward = (attempt: EndedAttempt) => Paid | Promise<Paid>;

type Paid = number | readonly number[];

/**
 * Rewards by name, paid with the last step; the environment's own do not count. All attempts of an update are rewarded
 * at once; a missing reward throws.
 */
export interface NamedRewards {
  of(attempt: EndedAttempt): Promise<NamedWorth>;
}

/** What an attempt is worth where its environment does not say. */
export interface NamedWorth {
  readonly rewards: Readonly<Record<string, number>>;
  /** whether it reached its goal; it counts as the episode's success */
  readonly won: boolean;
}

/** An attempt that has ended. */
export interface EndedAttempt {
  readonly task: Task;
  readonly won: boolean;
  readonly steps: readonly RewardedStep[];
}

export interface RewardedStep {
  /** the text before the step */
  readonly observation: string;
  /** the policy's whole answer */
  readonly answer: string;
  /** the action that it names; null if it names none */
  readonly action: string | null;
  /** whether the environment accepts that action; where it cannot say, any action counts */
  readonly isValid: boolean;
  /** the text after the step */
  readonly next: string;
  /** the environment's reward */
  readonly reward: number;
}

export function isNamed(reward: PlayedReward | NamedRewards | undefined): reward is NamedRewards {
  return typeof reward === 'object' && 'of' in reward;
}

/** An attempt's rewards by their names in metrics, and what each step pays of them. */
interface Payment {
  readonly rewards: Readonly<Record<string, number>>;
  readonly steps: readonly number[];
  /** whether the attempt reached its goal */
  readonly won: boolean;
}

/** Errors: those of the reward; `data` for one that is no number. */
export async function paymentsOf(
  reward: PlayedReward | NamedRewards,
  played: readonly Trajectory[],
): Promise<readonly Payment[]> {
  if (!isNamed(reward))
    return all(played, async (trajectory) => {
      const steps = await paidBy(reward, trajectory);
      const name = typeof reward === 'function' ? 'own' : reward === 'return' ? 'return' : 'success';
      return { rewards: { [name]: sumOf(steps) }, steps, won: trajectory.won };
    });
  return all(played, async (trajectory) => {
    const { rewards, won } = await reward.of(endedAttempt(trajectory));
    for (const [name, worth] of Object.entries(rewards))
      if (!Number.isFinite(worth))
        throw new EmacError(
          'data',
          `reward ${name}: must be a finite number, got ${worth} for an attempt at ${trajectory.task.id}`,
        );
    return { rewards, steps: atEnd(trajectory.steps, sumOf(Object.values(rewards))), won };
  });
}

/** At once; the first in order that failed throws, after all have ended. */
async function all<T, R>(given: readonly T[], work: (each: T) => Promise<R>): Promise<readonly R[]> {
  const settled = await Promise.allSettled(given.map(work));
  return settled.map((each) => {
    if (each.status === 'rejected') throw each.reason;
    return each.value;
  });
}

/** What each step pays. */
async function paidBy(reward: PlayedReward, trajectory: Trajectory): Promise<readonly number[]> {
  const { steps, won } = trajectory;
  if (reward === 'return') return steps.map(({ result }) => result.reward);
  if (typeof reward === 'function') {
    const found = await reward(endedAttempt(trajectory));
    return typeof found === 'number' ? atEnd(steps, found) : found;
  }
  const worth = reward === 'success' ? { won: 1, lost: 0 } : reward;
  return atEnd(steps, won ? worth.won : worth.lost);
}

function atEnd(steps: readonly unknown[], worth: number): readonly number[] {
  return steps.map((_, index) => (index === steps.length - 1 ? worth : 0));
}

export function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function endedAttempt({ task, won, steps }: Trajectory): EndedAttempt {
  const played = steps.map((step): RewardedStep => {
    const { observation, answer, own, result } = step;
    return {
      observation: observation.text,
      answer: answer?.text ?? '',
      action: own,
      isValid: isValid(step),
      next: result.observation.text,
      reward: result.reward,
    };
  });
  return { task: { id: task.id, type: task.type }, won, steps: played };
}

/** Whether the answer named an action that the environment accepts; where it cannot say, any action counts. */
export function isValid({ own, observation: { admissible } }: TrajectoryStep): boolean {
  return own !== null && (admissible?.includes(own) ?? true);
}
