/** A loss restored from JSON computes the same: the same steps with the same numbers. */
import type { AnswerLoss, Loss, TokenLoss } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { clippedPolicyLoss } from './clipped-policy.ts';
import { valueTerm } from './derivatives.ts';
import { grpoLoss } from './grpo.ts';
import { imitationLoss } from './imitation.ts';
import { lossOf, programmedValueLoss, programOf, type LossProgram } from './loss-program.ts';
import { numbers } from './numbers.ts';
import { preferenceLossOf } from './preference-loss.ts';
import { traceLoss } from './trace.ts';
import { valueLossOf } from './value-loss.ts';
import { variants } from './variants.test.support.ts';
import { weightedImitationLoss } from './weighted-imitation.ts';

const clip = { low: 0.2, high: 0.3 };

const losses: readonly (readonly [string, Loss])[] = [
  ['imitation', imitationLoss],
  ...variants.map(([name, options]) => [name, preferenceLossOf({ ...options, beta: 0.3 })] as const),
  ['sums', preferenceLossOf({ beta: 0.1, mixRatio: 0.5, averageLogProbabilities: false })],
  ...(['token', 'answer'] as const).flatMap((credit) => [
    [`PPO, ${credit}`, clippedPolicyLoss({ credit, clip, entropyCoefficient: 0.01 })] as const,
    [`RLEF, ${credit}`, weightedImitationLoss({ credit, entropyCoefficient: 0 })] as const,
  ]),
  ['GRPO', grpoLoss({ clip: null, beta: 0 })],
  ['GRPO with a reference', grpoLoss({ clip, beta: 0.04 })],
];

const sent = (loss: Loss): Loss => lossOf(JSON.parse(JSON.stringify(programOf(loss))) as LossProgram);

describe('a loss as data', () => {
  it.each(losses)('%s: is restored unchanged', (_, loss) => {
    const back = sent(loss);
    const { formula: _own, ...own } = loss;
    const { formula: _other, ...other } = back;
    expect(other).toEqual(own);
    expect(traceLoss(back)).toEqual(traceLoss(loss));
  });

  it('computes the same after restoring: DPO of one pair', () => {
    const back = sent(preferenceLossOf({ beta: 0.1, mixRatio: 0.5 })) as AnswerLoss;
    const constants: Record<string, number> = { referenceChosen: -1.4, referenceRejected: -2.1 };
    const row = {
      logProbabilities: [-1.2, -2.5],
      entropies: [],
      constant: (name: string) => constants[name]!,
    };
    // h = 1.3 − 0.7 = 0.6: ln(1 + e^(−0.06)) = 0.663597 and half of 1.2
    expect(back.formula(numbers, row)).toBeCloseTo(0.663597 + 0.6, 6);
  });

  it('is also restored for values: half the squared error, and PPO’s clipped one', () => {
    const back = (clip: number | null) => {
      const program = JSON.parse(JSON.stringify(programOf(valueLossOf({ clip })))) as LossProgram;
      return programmedValueLoss(program);
    };
    for (const clip of [null, 0.2]) expect(traceLoss(back(clip))).toEqual(traceLoss(valueLossOf({ clip })));
    const constants: Record<string, number> = { return: 1, sampledValue: 0 };
    const term = (clip: number | null) => valueTerm(back(clip), 0.5, (name) => constants[name]!);
    // ½ (0.5 − 1)², slope −0.5; clipped, the value may move to 0.2 and no further: ½ (0.2 − 1)²
    expect(term(null)).toEqual({ loss: 0.125, slope: -0.5 });
    expect(term(0.2).loss).toBeCloseTo(0.32, 12);
    expect(term(0.2).slope).toBeCloseTo(0, 12);
  });

  it('reads entropies as often as the formula, and constants once', () => {
    const twice: AnswerLoss = {
      over: 'answers',
      answers: 2,
      pooling: 'mean',
      formula: ({ add, scale }, row) =>
        add(scale(add(row.entropies[1]!, row.entropies[0]!), 2), add(row.constant('a'), row.constant('a'))),
    };
    const token: TokenLoss = { over: 'tokens', formula: ({ add }, row) => add(row.entropy, row.entropy) };
    for (const loss of [twice, token]) expect(traceLoss(sent(loss))).toEqual(traceLoss(loss));
  });
});
