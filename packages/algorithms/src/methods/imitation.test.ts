import { createImitationBuffer, type ImitationTransition } from '@emac/buffers';
import { promptOf, Random, type GradientRow } from '@emac/core';
import { bagOfWords, blank, fetchTexts } from '@emac/testing';
import { describe, expect, it } from 'vitest';
import { imitationLearner } from './imitation-learner.ts';
import { imitation } from './imitation.ts';
import { drawMicroBatches } from './micro-batches.ts';

const origin = { taskId: 'g', round: 0, episode: 0, step: 0 };
const transition = (text: string, answer: string): ImitationTransition => {
  return { ...origin, prompt: promptOf([blank], text), answer };
};
// 3 label tokens (two words, end) and 4 (three words, end)
const short = transition('want-a', ' go a');
const long = transition('want-b', ' look around twice');
const settings = { selection: { keep: 'all' }, trainOnUnusable: false } as const;

/** A learner over a buffer, with the rows that its policy is given. */
function learning(transitions: readonly ImitationTransition[]) {
  const policy = bagOfWords(Random.fromSeed(3));
  const buffer = createImitationBuffer();
  for (const each of transitions) buffer.append(each);
  const given: (readonly GradientRow[])[] = [];
  const spied: typeof policy = {
    ...policy,
    gradient: (rows, loss) => {
      given.push(rows);
      return policy.gradient(rows, loss);
    },
  };
  const learner = imitationLearner({ method: imitation(spied), buffer, texts: fetchTexts, settings });
  return { given, policy, learner };
}

const drawn = { replacement: true } as const;

/** A generator that draws the wanted pairs of samples. */
function randomThatDraws(wanted: readonly (readonly number[])[]): Random {
  for (let seed = 0; seed < 1000; seed++) {
    const random = Random.fromSeed(seed);
    const draw = { ...drawn, batchSize: wanted[0]!.length, accumulate: wanted.length, random };
    if (JSON.stringify(drawMicroBatches(2, draw)) === JSON.stringify(wanted)) return Random.fromSeed(seed);
  }
  throw new Error('no such seed');
}

/** First both samples, then the second one twice. */
const twoMicroBatches = () => ({
  ...drawn,
  batchSize: 2,
  accumulate: 2,
  random: randomThatDraws([
    [0, 1],
    [1, 1],
  ]),
});

describe('imitationLearner', () => {
  it('weighs a token by the label tokens of its micro-batch, then by the number of micro-batches', async () => {
    const { given, learner } = learning([short, long]);
    await learner.gradient(twoMicroBatches(), 1);
    // first micro-batch: 7 tokens, second: 8; of two. short 1/14; long 1/14 + 1/16 + 1/16
    const [rows] = given;
    const weights = new Map(rows!.map(({ answers, weight }) => [answers[0], weight]));
    expect(weights.get(short.answer)).toBeCloseTo(1 / 14, 12);
    expect(weights.get(long.answer)).toBeCloseTo(1 / 14 + 1 / 8, 12);
    expect(rows).toHaveLength(2);
  });

  it('has the loss that micro-batch by micro-batch token means give', async () => {
    const { policy, learner } = learning([short, long]);
    const { measures } = await learner.gradient(twoMicroBatches(), 1);
    const method = imitation(policy);
    const both = await method.measure([short, long]);
    const onlyLong = await method.measure([long]);
    expect(measures.loss).toBeCloseTo((both.loss + onlyLong.loss) / 2, 6);
  });

  it('hands out the token mean of each micro-batch', async () => {
    const { policy, learner } = learning([short, long]);
    const { microBatches } = await learner.gradient(twoMicroBatches(), 1);
    const method = imitation(policy);
    const means = [await method.measure([short, long]), await method.measure([long])];
    expect(microBatches).toHaveLength(2);
    for (const [place, { loss }] of means.entries())
      expect(microBatches[place]!['loss']).toBeCloseTo(loss, 6);
  });

  it('without replacement draws a micro-batch of distinct transitions, or all of them if there are fewer', () => {
    for (let seed = 0; seed < 20; seed++) {
      const draw = { batchSize: 3, accumulate: 2, random: Random.fromSeed(seed), replacement: false };
      for (const microBatch of drawMicroBatches(5, draw)) expect(new Set(microBatch).size).toBe(3);
      for (const microBatch of drawMicroBatches(2, draw)) expect([...microBatch].sort()).toEqual([0, 1]);
    }
  });

  it('measures nothing without steps to measure by', async () => {
    expect(await learning([]).learner.probe()).toBeNull();
  });

  it('gives the same bits at any power of two', async () => {
    const { given, learner } = learning([short, long]);
    const at = (lossScale: number) =>
      learner.gradient({ ...drawn, batchSize: 4, accumulate: 1, random: Random.fromSeed(0) }, lossScale);
    const [plain, scaled] = [await at(1), await at(1024)];
    expect(scaled.measures.loss).toBeCloseTo(plain.measures.loss, 12);
    expect(scaled.gradients).toEqual(plain.gradients);
    const [before, after] = given.map((rows) => rows.reduce((sum, { weight }) => sum + weight, 0));
    expect(after! / before!).toBeCloseTo(1024, 9);
  });
});

describe('imitation', () => {
  it('is the token mean of −log p, by the answer’s ids as by its text', async () => {
    // without parameters each of seven commands has probability 1/7, all of it in the first token
    const method = imitation(bagOfWords(Random.fromSeed(0), 0));
    const [words, ids] = [
      [short, long],
      // the first command with three tokens, the seventh with four
      [
        { ...short, answer: [0, 0, 7] },
        { ...long, answer: [6, 6, 6, 7] },
      ],
    ];
    for (const samples of [words, ids]) {
      expect((await method.measure(samples!)).loss).toBeCloseTo((2 * Math.log(7)) / 7, 6);
      expect((await method.gradient([samples!], 1)).measures.loss).toBeCloseTo((2 * Math.log(7)) / 7, 6);
    }
  });
});
