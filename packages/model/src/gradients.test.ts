import { rmSync } from 'node:fs';
import {
  parametersOf,
  type AnswerLoss,
  type Arithmetic,
  type GradientRow,
  type Loss,
  type TokenLoss,
  type TokenScores,
} from '@emac/core';
import {
  clippedPolicyLoss,
  imitationLoss,
  numbers,
  preferenceLossOf,
  type PolicyLossOptions,
  type PreferenceOptions,
} from '@emac/losses';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProjectionKind } from './projection/projection-shape.ts';
import {
  largestDifference,
  randomProjection,
  randomPrompt,
  sumOf,
  writeRandomModel,
} from './random-model.test.support.ts';
import { createStudent, type Student } from './student.ts';

const generation = { minLength: 1, maxLength: 12 };
const folder = writeRandomModel();
afterAll(() => rmSync(folder, { recursive: true }));

const imitation: GradientRow[] = [
  { prompt: randomPrompt('abc >', 'one'), answers: [' go'], weight: 0.5 },
  { prompt: randomPrompt('a', 'two'), answers: [' be kind'], weight: 0.2 },
  { prompt: randomPrompt('abc > lo >', 'one'), answers: [''], weight: 0.3 },
];

const preference: GradientRow[] = [
  {
    prompt: randomPrompt('abc >', 'one'),
    answers: [' go', ' fall in'],
    constants: { referenceChosen: -2.5, referenceRejected: -3 },
    weight: 0.75,
  },
  {
    prompt: randomPrompt('ab > kiln 1 >', 'two'),
    answers: [' one', ' no'],
    constants: { referenceChosen: -4, referenceRejected: -2 },
    weight: 0.25,
  },
];
const options = { beta: 0.8, mixRatio: 0.3 };

/** Ids as they are sampled: without an end token at the length limit, or after one. */
const sampled = { 'in time': [5, 18, 6, 2], 'cut off': [7, 7, 9], 'one token': [2] } as const;

/** A policy gradient over tokens, −advantage · log p, and a share of −log p; advantages differ from token to token. */
const policyGradient: TokenLoss = {
  over: 'tokens',
  formula: <T>({ add, multiply, scale }: Arithmetic<T>, { logProbability, constant }: Token<T>) =>
    add(
      scale(multiply(logProbability, constant('advantage')), -1),
      scale(multiply(logProbability, constant('share')), -0.1),
    ),
};
interface Token<T> {
  readonly logProbability: T;
  constant(name: string): T;
}
const played: GradientRow[] = [
  {
    prompt: randomPrompt('abc >', 'one'),
    answers: [sampled['in time']],
    constants: { advantage: [0.5, -1, 2, 0.25], share: 1 },
    weight: 0.4,
  },
  {
    prompt: randomPrompt('ab > kiln 1 >', 'two', 'one'),
    answers: [sampled['cut off']],
    constants: { advantage: Float32Array.of(-0.5, 1, 1), share: 0.5 },
    weight: 0.6,
  },
];

/** PPO's loss with its share of entropy; the bounds are too far for a ratio to cross them while it is shifted. */
const ppo = (credit: PolicyLossOptions['credit']): Loss =>
  clippedPolicyLoss({
    credit,
    clip: { low: 0.9, high: 9 },
    entropyCoefficient: 0.3,
  });
const acted: GradientRow[] = [
  { ...played[0]!, constants: { advantage: 1.5, sampledLogProbability: [-2.5, -3.5, -3, -2.75] } },
  { ...played[1]!, constants: { advantage: -2, sampledLogProbability: -3 } },
];
const actedWhole: GradientRow[] = [
  {
    ...played[0]!,
    constants: { advantage: 1.5, sampledLogProbability: -7.5, factors: [0.25, 0.25, 1, 1] },
  },
  { ...played[1]!, constants: { advantage: -0.5, sampledLogProbability: -6, factors: 0.75 } },
];

/** Three answers compared: relu(1 − (a − b) · lead) + a square of the difference between b and c. */
const ranking: AnswerLoss = {
  over: 'answers',
  answers: 3,
  pooling: 'sum',
  formula: ({ add, subtract, multiply, relu, scale, shift }, { logProbabilities, constant }) => {
    const [a, b, c] = logProbabilities as [
      (typeof logProbabilities)[0],
      (typeof logProbabilities)[0],
      (typeof logProbabilities)[0],
    ];
    const gap = shift(subtract(b, c), -0.5);
    const lead = multiply(subtract(a, b), constant('lead'));
    return add(relu(shift(scale(lead, -1), 1)), scale(multiply(gap, gap), 0.01));
  },
};
const ranked: GradientRow[] = [
  {
    prompt: randomPrompt('abc >', 'one'),
    answers: [sampled['cut off'], ' go', sampled['one token']],
    constants: { lead: 0.1 },
    weight: 1,
  },
  {
    prompt: randomPrompt('go > lo >', 'one', 'two'),
    answers: [' be', sampled['in time'], sampled['cut off']],
    constants: { lead: 0.2 },
    weight: 0.5,
  },
];

/** Σ weight · term in float64, from the graph without gradients, every answer in its own row. */
async function lossOf(student: Student, rows: readonly GradientRow[], loss: Loss): Promise<number> {
  const alone = rows.flatMap(({ prompt, answers }) =>
    answers.map((answer) => ({ prompt, answers: [answer] })),
  );
  const scored = (await student.scoreWithEntropy(alone)).flat();
  return sumOf(
    rows.map((row) => row.weight * sumOf(termsOf(loss, row, scored.splice(0, row.answers.length)))),
  );
}

/** The formula on numbers: for each token, or once. */
function termsOf(loss: Loss, { constants = {} }: GradientRow, scored: readonly TokenScores[]): number[] {
  const numberOf = (name: string, token: number): number => {
    const given = constants[name]!;
    return typeof given === 'number' ? given : given[token]!;
  };
  if (loss.over === 'tokens') {
    const [{ logProbabilities, entropies }] = scored as [TokenScores];
    return Array.from(logProbabilities, (logProbability, token) => {
      const constant = (name: string) => numberOf(name, token);
      return loss.formula(numbers, { logProbability, entropy: entropies[token]!, constant });
    });
  }
  const { pooling } = loss;
  const logProbabilities = scored.map(({ logProbabilities: each }) => {
    if (pooling === 'mean') return sumOf(each) / each.length;
    if (pooling === 'sum') return sumOf(each);
    return each.reduce((sum, value, token) => sum + value * numberOf(pooling.factors, token), 0);
  });
  const entropies = scored.map(({ entropies: each }) => sumOf(each) / each.length);
  return [
    loss.formula(numbers, { logProbabilities, entropies, constant: (name) => constants[name] as number }),
  ];
}

/** Largest |gradient − central difference| over all parameters, relative to the largest difference. */
async function gradientError(
  student: Student,
  gradients: ReadonlyMap<string, Float32Array>,
  loss: () => Promise<number>,
): Promise<number> {
  const step = 2 ** -6;
  let [worst, largest] = [0, 0];
  for (const [name, { data }] of parametersOf(student))
    for (let index = 0; index < data.length; index++) {
      const value = data[index]!;
      const shifted: number[] = [];
      for (const shift of [step, -step]) {
        data[index] = value + shift;
        student.commit();
        shifted.push(await loss());
      }
      data[index] = value;
      const slope = (shifted[0]! - shifted[1]!) / (2 * step);
      largest = Math.max(largest, Math.abs(slope));
      worst = Math.max(worst, Math.abs(slope - gradients.get(name)![index]!));
    }
  student.commit();
  return worst / largest;
}

const open = async (kind: ProjectionKind = 'linear') =>
  createStudent({ model: folder, projection: await randomProjection(kind), generation, threads: 1 });

describe.each<ProjectionKind>(['linear', 'mlp'])(
  'gradients through the frozen language model (%s)',
  (kind) => {
    let student: Student;
    beforeAll(async () => (student = await open(kind)));
    afterAll(() => student.dispose());

    it.each<[string, readonly GradientRow[], Loss]>([
      ['imitation', imitation, imitationLoss],
      ['preferences: DPO with its mix term', preference, preferenceLossOf(options)],
      ['sampled tokens, each with a number of its own', played, policyGradient],
      ["PPO's loss of tokens, with their entropies", acted, ppo('token')],
      ["PPO's loss of answers, tokens with factors, and entropies", actedWhole, ppo('answer')],
      ['three answers, some of them ids, after one picture and two', ranked, ranking],
    ])('of %s match finite differences', async (_, rows, of) => {
      const { loss, gradients } = await student.gradient(rows, of);
      expect(Math.abs(loss - (await lossOf(student, rows, of)))).toBeLessThan(2e-5);
      expect(Math.abs(loss)).toBeGreaterThan(0.5);
      expect([...gradients.keys()]).toEqual([...parametersOf(student).keys()]);
      // PPO's ratio is more curved within a step of the differences
      expect(await gradientError(student, gradients, () => lossOf(student, rows, of))).toBeLessThan(4e-3);
    });
  },
);

describe('the scores returned with a gradient', () => {
  let student: Student;
  beforeAll(async () => (student = await open()));
  afterAll(() => student.dispose());

  it('are the log-probabilities of every token, for a loss of tokens', async () => {
    for (const rows of [imitation, played]) {
      const { logProbabilities } = await student.gradient(
        rows,
        rows === played ? policyGradient : imitationLoss,
      );
      const expected = await student.score(rows);
      expect(logProbabilities.map(({ length }) => length)).toEqual(
        expected.map(([answer]) => answer!.length),
      );
      logProbabilities.forEach((row, index) =>
        expect(largestDifference(row, expected[index]![0]!)).toBeLessThan(1e-5),
      );
    }
  });

  it('are pooled log-probabilities of the answers that share a prompt, as in separate rows', async () => {
    const means = await student.gradient(preference, preferenceLossOf(options));
    const sums = await student.gradient(
      preference,
      preferenceLossOf({ ...options, averageLogProbabilities: false }),
    );
    for (const [row, { prompt, answers }] of preference.entries())
      for (const [place, answer] of answers.entries()) {
        const [[alone]] = (await student.score([{ prompt, answers: [answer] }])) as [[Float32Array]];
        const sum = sumOf(alone);
        expect(Math.abs(sums.logProbabilities[row]![place]! - sum)).toBeLessThan(1e-4);
        expect(Math.abs(means.logProbabilities[row]![place]! - sum / alone.length)).toBeLessThan(1e-5);
      }
  });

  it.each<[string, readonly GradientRow[], Loss, RegExp]>([
    [
      'one answer to a loss of two',
      imitation,
      preferenceLossOf(options),
      /as the loss reads, 2, row 0 has 1/,
    ],
    ['two answers to a loss of tokens', preference, imitationLoss, /as the loss reads, 1, row 0 has 2/],
    [
      'no constant that the loss asks for',
      [preference[0]!, { ...preference[1]!, constants: { referenceChosen: -1 } }],
      preferenceLossOf(options),
      /reads referenceRejected of every row, row 1 gives referenceChosen/,
    ],
    [
      'a list where a loss of answers asks for a number',
      [{ ...preference[0]!, constants: { referenceChosen: [-1], referenceRejected: -1 } }],
      preferenceLossOf(options),
      /constant referenceChosen .* must be one number, row 0 gives a list of 1/,
    ],
    [
      'a list of another length than the answer',
      [played[0]!, { ...played[1]!, constants: { advantage: [1, 2], share: 1 } }],
      policyGradient,
      /constant advantage .* row 1 has 3 tokens and gives 2/,
    ],
  ])('is rejected for rows with %s', async (_, rows, loss, message) => {
    const refused = student.gradient(rows, loss);
    await expect(refused).rejects.toMatchObject({ code: 'internal' });
    await expect(refused).rejects.toThrow(message);
  });
});

describe('preferences', () => {
  let student: Student;
  beforeAll(async () => (student = await open()));
  afterAll(() => student.dispose());

  it.each<Partial<PreferenceOptions>>([
    { loss: 'ipo' },
    { loss: 'hinge', beta: 0.1 },
    { labelSmoothing: 0.2 },
    { referenceFree: true },
    { averageLogProbabilities: false, beta: 0.2 },
  ])('match finite differences of the loss %j', async (given) => {
    const of = preferenceLossOf({ ...options, ...given });
    const { loss, gradients } = await student.gradient(preference, of);
    expect(Math.abs(loss - (await lossOf(student, preference, of)))).toBeLessThan(2e-5);
    expect(await gradientError(student, gradients, () => lossOf(student, preference, of))).toBeLessThan(3e-3);
  });

  it('have rewards of 0 to rounding if the policy is its own reference, without a gradient', async () => {
    const scored = await student.score(preference);
    const judged = preference.map((row, index) => {
      const [referenceChosen, referenceRejected] = scored[index]!.map((each) => sumOf(each) / each.length);
      return {
        ...row,
        constants: { referenceChosen: referenceChosen!, referenceRejected: referenceRejected! },
      };
    });
    const { loss, logProbabilities } = await student.gradient(judged, preferenceLossOf(options));
    judged.forEach(({ constants }, index) => {
      const [chosen, rejected] = logProbabilities[index]!;
      expect(Math.abs(chosen! - constants.referenceChosen)).toBeLessThan(1e-5);
      expect(Math.abs(rejected! - constants.referenceRejected)).toBeLessThan(1e-5);
    });
    // then DPO is ln 2, and the mix term adds −0.3 · log π(chosen); the weights sum to 1
    const mixed = 0.75 * logProbabilities[0]![0]! + 0.25 * logProbabilities[1]![0]!;
    expect(loss).toBeCloseTo(Math.LN2 - 0.3 * mixed, 5);
  });
});
