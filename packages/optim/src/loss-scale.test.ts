import { describe, expect, it } from 'vitest';
import { dynamicLossScaling, lossScaleOf, nextLossScale, type LossScale } from './loss-scale.ts';
import { createAdamW } from './adamw.ts';
import { applyUpdate, notFiniteRemedy } from './update.ts';

const scaling = { start: 8, growth: 2, backoff: 0.5, interval: 3 } as const;

describe('a loss scale', () => {
  it('grows after a series of finite updates, falls at an overflow and restarts its count', () => {
    const scales: number[] = [];
    let at: LossScale = lossScaleOf(scaling, null)!;
    for (const isFinite of [true, true, true, true, true, false, true, true, true, false, false]) {
      scales.push(at.scale);
      at = nextLossScale(scaling, at, isFinite);
    }
    // three finite ones make 8 → 16; two and an overflow make 8; three make 16; two overflows make 4
    expect(scales).toEqual([8, 8, 8, 16, 16, 16, 8, 8, 8, 16, 8]);
    expect(at).toEqual({ scale: 4, finite: 0 });
  });

  it('starts as PyTorch’s, continues from a stored one, and is null without scaling', () => {
    expect(dynamicLossScaling).toEqual({ start: 65536, growth: 2, backoff: 0.5, interval: 2000 });
    expect(lossScaleOf(scaling, { scale: 2, finite: 1 })).toEqual({ scale: 2, finite: 1 });
    expect(lossScaleOf(null, null)).toBeNull();
  });

  it('stays within float32, and does not excuse a non-finite loss at scale 1', () => {
    const top = { scale: 2 ** 127, finite: 2 };
    expect(nextLossScale(scaling, top, true)).toEqual({ scale: 2 ** 127, finite: 0 });
    expect(nextLossScale(scaling, { scale: 1.5, finite: 0 }, false).scale).toBe(1);
    expect(() => nextLossScale(scaling, { scale: 1, finite: 0 }, false)).toThrow(
      /not finite at loss scale 1/,
    );
  });
});

describe('an update', () => {
  const parameters = () => new Map([['p', { shape: [1, 1], data: Float32Array.of(1) }]]);
  const update = (gradient: number, lossScale: LossScale | null) => {
    const weights = parameters();
    const optimizer = createAdamW([{ name: 'all', parameters: weights, learningRateScale: 1 }], {
      betas: [0.9, 0.999],
      epsilon: 1e-8,
      weightDecay: 0.05,
    });
    let commits = 0;
    const applied = applyUpdate(
      { gradients: new Map([['p', Float32Array.of(gradient)]]), measures: { loss: 2, nll: 3 } },
      {
        policy: { commit: () => void commits++ },
        optimizer,
        learningRate: 0.1,
        number: 7,
        lossScale,
        settings: { clipNorm: null, lossScaling: lossScale && scaling },
      },
    );
    return { applied, commits, weight: weights.get('p')!.data[0], step: optimizer.state().step };
  };

  it('that overflows at a scale changes no parameter and no moment, and lowers the scale', () => {
    expect(update(Infinity, { scale: 8, finite: 2 })).toEqual({
      applied: {
        measures: { loss: null, nll: null, gradient_norm: null, loss_scale: 8, skipped: 1 },
        lossScale: { scale: 4, finite: 0 },
      },
      commits: 0,
      weight: 1,
      step: 0,
    });
  });

  it('that is finite is applied, and reports its scale', () => {
    const { applied, commits, step } = update(2, { scale: 8, finite: 2 });
    expect(applied.measures).toEqual({ gradient_norm: 2, loss_scale: 8, skipped: 0 });
    expect([applied.lossScale, commits, step]).toEqual([{ scale: 16, finite: 0 }, 1, 1]);
  });

  it('without a scale reports only its norm, and is rejected if not finite', () => {
    expect(update(2, null).applied).toEqual({ measures: { gradient_norm: 2 }, lossScale: null });
    expect(() => update(NaN, null)).toThrow('update 7 has loss 2 and gradient norm NaN');
    expect(() => update(NaN, null)).toThrow(/no step has been made yet, so the rate is not at fault/);
    expect(notFiniteRemedy(1)).toBe('lower the learning rate');
  });
});
