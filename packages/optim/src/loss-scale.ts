/**
 * Dynamic loss scaling (Micikevicius et al. 2018, section 3.2), by the rule of PyTorch's GradScaler. In half precision
 * small gradients vanish and large ones overflow, so the loss is multiplied by a factor before differentiation and the
 * gradient divided by it. A non-finite gradient skips its update and lowers the factor; a series of finite ones raises
 * it. All factors are powers of two, so without overflow no bit of a float32 gradient changes.
 */
import { EmacError } from '@emac/core';

export interface LossScaling {
  readonly start: number;
  readonly growth: number;
  readonly backoff: number;
  /** consecutive finite updates before the scale grows */
  readonly interval: number;
}

/** GradScaler's defaults, also used by the published code. */
export const dynamicLossScaling: LossScaling = { start: 65536, growth: 2, backoff: 0.5, interval: 2000 };

/** The current scale; part of a run's state. */
export interface LossScale {
  readonly scale: number;
  /** finite updates since the scale changed */
  readonly finite: number;
}

/** The scale of a run's next update: from its state, or the first one at the start; null without scaling. */
export function lossScaleOf(scaling: LossScaling | null, stored: LossScale | null): LossScale | null {
  return scaling && (stored ?? { scale: scaling.start, finite: 0 });
}

/**
 * The scale after an update. Errors: `check-failed` for an overflow at scale 1: then the numbers themselves are at
 * fault.
 */
export function nextLossScale(
  { growth, backoff, interval }: LossScaling,
  { scale, finite }: LossScale,
  isFinite: boolean,
): LossScale {
  if (!isFinite && scale <= 1)
    throw new EmacError(
      'check-failed',
      `training: the gradient is not finite at loss scale ${scale}; check weights, inputs and precision, or lower the learning rate`,
    );
  if (!isFinite) return { scale: Math.max(1, scale * backoff), finite: 0 };
  if (finite + 1 < interval) return { scale, finite: finite + 1 };
  const grown = scale * growth;
  return { scale: Number.isFinite(Math.fround(grown)) ? grown : scale, finite: 0 };
}

/** Rows with weights, and so with their loss, multiplied by the scale. */
export function scaledRows<Row extends { readonly weight: number }>(
  rows: readonly Row[],
  scale = 1,
): readonly Row[] {
  return scale === 1 ? rows : rows.map((row) => ({ ...row, weight: row.weight * scale }));
}

/** Loss and gradient (in place) divided by the scale. */
export function unscaled<
  Found extends { readonly loss: number; readonly gradients: ReadonlyMap<string, Float32Array> },
>(found: Found, scale = 1): Found {
  if (scale === 1) return found;
  for (const gradient of found.gradients.values())
    for (let index = 0; index < gradient.length; index++) gradient[index]! /= scale;
  return { ...found, loss: found.loss / scale };
}
