import { createImitationBuffer, type ImitationTransition } from '@emac/buffers';
import { Random, type ImitationRow } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { bagOfWordsStudent, blank } from './bag-of-words.test.fixture.ts';
import { imitationLearner, tokenMean } from './imitation.ts';
import { drawMicroBatches } from './micro-batches.ts';
import { texts } from './small-world.test.fixture.ts';

const features = blank;
const origin = { gameId: 'g', round: 0, episode: 0, step: 0, featuresKey: blank.key };
// 3 label tokens (two words, end) and 4 (three words, end)
const short: ImitationTransition = { ...origin, text: 'want-a', target: ' go a' };
const long: ImitationTransition = { ...origin, text: 'want-b', target: ' look around twice' };
const settings = { selection: { keep: 'all' }, trainOnUnusable: false } as const;

function learning(transitions: ImitationTransition[]) {
  const student = bagOfWordsStudent(Random.fromSeed(3));
  const buffer = createImitationBuffer();
  for (const transition of transitions) buffer.append(transition, blank);
  const rows: ImitationRow[] = [];
  const spied = {
    ...student,
    imitationGradient: (given: readonly ImitationRow[]) => {
      rows.push(...given);
      return student.imitationGradient(given);
    },
  };
  return {
    rows,
    student,
    learner: imitationLearner({ student: spied, buffer, texts, settings }),
  };
}

/** A generator whose draws of two samples come out as wanted. */
function randomThatDraws(wanted: readonly (readonly number[])[]): Random {
  for (let seed = 0; seed < 1000; seed++) {
    const draw = { batchSize: wanted[0]!.length, accumulate: wanted.length, random: Random.fromSeed(seed) };
    if (JSON.stringify(drawMicroBatches(2, draw)) === JSON.stringify(wanted)) return Random.fromSeed(seed);
  }
  throw new Error('no such seed');
}

describe('imitationLearner', () => {
  it('weighs a token by the label tokens of its micro-batch, then by the number of micro-batches', async () => {
    const { rows, learner } = learning([short, long]);
    const random = randomThatDraws([
      [0, 1],
      [1, 1],
    ]);
    await learner.gradient({ batchSize: 2, accumulate: 2, random });
    // first micro-batch: 7 tokens, second: 8; of two. short 1/14; long 1/14 + 1/16 + 1/16
    const weights = new Map(rows.map(({ target, weight }) => [target, weight]));
    expect(weights.get(short.target)).toBeCloseTo(1 / 14, 12);
    expect(weights.get(long.target)).toBeCloseTo(1 / 14 + 1 / 8, 12);
    expect(rows).toHaveLength(2);
  });

  it('has the loss that micro-batch by micro-batch token means give', async () => {
    const { student, learner } = learning([short, long]);
    const random = randomThatDraws([
      [0, 1],
      [1, 1],
    ]);
    const { measures } = await learner.gradient({ batchSize: 2, accumulate: 2, random });
    const both = await tokenMean(
      student,
      [short, long].map((row) => ({ ...row, features })),
    );
    const onlyLong = await tokenMean(student, [{ ...long, features }]);
    expect(measures.loss).toBeCloseTo((both + onlyLong) / 2, 10);
  });

  it('without replacement draws a micro-batch of distinct transitions, all of them where there are no more', () => {
    for (let seed = 0; seed < 20; seed++) {
      const draw = { batchSize: 3, accumulate: 2, random: Random.fromSeed(seed), replacement: false };
      for (const microBatch of drawMicroBatches(5, draw)) expect(new Set(microBatch).size).toBe(3);
      for (const microBatch of drawMicroBatches(2, draw)) expect([...microBatch].sort()).toEqual([0, 1]);
    }
  });

  it('measures nothing without a yardstick', async () => {
    expect(await learning([]).learner.probe()).toBeNull();
  });
});

describe('bagOfWordsStudent', () => {
  it('has the gradients that finite differences show, so that tests with it mean something', async () => {
    const student = bagOfWordsStudent(Random.fromSeed(5));
    const imitation = async () => student.imitationGradient([{ ...short, features, weight: 0.7 }]);
    const pair = { features, text: 'want-a at-b', chosen: ' go a', rejected: ' look around twice' };
    const row = { ...pair, referenceChosen: -0.3, referenceRejected: -0.9, weight: 1.3 };
    const preference = async () => student.preferenceGradient([row], { beta: 0.4, mixRatio: 0.5 });
    for (const compute of [imitation, preference])
      for (const [name, { data }] of student.parameters())
        for (const index of [0, 6]) {
          const { gradients } = await compute();
          const losses: number[] = [];
          for (const shift of [0.01, -0.02]) {
            data[index]! += shift;
            student.commit();
            losses.push((await compute()).loss);
          }
          data[index]! += 0.01;
          student.commit();
          expect(gradients.get(name)![index]).toBeCloseTo((losses[0]! - losses[1]!) / 0.02, 4);
        }
  });
});
