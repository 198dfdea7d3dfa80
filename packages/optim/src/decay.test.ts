import { expect, it } from 'vitest';
import { decayShare } from './decay.ts';

it('falls linearly, as a cosine, or not at all, and stays at its last value', () => {
  const shares = (schedule: 'constant' | 'linear' | 'cosine') =>
    [0, 1, 2, 4, 9].map((update) => decayShare({ schedule, finalShare: 0.2, length: 4 }, update));
  expect(shares('constant')).toEqual([1, 1, 1, 1, 1]);
  // 1 − 0.8 · {0, ¼, ½, 1}
  [1, 0.8, 0.6, 0.2, 0.2].forEach((share, place) => expect(shares('linear')[place]).toBeCloseTo(share, 12));
  // 0.2 + 0.4 · (1 + cos{0, π/4, π/2, π})
  [1, 0.882842712, 0.6, 0.2, 0.2].forEach((share, place) =>
    expect(shares('cosine')[place]).toBeCloseTo(share, 9),
  );
});

it('equals RL4VLM’s PyTorch schedule within its length: 1e-5 → 1e-9 in 25 updates', () => {
  // CosineAnnealingLR(T_max=25, eta_min=1e-9): η = 1e-9 + (1e-5 − 1e-9)(1 + cos(π·10/25))/2 = 6.54543046e-6
  const share = decayShare({ schedule: 'cosine', finalShare: 1e-4, length: 25 }, 10);
  expect(share).toBeCloseTo(0.654543046, 8);
});

it('rejects an invalid share or length', () => {
  expect(() => decayShare({ schedule: 'linear', finalShare: 2, length: 4 }, 0)).toThrow('got 2 and 4');
  expect(() => decayShare({ schedule: 'linear', finalShare: 0, length: 0 }, 0)).toThrow('got 0 and 0');
});
