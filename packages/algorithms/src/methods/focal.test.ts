import { promptOf, Random } from '@emac/core';
import { numbers } from '@emac/losses';
import { bagOfWords, blank } from '@emac/testing';
import { describe, expect, it } from 'vitest';
import { focalImitation, focalLoss } from './focal.ts';
import { imitation } from './imitation.ts';

const constant = () => 0;
const lossAt = (probability: number) =>
  focalLoss.formula(numbers, { logProbability: Math.log(probability), entropy: 0, constant });

describe('focal imitation', () => {
  it("has the paper's loss, in which a known token hardly counts", () => {
    // (1 − p)² · −log p, by hand
    expect(lossAt(0.5)).toBeCloseTo(0.25 * Math.LN2, 12);
    expect(lossAt(0.1)).toBeCloseTo(0.81 * Math.log(10), 12);
    expect(lossAt(1)).toBeCloseTo(0, 12);
  });

  it('has the slope of cloning for unknown tokens, times (1 − p)² − 2p(1 − p)·log p', async () => {
    const policy = bagOfWords(Random.fromSeed(3));
    const sample = { prompt: promptOf([blank], 'want-a'), answer: ' go a' };
    const [[scores]] = (await policy.score([{ prompt: sample.prompt, answers: [sample.answer] }])) as [
      [Float32Array],
    ];
    const slopes = async (method: ReturnType<typeof imitation>) => {
      const { gradients } = await method.gradient([[sample]], 1);
      return [...gradients.values()].flatMap((each) => [...each]);
    };
    const { measures, microBatches } = await focalImitation(policy).gradient([[sample]], 1);
    expect(microBatches[0]!['loss']).toBeCloseTo(measures.loss, 6);
    const [cloned, focal] = [await slopes(imitation(policy)), await slopes(focalImitation(policy))];
    // all of an answer's probability is in its first token: the others are known, and pull at nothing
    const p = Math.exp(scores[0]!);
    const factor = (1 - p) ** 2 - 2 * p * (1 - p) * Math.log(p);
    cloned.forEach((slope, place) => expect(focal[place]).toBeCloseTo(slope * factor, 5));
  });
});
