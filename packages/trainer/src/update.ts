/** What every optimizer update does with its gradient, in training on games and on datasets alike. */
import { EmacError, type Student } from '@emac/core';
import type { Measures, UpdateGradient } from './learner.ts';
import { nextLossScale, type LossScale, type LossScaling } from './loss-scale.ts';
import { clipGradients, type Optimizer } from './optimizer.ts';

export interface Update {
  readonly student: Pick<Student, 'commit'>;
  readonly optimizer: Optimizer;
  readonly settings: {
    /** limit of the joint gradient norm; null for none */
    readonly clipNorm: number | null;
    readonly lossScaling: LossScaling | null;
  };
  /** the scale at which the gradient was taken; null where losses are not scaled */
  readonly lossScale: LossScale | null;
  readonly learningRate: number;
  /** number of the update in its run */
  readonly number: number;
}

export interface Applied {
  /** `gradient_norm` before clipping; where losses are scaled also `loss_scale` and `skipped`, 1 for an overflow */
  readonly measures: Measures;
  /** of the next update */
  readonly lossScale: LossScale | null;
}

/**
 * Clips and steps. Where losses are scaled a gradient that is not finite is skipped: parameters and moments stay. Errors:
 * `check-failed` for numbers that are none.
 */
export function applyUpdate({ gradients, measures }: UpdateGradient, update: Update): Applied {
  const { student, optimizer, settings, lossScale, learningRate, number } = update;
  const norm = clipGradients(gradients, settings.clipNorm);
  const isFinite = Number.isFinite(measures.loss) && Number.isFinite(norm);
  const { lossScaling } = settings;
  if (!isFinite && !(lossScaling && lossScale)) throw notFinite(measures.loss, norm, number);
  if (isFinite) {
    optimizer.step(gradients, learningRate);
    student.commit();
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

/** What was measured of an overflow says nothing. */
function withoutNumbers(measures: Measures): Measures {
  return Object.fromEntries(Object.keys(measures).map((name) => [name, null]));
}

function notFinite(loss: number, gradientNorm: number, update: number): EmacError {
  return new EmacError(
    'check-failed',
    `training: update ${update} has loss ${loss} and gradient norm ${gradientNorm}, lower the learning rate`,
  );
}
