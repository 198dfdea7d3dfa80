/**
 * The value loss, ½ (V − R)² for a return R. Clipped as in PPO's first code (openai/baselines, ppo2): if a value has moved
 * further than the clip since the answer was sampled, the larger loss counts, ½ max((V − R)², (V₀ + clamp(V − V₀, ±clip) −
 * R)²).
 */
import { EmacError, type Arithmetic, type ValueLoss } from '@emac/core';
import { clamp, maximum } from './extremes.ts';

export interface PredictedValue<T> {
  readonly value: T;
  readonly return: T;
  /** V₀, the same value when the answer was sampled, or, of tokens, when the update began */
  readonly sampledValue: T;
}

/** ½ (V − R)². */
export function valueLoss<T>({ subtract, multiply, scale }: Arithmetic<T>, value: T, target: T): T {
  const error = subtract(value, target);
  return scale(multiply(error, error), 0.5);
}

/** ½ max((V − R)², (V₀ + clamp(V − V₀, ±clip) − R)²). */
export function clippedValueLoss<T>(
  arithmetic: Arithmetic<T>,
  { value, return: target, sampledValue }: PredictedValue<T>,
  clip: number,
): T {
  const moved = clamp(arithmetic, arithmetic.subtract(value, sampledValue), { low: -clip, high: clip });
  return maximum(
    arithmetic,
    valueLoss(arithmetic, value, target),
    valueLoss(arithmetic, arithmetic.add(sampledValue, moved), target),
  );
}

/**
 * The loss for training: rows give `return` and, if clipped, `sampledValue`. Errors: `usage` for a clip that is not above 0.
 */
export function valueLossOf({ clip }: { /** null for none */ readonly clip: number | null }): ValueLoss {
  if (clip === null)
    return {
      over: 'values',
      formula: (arithmetic, { value, constant }) => valueLoss(arithmetic, value, constant('return')),
    };
  if (!(clip > 0 && clip < Infinity))
    throw new EmacError('usage', `value loss: the clip must be above 0, got ${clip}`);
  return {
    over: 'values',
    formula: (arithmetic, { value, constant }) =>
      clippedValueLoss(
        arithmetic,
        { value, return: constant('return'), sampledValue: constant('sampledValue') },
        clip,
      ),
  };
}
