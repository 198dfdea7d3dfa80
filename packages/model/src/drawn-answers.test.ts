import { rmSync } from 'node:fs';
import {
  parametersOf,
  Random,
  type Answer,
  type GradientRow,
  type Prompt,
  type Question,
  type Sampling,
} from '@emac/core';
import { imitationLoss } from '@emac/losses';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  alphabet,
  largestDifference,
  randomAdapter,
  randomProjection,
  randomPrompt,
  writeRandomModel,
} from './random-model.test.support.ts';
import { createStudent, type Student, type StudentOptions } from './student.ts';

const folder = writeRandomModel();
afterAll(() => rmSync(folder, { recursive: true }));

async function open(options: Partial<StudentOptions> = {}): Promise<Student> {
  const generation = { minLength: 1, maxLength: 12 };
  return createStudent({
    model: folder,
    generation,
    threads: 1,
    ...options,
    projection: await randomProjection(),
  });
}

type Sample = Extract<Sampling, { kind: 'sample' }>;

/** Questions whose neighbours may have equal prompts, each with its own seed. */
function questionsOf(prompts: readonly Prompt[], seed: number, more: Partial<Question> = {}): Question[] {
  const random = (place: number) => Random.fromSeed(seed).stream(place);
  return prompts.map((prompt, place) => ({ prompt, allowed: null, random: random(place), ...more }));
}

const policies = [
  ['a projection alone', null],
  ['an adapter that drops in training', randomAdapter(folder, { dropout: 0.5 })],
] as const;

describe.each(policies)('answers sampled with %s', (_, adapter) => {
  let student: Student;
  beforeAll(async () => (student = await open({ adapter })));
  afterAll(() => student.dispose());

  const text = fc.string({ unit: fc.constantFrom(...alphabet), maxLength: 20 });
  const prompts = fc
    .array(fc.tuple(text, fc.subarray(['a', 'b'], { minLength: 1 }), fc.integer({ min: 1, max: 3 })), {
      minLength: 1,
      maxLength: 3,
    })
    // every prompt up to three times
    .map((each) =>
      each.flatMap(([words, pictures, times]) => Array<Prompt>(times).fill(randomPrompt(words, ...pictures))),
    );
  const sampling: fc.Arbitrary<Sample> = fc
    .record({
      temperature: fc.constantFrom(0.2, 0.7, 1, 1.7),
      topP: fc.constantFrom(0.5, 1),
      topK: fc.constantFrom(undefined, 1, 4),
      over: fc.constantFrom('all' as const, 'allowed' as const),
    })
    .map(({ topK, ...each }) => ({ kind: 'sample', ...each, ...(topK !== undefined && { topK }) }));
  const allowed = fc.constantFrom(null, ['go ab', 'cabog', 'ababa']);

  /** |new / old − 1| of every token, and the difference in entropy. */
  const differences = async (
    asked: readonly Question[],
    answers: readonly Answer[],
    { temperature, over }: Sample,
  ) => {
    const rows = answers.map(({ tokens, possible }, place) => {
      const { prompt, allowed } = asked[place]!;
      expect(possible !== undefined).toBe(over === 'allowed' && allowed !== null);
      return {
        prompt,
        answers: [tokens],
        temperature,
        weight: 1,
        ...(possible && { possible: [possible] }),
      };
    });
    const scored = await student.scoreWithEntropy(rows);
    const plain = await student.score(rows);
    const { logProbabilities } = await student.gradient(rows, imitationLoss);
    return answers.flatMap((answer, place) => {
      const [{ logProbabilities: again, entropies }] = scored[place] as [(typeof scored)[number][number]];
      expect(answer.entropies).toHaveLength(answer.tokens.length);
      return [again, plain[place]![0]!, logProbabilities[place]!]
        .flatMap((found) =>
          answer.logProbabilities.map((old, token) => Math.abs(Math.exp(found[token]! - old) - 1)),
        )
        .concat(largestDifference(entropies, answer.entropies!));
    });
  };

  it('are scored as they were sampled: the ratio before an update is 1 for every token, batched or not', () =>
    fc.assert(
      fc.asyncProperty(prompts, sampling, allowed, fc.nat(), async (each, way, list, seed) => {
        const asked = () => questionsOf(each, seed, { allowed: list });
        const together = await student.decide(asked(), way);
        expect(Math.max(...(await differences(asked(), together, way)))).toBeLessThan(1e-4);
        // a generator gives the same answer, whatever else is in the batch
        const place = seed % each.length;
        const [alone] = await student.decide([asked()[place]!], way);
        expect(together[place]!.tokens).toEqual(alone!.tokens);
        expect(largestDifference(together[place]!.logProbabilities, alone!.logProbabilities)).toBeLessThan(
          1e-4,
        );
      }),
      { numRuns: 25 },
    ));

  it('report the distribution at the temperature, without truncation and lists', async () => {
    const asked = () => questionsOf(Array<Prompt>(8).fill(randomPrompt('ab >', 'a')), 3);
    // truncation to one token makes the answer certain, yet the reported probability is the model's
    const [greedy] = await student.decide([{ ...asked()[0]!, random: null }], { kind: 'search', beams: 1 });
    for (const temperature of [0.5, 2]) {
      const way = { kind: 'sample', temperature, topP: 1, topK: 1 } as const;
      const [first] = await student.decide(asked(), way);
      expect(first!.tokens).toEqual(greedy!.tokens);
      const [row] = await student.scoreWithEntropy([
        { prompt: asked()[0]!.prompt, answers: [first!.tokens], temperature },
      ]);
      expect(first!.logProbabilities[0]).toBeCloseTo(row![0]!.logProbabilities[0]!, 5);
      const sharper = first!.logProbabilities[0]! > greedy!.logProbabilities[0]!;
      expect(sharper).toBe(temperature < 1);
    }
  });

  it('among a list have probabilities that sum to 1, whatever is said first', async () => {
    const list = ['go ab', 'go', 'cabog', 'ababa', 'ab'];
    const prompt = randomPrompt('ab >', 'a');
    const answers = await student.decide(questionsOf(Array<Prompt>(200).fill(prompt), 4, { allowed: list }), {
      kind: 'sample',
      temperature: 1.3,
      topP: 1,
      over: 'allowed',
    });
    const probabilityOf = (each: readonly number[]) => Math.exp(each.reduce((sum, one) => sum + one, 0));
    const said = new Map(answers.map((each) => [each.text.trim(), each]));
    expect([...said.keys()].sort()).toEqual([...list].sort());
    const sum = (of: readonly number[]) => of.reduce((total, each) => total + each, 0);
    expect(sum([...said.values()].map((each) => probabilityOf(each.logProbabilities)))).toBeCloseTo(1, 5);
    const tokens = [...said.values()].map((each) => each.tokens);
    const possible = [...said.values()].map((each) => each.possible!);
    const [scored] = await student.score([{ prompt, answers: tokens, temperature: 1.3, possible }]);
    expect(sum(scored!.map((each) => probabilityOf([...each])))).toBeCloseTo(1, 5);
    // a token without an alternative is certain
    const certain = tokens.map((each) => each.map((token) => [token]));
    const [sure] = await student.score([{ prompt, answers: tokens, possible: certain }]);
    expect(Math.max(...sure!.flatMap((each) => [...each].map(Math.abs)))).toBeLessThan(1e-6);
  });

  it('of equal prompts differ as their generators do', async () => {
    const asked = questionsOf(Array<Prompt>(12).fill(randomPrompt('go >', 'a')), 5);
    const answers = await student.decide(asked, { kind: 'sample', temperature: 1.5, topP: 1 });
    expect(new Set(answers.map(({ text: said }) => said)).size).toBeGreaterThan(3);
  });

  it.each([
    { kind: 'sample', temperature: 1.5, topP: 1 },
    { kind: 'search', beams: 1 },
    { kind: 'search', beams: 3 },
  ] as const)('end at a stop text, and their text excludes it: %j', async (way) => {
    const student = await open({ adapter, generation: { minLength: 6, maxLength: 12 } });
    const asked = questionsOf(
      [1, 2, 3, 4].flatMap(() => [randomPrompt('ab >', 'a')]),
      9,
    );
    const whole = await student.decide(asked, way);
    const stop = whole[0]!.text.slice(2, 4);
    expect(stop).toHaveLength(2);
    const again = questionsOf(
      asked.map(({ prompt }) => prompt),
      9,
      { stop: ['no such text', stop] },
    );
    const answers = await student.decide(again, way);
    answers.forEach(({ text: said, tokens, logProbabilities }) => {
      expect(said).not.toContain(stop);
      expect(logProbabilities).toHaveLength(tokens.length);
    });
    await student.dispose();
    // another beam may win
    if (way.kind === 'search' && way.beams > 1) return;
    // the same tokens are chosen as without the stop text, up to the token that completes it
    answers.forEach(({ text: said, tokens }, place) => {
      const { text: before, tokens: all } = whole[place]!;
      const end = before.indexOf(stop);
      expect(said).toBe(end < 0 ? before : before.slice(0, end));
      expect(tokens).toEqual(all.slice(0, tokens.length));
      const left = student.tokenTexts(tokens).join('');
      expect(left.includes(stop)).toBe(end >= 0);
      expect(student.tokenTexts(tokens.slice(0, -1)).join('')).not.toContain(stop);
    });
  });
});

it('rejects a stop text that is empty', async () => {
  const student = await open();
  const asked = questionsOf([randomPrompt('a', 'a')], 1, { stop: [''] });
  const refusal = { code: 'usage', message: expect.stringMatching(/must not be empty/) as string };
  await expect(student.decide(asked, { kind: 'search', beams: 1 })).rejects.toMatchObject(refusal);
  await student.dispose();
});

describe('a row with a temperature', () => {
  const row: GradientRow = {
    prompt: randomPrompt('abc >', 'one'),
    answers: [[5, 18, 6, 2]],
    temperature: 0.4,
    weight: 1,
  };
  const other: GradientRow = { ...row, prompt: randomPrompt('a >', 'two'), temperature: 3, weight: 0.5 };
  const chosen: GradientRow = { ...other, answers: [[5, 18, 2]], possible: [[[3, 5, 9], [18, 2], [2]]] };

  it.each([
    [null, [row, other], 'resident'],
    [randomAdapter(folder), [row, other], 'resident'],
    [randomAdapter(folder), [row, chosen], 'resident'],
    [randomAdapter(folder), [chosen], 'streamed'],
  ] as const)('matches finite differences', async (adapter, rows, layers) => {
    const student = await open({
      adapter,
      train: adapter ? ['projection', 'adapter'] : ['projection'],
      layers,
    });
    const loss = async () => (await student.gradient(rows, imitationLoss)).loss;
    const { gradients } = await student.gradient(rows, imitationLoss);
    for (const [name, { data }] of parametersOf(student)) {
      const random = Random.fromSeed(name);
      const direction = Float32Array.from(data, () => random.normal());
      const along = async (step: number): Promise<number> => {
        data.forEach((value, place) => (data[place] = value + step * direction[place]!));
        student.commit();
        return loss();
      };
      const width = 2 ** -9;
      const slope = ((await along(width)) - (await along(-2 * width))) / (2 * width);
      await along(width);
      const expected = direction.reduce((sum, each, place) => sum + each * gradients.get(name)![place]!, 0);
      expect(Math.abs(slope - expected)).toBeLessThan(0.01 * Math.abs(expected));
    }
    await student.dispose();
  });

  it('shares a sequence with rows of other temperatures, and gets the same scores without sharing', async () => {
    const [shared, apart] = [await open(), await open({ savings: 'none' })];
    const prompt = randomPrompt('ab >', 'a');
    const rows = [0.3, 1, 2.5].map((temperature) => ({ prompt, answers: [' go', [5, 6]], temperature }));
    const found = await shared.scoreWithEntropy(rows);
    (await apart.scoreWithEntropy(rows)).forEach((answers, row) =>
      answers.forEach(({ logProbabilities, entropies }, answer) => {
        expect(largestDifference(logProbabilities, found[row]![answer]!.logProbabilities)).toBeLessThan(1e-5);
        expect(largestDifference(entropies, found[row]![answer]!.entropies)).toBeLessThan(1e-5);
      }),
    );
    // a lower temperature gives lower entropy
    const first = found.map(([answer]) => answer!.entropies[0]!);
    expect(first).toEqual([...first].sort((a, b) => a - b));
    await Promise.all([shared.dispose(), apart.dispose()]);
  });

  it.each([0, -1, NaN, Infinity])('is rejected for %j', async (temperature) => {
    const student = await open();
    const rows = [{ prompt: randomPrompt('a', 'a'), answers: ['a'], temperature, weight: 1 }];
    const refusal = {
      code: 'usage',
      message: expect.stringMatching(/temperature must be at least 0.000001/) as string,
    };
    await expect(student.score(rows)).rejects.toMatchObject(refusal);
    await expect(student.scoreWithEntropy(rows)).rejects.toMatchObject(refusal);
    await expect(student.gradient(rows, imitationLoss)).rejects.toMatchObject(refusal);
    await student.dispose();
  });
});
