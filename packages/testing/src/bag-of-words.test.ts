import { parametersOf, promptOf, Random, type GradientRow, type Loss } from '@emac/core';
import { imitationLoss, preferenceLossOf } from '@emac/losses';
import { describe, expect, it } from 'vitest';
import { bagOfWords, blank, numbersOf, type BagOfWords } from './bag-of-words.ts';

const prompt = (text: string) => promptOf([blank], text);
const question = (text: string) => ({ prompt: prompt(text), allowed: null, random: null });
const greedy = { kind: 'search', beams: 1 } as const;

const pair: GradientRow = {
  prompt: prompt('want-a at-b'),
  answers: [' go a', ' look around twice'],
  weight: 1.3,
  constants: { referenceChosen: -0.3, referenceRejected: -0.9 },
};

/** For two tokens, each with its own constant; only the first one depends on the parameters. */
const weighedTokens: Loss = {
  over: 'tokens',
  formula: (arithmetic, { logProbability, constant }) =>
    arithmetic.multiply(constant('advantage'), arithmetic.multiply(logProbability, logProbability)),
};

const losses: readonly (readonly [string, readonly GradientRow[], Loss])[] = [
  ['imitation', [{ prompt: prompt('want-a'), answers: [' go a'], weight: 0.7 }], imitationLoss],
  ['dpo over means of tokens', [pair], preferenceLossOf({ beta: 0.4, mixRatio: 0.5 })],
  [
    'hinge over sums of tokens',
    [pair],
    preferenceLossOf({ beta: 0.4, mixRatio: 0, loss: 'hinge', averageLogProbabilities: false }),
  ],
  [
    'constants of single tokens, in two rows',
    [
      { ...pair, answers: [' take b'], constants: { advantage: [2, 9, 9] } },
      { ...pair, answers: [[6, 7]], constants: { advantage: -0.5 } },
    ],
    weighedTokens,
  ],
];

/** The loss's slope in one parameter, by the symmetric difference over 0.02. */
async function slopeOf(policy: BagOfWords, data: Float32Array, index: number, loss: () => Promise<number>) {
  const found: number[] = [];
  for (const shift of [0.01, -0.02]) {
    data[index]! += shift;
    policy.commit();
    found.push(await loss());
  }
  data[index]! += 0.01;
  policy.commit();
  return (found[0]! - found[1]!) / 0.02;
}

describe('bagOfWords', () => {
  it.each(losses)('matches finite differences: %s', async (_name, rows, loss) => {
    const policy = bagOfWords(Random.fromSeed(5));
    const { gradients } = await policy.gradient(rows, loss);
    const value = async () => (await policy.gradient(rows, loss)).loss;
    let steepest = 0;
    for (const [name, { data }] of parametersOf(policy))
      for (const index of data.keys()) {
        const slope = await slopeOf(policy, data, index, value);
        // the difference's error is a sixth of the third derivative times 0.01², here below 2e-4
        expect(Math.abs(gradients.get(name)![index]! - slope)).toBeLessThan(2e-4);
        steepest = Math.max(steepest, Math.abs(slope));
      }
    expect(steepest).toBeGreaterThan(0.01);
  });

  it('scores seven commands whose probabilities sum to 1, all in the first token', async () => {
    const policy = bagOfWords(Random.fromSeed(1));
    // seven commands, each with its id, and the end
    const answers = [0, 1, 2, 3, 4, 5, 6].map((command) => [command, 7]);
    const [scores] = await policy.score([{ prompt: prompt('want-a'), answers }]);
    const total = scores!.reduce((sum, [first]) => sum + Math.exp(first!), 0);
    expect(total).toBeCloseTo(1, 6);
    expect(scores!.map(([, end]) => end)).toEqual([0, 0, 0, 0, 0, 0, 0]);
    const [[words] = []] = await policy.score([{ prompt: prompt('want-a'), answers: [' take b'] }]);
    // two words and the end; `take b` is the fifth command
    expect([words!.length, words![0]]).toEqual([3, scores![4]![0]]);
    expect(policy.countAnswerTokens(' take b')).toBe(3);
  });

  it('answers with the most likely command, and scores it as it answered', async () => {
    const policy = bagOfWords(Random.fromSeed(1));
    const [answer] = await policy.decide([question('want-b')], greedy);
    const [[said] = []] = await policy.score([{ prompt: prompt('want-b'), answers: [answer!.tokens] }]);
    expect([...said!]).toEqual(answer!.logProbabilities.map(Math.fround));
    const all = [0, 1, 2, 3, 4, 5, 6].map((command) => [command]);
    const [scores] = await policy.score([{ prompt: prompt('want-b'), answers: all }]);
    expect(Math.max(...scores!.map(([first]) => first!))).toBe(said![0]);
  });

  it('uses committed parameters, and runs its network with other, fixed parameters', async () => {
    const policy = bagOfWords(Random.fromSeed(1));
    const row = { prompt: prompt('want-b'), answers: [[2, 7]] };
    const scoreOf = async (scorer: Pick<BagOfWords, 'score'>) => (await scorer.score([row]))[0]![0]![0]!;
    const before = await scoreOf(policy);
    const kept = policy.under(parametersOf(policy));
    parametersOf(policy).get('bias')!.data[2]! += 1;
    expect(await scoreOf(policy)).toBe(before);
    policy.commit();
    expect(await scoreOf(policy)).toBeGreaterThan(before);
    expect(await scoreOf(kept)).toBe(before);
    expect(numbersOf(policy).map(({ length }) => length)).toEqual([49, 7]);
  });
});
