/** The loop with scaled losses: an overflow costs its update and nothing else. */
import type { Transition } from '@emac/buffers';
import { numbersOf, type BagOfWords } from '@emac/testing';
import { describe, expect, it } from 'vitest';
import type { StoredCheckpoint } from './dagger-state.ts';
import { beginner, knowing, ofKind, setParameters, trainSmall } from './small-runs.test.support.ts';

const lossScaling = { start: 4, growth: 2, backoff: 0.5, interval: 5 } as const;

/** A policy whose gradient overflows in its third update. */
function overflowing(): BagOfWords {
  const policy = beginner();
  let calls = 0;
  return {
    ...policy,
    gradient: async (rows, loss) => {
      const found = await policy.gradient(rows, loss);
      if (++calls === 3) found.gradients.get('bias')![0] = Infinity;
      return found;
    },
  };
}

describe('dagger with scaled losses', () => {
  it('skips and reports an overflowing update, and halves the loss scale', async () => {
    const { lines, state } = await trainSmall({ policy: overflowing(), optimization: { lossScaling } });
    const updates = ofKind(lines, 'update');
    expect(updates.slice(0, 9).map(({ skipped, loss_scale: scale }) => [skipped, scale])).toEqual([
      ...[0, 0, 1].map((skipped) => [skipped, 4]),
      ...[0, 0, 0, 0, 0].map((skipped) => [skipped, 2]),
      [0, 4],
    ]);
    expect(updates[2]).toMatchObject({ loss: null, gradient_norm: null, update: 2 });
    expect(updates.at(-1)!['update']).toBe(updates.length - 1);
    expect(state.lossScale!.scale).toBeGreaterThan(2);
  });

  it('without an overflow ends in the very weights of unscaled ones', async () => {
    const [plain, scaled] = [await trainSmall(), await trainSmall({ optimization: { lossScaling } })];
    expect(numbersOf(scaled.policy)).toEqual(numbersOf(plain.policy));
  });

  it('resumes from a checkpoint with its loss scale', async () => {
    const moments: [StoredCheckpoint, number[][], readonly Transition[]][] = [];
    const policy = overflowing();
    const optimization = { lossScaling };
    const whole = await trainSmall({
      policy,
      optimization,
      checkpoint: (at, transitions) =>
        void moments.push([structuredClone(at), numbersOf(policy), structuredClone(transitions)]),
    });
    // the second checkpoint is the first one after the overflow
    const [resume, parameters, transitions] = moments[1]!;
    expect(resume.state.lossScale).toEqual({ scale: 2, finite: 2 });
    const again = knowing();
    setParameters(again, parameters);
    const continued = await trainSmall({ policy: again, transitions, optimization, run: { resume } });
    expect(continued.state.lossScale).toEqual(whole.state.lossScale);
    expect(numbersOf(continued.policy)).toEqual(numbersOf(whole.policy));
  });
});
