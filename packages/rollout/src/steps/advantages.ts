/**
 * Generalized advantage estimation (Schulman et al., arXiv 1506.02438) over environments that were stepped side by side:
 * δ = r + γ V′ − V, A = δ + γλ A′, backwards in time. At an end of its own an episode has no V′ and passes no A′ back. Where
 * it was cut off from outside something would have followed: V′ is the value of what was seen last, and no A′ is passed
 * back, since what follows in the row is another episode. The first public codes of PPO had other ways, kept as options.
 */
import { EmacError } from '@emac/core';

/**
 * What follows a truncated step. `bootstrap`: the value of the last observation. `termination`: nothing, as if the task had
 * ended (RL4VLM's default). `masked`: the step has advantage 0 (a2c-ppo-acktr's "proper time limits").
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
  /** the episode came to its own end with this step [S · E]; 0 or 1 */
  readonly terminated: ArrayLike<number>;
  /** it was cut off after this step [S · E]; 0 or 1, what is also terminated counts as that */
  readonly truncated: ArrayLike<number>;
  /** value of the last observation of an episode that was cut off, read where `truncated` is 1 [S · E] */
  readonly finalValues: ArrayLike<number>;
  /** of what each environment shows after the last step [E] */
  readonly nextValues: ArrayLike<number>;
}

export interface AdvantageOptions {
  /** γ */
  readonly discount: number;
  /** λ of the trace */
  readonly trace: number;
  readonly truncation: TruncationRule;
}

export interface Advantages {
  /** [S · E] */
  readonly advantages: Float64Array;
  /** A + V: what the values are to predict [S · E] */
  readonly returns: Float64Array;
}

/** Errors: `internal` where the arrays do not hold whole steps. */
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
  /** V of the environment's next step in the row, and its A */
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
 * Numbers with mean 0 and standard deviation 1, with the unbiased deviation; `epsilon` is
 * added to it (RL4VLM's code: 1e-5, over all steps of an update; CleanRL: 1e-8, over each minibatch). A single one becomes 0.
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
