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
  if (!isFinite && !(lossScaling && lossScale)) throw notFinite(measures.loss, norm, { number, optimizer });
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

/** What to do about numbers that are not finite: before the first step no rate has changed a weight. */
export function notFiniteRemedy(stepsBefore: number): string {
  return stepsBefore === 0
    ? 'no step has been made yet, so the rate is not at fault: check the weights (emac model check), the inputs, and the precision (float16 overflows where float32 does not)'
    : 'lower the learning rate';
}

function notFinite(
  loss: number,
  gradientNorm: number,
  { number, optimizer }: Pick<Update, 'number' | 'optimizer'>,
): EmacError {
  return new EmacError(
    'check-failed',
    `training: update ${number} has loss ${loss} and gradient norm ${gradientNorm}; ${notFiniteRemedy(optimizer.state().step)}`,
  );
}
