/** Applies the gradient of an optimizer update, in DAgger and in training on datasets alike. */
import { EmacError, type Trainable } from '@emac/core';
import type { Optimizer } from './adamw.ts';
import { clipGradients } from './clipping.ts';
import { nextLossScale, type LossScale, type LossScaling } from './loss-scale.ts';

/** Named measurements of a metrics line; null if not available. */
export type Measures = Readonly<Record<string, number | null>>;

/** The gradient of one update, by parameter name, and its measurements. */
export interface UpdateGradient {
  readonly gradients: ReadonlyMap<string, Float32Array>;
  readonly measures: Measures & { readonly loss: number };
}

export interface Update {
  readonly policy: Pick<Trainable, 'commit'>;
  readonly optimizer: Optimizer;
  readonly settings: {
    /** limit of the joint gradient norm; null for none */
    readonly clipNorm: number | null;
    readonly lossScaling: LossScaling | null;
  };
  /** the scale of this gradient; null without loss scaling */
  readonly lossScale: LossScale | null;
  readonly learningRate: number;
  /** number of the update in its run */
  readonly number: number;
}

export interface Applied {
  /** `gradient_norm` before clipping; with loss scaling also `loss_scale` and `skipped`, 1 for an overflow */
  readonly measures: Measures;
  /** of the next update */
  readonly lossScale: LossScale | null;
}

/**
 * Clips and steps. With loss scaling, a non-finite gradient is skipped: parameters and moments stay. Errors:
 * `check-failed` for non-finite numbers without scaling, or at scale 1.
 */
export function applyUpdate({ gradients, measures }: UpdateGradient, update: Update): Applied {
  const { policy, optimizer, settings, lossScale, learningRate, number } = update;
  const norm = clipGradients(gradients, settings.clipNorm);
  const isFinite = Number.isFinite(measures.loss) && Number.isFinite(norm);
  const { lossScaling } = settings;
  if (!isFinite && !(lossScaling && lossScale)) throw notFinite(measures.loss, norm, number);
  if (isFinite) {
    optimizer.step(gradients, learningRate);
    policy.commit();
  }
  if (!lossScaling || !lossScale) return { measures: { gradient_norm: norm }, lossScale };
  const scaling = { loss_scale: lossScale.scale, skipped: isFinite ? 0 : 1 };
  return {
    measures: {
      ...(isFinite ? {} : withoutNumbers(measures)),
      gradient_norm: isFinite ? norm : null,
      ...scaling,
    },
    lossScale: nextLossScale(lossScaling, lossScale, isFinite),
  };
}

/** Measurements of an overflow are meaningless, so they become null. */
function withoutNumbers(measures: Measures): Measures {
  return Object.fromEntries(Object.keys(measures).map((name) => [name, null]));
}

function notFinite(loss: number, gradientNorm: number, update: number): EmacError {
  return new EmacError(
    'check-failed',
    `training: update ${update} has loss ${loss} and gradient norm ${gradientNorm}; lower the learning rate`,
  );
}
