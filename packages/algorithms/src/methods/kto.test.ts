import { promptOf, Random } from '@emac/core';
import { bagOfWords, blank } from '@emac/testing';
import { describe, expect, it } from 'vitest';
import { presetSettings } from '../presets.ts';
import { kto } from './kto.ts';
import { judgedBy } from './preference.ts';

const options = presetSettings('tiny', 'kto').preference;
const pairs = ['want-a', 'want-b', 'want-c'].map((text, place) => ({
  prompt: promptOf([blank], text),
  chosen: [' go a', ' take b', ' go c'][place]!,
  rejected: [' take b', ' go c', ' look around twice'][place]!,
}));

const policies = () => [bagOfWords(Random.fromSeed(4)), bagOfWords(Random.fromSeed(5))] as const;
const sum = (values: Float32Array) => values.reduce((total, value) => total + value, 0);

describe('kto', () => {
  it('measures pairs against the mean log-ratio of answers after the next pair’s prompt, at least 0', async () => {
    const [policy, reference] = policies();
    for (const [one, other] of [
      [policy, reference],
      [reference, policy],
    ] as const) {
      const judged = await judgedBy(other, pairs, { ...options, batchSize: 3 });
      const { loss } = await kto(one, options, other).measure(judged);
      let [gap, count] = [0, 0];
      for (const [place, { chosen, rejected }] of pairs.entries())
        for (const answer of [chosen, rejected]) {
          const row = { prompt: pairs[(place + 1) % 3]!.prompt, answers: [answer] };
          const [[now], [before]] = [(await one.score([row]))[0]!, (await other.score([row]))[0]!];
          gap += sum(now!) - sum(before!);
          count++;
        }
      const z = Math.max(0, gap / count);
      let expected = 0;
      for (const { prompt, chosen, rejected } of pairs) {
        const ratioOf = async (answer: string) => {
          const row = { prompt, answers: [answer] };
          return sum((await one.score([row]))[0]![0]!) - sum((await other.score([row]))[0]![0]!);
        };
        const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));
        expected += 1 - sigmoid(0.1 * ((await ratioOf(chosen)) - z));
        expected += 1 - sigmoid(0.1 * (z - (await ratioOf(rejected))));
      }
      expect(loss).toBeCloseTo(expected / 6, 5);
    }
  });

  it('learns from labels as from pairs of the same answers', async () => {
    const [policy, reference] = policies();
    const weighted = { ...options, desirableWeight: 1.5, undesirableWeight: 0.5 };
    const judged = await judgedBy(reference, pairs, { ...options, batchSize: 3 });
    // first all good answers, then all bad ones: the next answer's prompt is another, as among the pairs
    const labelled = [true, false].flatMap((label) =>
      judged.map(({ prompt, chosen, rejected, reference: both }) => {
        const [answer, score] = label ? [chosen, both.chosen] : [rejected, both.rejected];
        return {
          prompt,
          chosen: answer,
          rejected: answer,
          reference: { chosen: score, rejected: score },
          label,
        };
      }),
    );
    const method = kto(policy, weighted, reference);
    const [ofPairs, ofLabels] = [await method.gradient([judged], 1), await method.gradient([labelled], 1)];
    expect(ofLabels.measures.loss).toBeCloseTo(ofPairs.measures.loss, 6);
    for (const [name, values] of ofPairs.gradients)
      values.forEach((value, place) => expect(ofLabels.gradients.get(name)![place]).toBeCloseTo(value, 6));
    for (const name of ['w_reward', 'l_reward'])
      expect(ofLabels.measures[name]).toBeCloseTo(ofPairs.measures[name]!, 5);
    const [first] = ofLabels.microBatches;
    expect(first).toMatchObject({ w_reward: ofLabels.measures['w_reward'] });
    await expect(kto(policy, { ...options, mixRatio: 0.5 }, reference).measure(labelled)).rejects.toThrow(
      '--mix-ratio: must be 0 for completions with a label, got 0.5',
    );
  });

  it('has the gradient of its micro-batches, each with its own reference point', async () => {
    const [policy, reference] = policies();
    const judged = await judgedBy(reference, pairs, { ...options, batchSize: 3 });
    const method = kto(policy, options, reference);
    const [one, other] = [judged.slice(0, 2), judged.slice(1)];
    const both = await method.gradient([one, other], 1);
    const alone = [await method.gradient([one], 1), await method.gradient([other], 1)];
    for (const [name, values] of both.gradients)
      values.forEach((value, place) => {
        const mean = (alone[0]!.gradients.get(name)![place]! + alone[1]!.gradients.get(name)![place]!) / 2;
        expect(value).toBeCloseTo(mean, 6);
      });
  });
});
