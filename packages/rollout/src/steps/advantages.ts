/**
 * Generalized advantage estimation (Schulman et al., arXiv 1506.02438) over environments stepped side by side: δ = r +
 * γ V′ − V, A = δ + γλ A′, backwards in time. A terminated episode has no V′ and passes no A′ back. In a truncated
 * episode V′ is the value of its last observation. It passes no A′ back either, since the next step in the row belongs
 * to another episode. Early public PPO codes treat truncation differently; their rules are options.
 */
import { EmacError } from '@emac/core';

/**
 * The value after a truncated step. `bootstrap`: the value of the last observation. `termination`: none, as if the task
 * had ended (RL4VLM's default). `masked`: the step has advantage 0 (a2c-ppo-acktr's "proper time limits").
 */
export type TruncationRule = 'bootstrap' | 'termination' | 'masked';

/** Numbers of S steps of each of E environments, row by row: step s of environment e is at s · E + e. */
export interface StepNumbers {
  /** E */
  readonly environments: number;
  /** [S · E] */
  readonly rewards: ArrayLike<number>;
  /** of the observation before each step [S · E] */
  readonly values: ArrayLike<number>;
  /** the episode terminated with this step [S · E]; 0 or 1 */
  readonly terminated: ArrayLike<number>;
  /** it was truncated after this step [S · E]; 0 or 1; termination takes precedence */
  readonly truncated: ArrayLike<number>;
  /** value of a truncated episode's last observation, read where `truncated` is 1 [S · E] */
  readonly finalValues: ArrayLike<number>;
  /** value of each environment's observation after the last step [E] */
  readonly nextValues: ArrayLike<number>;
}

export interface AdvantageOptions {
  /** γ */
  readonly discount: number;
  /** trace parameter λ */
  readonly trace: number;
  readonly truncation: TruncationRule;
}

export interface Advantages {
  /** [S · E] */
  readonly advantages: Float64Array;
  /** A + V: regression targets of the critic [S · E] */
  readonly returns: Float64Array;
}

/** Errors: `internal` if the array lengths do not match whole steps. */
export function generalizedAdvantages(numbers: StepNumbers, options: AdvantageOptions): Advantages {
  const { environments, rewards, values, nextValues } = numbers;
  const { length } = rewards;
  if (length % environments !== 0 || nextValues.length !== environments)
    throw new EmacError(
      'internal',
      `generalizedAdvantages: ${environments} environments need rewards of whole steps and as many next values, got ${length} rewards and ${nextValues.length} next values`,
    );
  const advantages = new Float64Array(length);
  const returns = new Float64Array(length);
  for (let place = length - 1; place >= 0; place--) {
    const later = place + environments;
    const next =
      later < length
        ? { value: values[later]!, advantage: advantages[later]! }
        : { value: nextValues[later - length]!, advantage: 0 };
    advantages[place] = advantageAt(numbers, place, { ...options, ...next });
    returns[place] = advantages[place]! + values[place]!;
  }
  return { advantages, returns };
}

interface Following extends AdvantageOptions {
  /** V and A of the environment's next step in the row */
  readonly value: number;
  readonly advantage: number;
}

function advantageAt(
  { rewards, values, terminated, truncated, finalValues }: StepNumbers,
  place: number,
  { discount, trace, truncation, value, advantage }: Following,
): number {
  const error = rewards[place]! - values[place]!;
  if (terminated[place]) return error;
  if (!truncated[place]) return error + discount * (value + trace * advantage);
  if (truncation === 'masked') return 0;
  return truncation === 'bootstrap' ? error + discount * finalValues[place]! : error;
}

/**
 * Scales numbers to mean 0 and unbiased standard deviation 1. `epsilon` is added to the deviation (RL4VLM's code: 1e-5,
 * over all steps of an update; CleanRL: 1e-8, over each minibatch). A single number becomes 0.
 */
export function normalized(advantages: ArrayLike<number>, epsilon: number): Float64Array {
  const { length } = advantages;
  let sum = 0;
  for (let place = 0; place < length; place++) sum += advantages[place]!;
  const mean = sum / length;
  let squares = 0;
  for (let place = 0; place < length; place++) squares += (advantages[place]! - mean) ** 2;
  const deviation = Math.sqrt(squares / Math.max(1, length - 1));
  return Float64Array.from(advantages, (advantage) => (advantage - mean) / (deviation + epsilon));
}
