import { rmSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { beamSearch, defaultSearch, openModelFiles, type NextLogits } from '@emac/backbone';
import {
  parametersOf,
  promptOf,
  Random,
  type Answer,
  type GradientRow,
  type Parameter,
  type Policy,
  type Prompt,
  type Scorer,
  type Question,
} from '@emac/core';
import { float16ToFloat32, float32ToFloat16 } from '@emac/files';
import { createSession, type Session } from '@emac/graph';
import { imitationLoss, preferenceLossOf, type PreferenceOptions } from '@emac/losses';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { maxTextTokens } from './generation-settings.ts';
import { createProjection } from './projection/projection.ts';
import type { ProjectionKind } from './projection/projection-shape.ts';
import {
  alphabet,
  largestDifference,
  openQuestion,
  randomFeatures,
  randomFrame,
  randomProjection,
  randomPrompt,
  sizes,
  sumOf,
  vocabulary,
  writeRandomModel,
} from './random-model.test.support.ts';
import { logProbabilityNetwork, wholeGraph } from './rows/row-graphs.ts';
import { packRows } from './rows/rows.ts';
import { createStudent, type FixedPolicy, type Student, type StudentOptions } from './student.ts';
import { loadTensorflow } from './projection/tensorflow.ts';

const folder = writeRandomModel();
afterAll(() => rmSync(folder, { recursive: true }));
const generation = { minLength: 1, maxLength: 12 };
const threeBeams = { kind: 'search', beams: 3 } as const;

async function open(options: Partial<StudentOptions> = {}): Promise<Student> {
  const projection = options.projection ?? (await randomProjection());
  return createStudent({ model: folder, generation, threads: 1, ...options, projection });
}

describe('rows of a student', () => {
  let together: Student;
  let apart: Student;
  beforeAll(async () => {
    together = await open();
    // no two rows fit one run
    apart = await open({ positionsPerRun: 1 });
  });
  afterAll(() => Promise.all([together.dispose(), apart.dispose()]));

  const text = (maxLength: number) => fc.string({ unit: fc.constantFrom(...alphabet), maxLength });
  const seeds = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 2 });
  const ids = fc.array(fc.integer({ min: 0, max: vocabulary - 1 }), { minLength: 1, maxLength: 9 });
  const row = fc.record({
    prompt: fc.tuple(text(20), seeds).map(([text, seeds]) => randomPrompt(text, ...seeds)),
    answers: fc.tuple(fc.oneof(text(10), ids)),
    weight: fc.float({ min: Math.fround(0.1), max: 1, noNaN: true }),
  });

  it('give the same numbers in any batch, order and padding', () =>
    fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 5 }), fc.nat(), async (rows, seed) => {
        // one row twice, in another order
        const more = Random.fromSeed(seed).shuffle([...rows, rows[0]!]);
        const alone = await apart.score(more);
        const packed = await together.score(more);
        packed.forEach(([answer], row) =>
          expect(largestDifference(answer!, alone[row]![0]!)).toBeLessThan(1e-5),
        );
        const one = await apart.gradient(more, imitationLoss);
        const other = await together.gradient(more, imitationLoss);
        expect(Math.abs(one.loss - other.loss)).toBeLessThan(1e-5 * more.length);
        for (const [name, gradient] of one.gradients)
          expect(largestDifference(gradient, other.gradients.get(name)!)).toBeLessThan(2e-5);
      }),
      { numRuns: 15 },
    ));

  it('weigh a repeated row like one of double weight', async () => {
    const once: GradientRow = { prompt: randomPrompt('ab >', 'a'), answers: [' go'], weight: 0.5 };
    const twice = await together.gradient([once, once], imitationLoss);
    const double = await together.gradient([{ ...once, weight: 1 }], imitationLoss);
    expect(twice.loss).toBeCloseTo(double.loss, 5);
    for (const [name, gradient] of twice.gradients)
      expect(largestDifference(gradient, double.gradients.get(name)!)).toBeLessThan(1e-5);
  });

  it('count the end token, and truncate texts at the longest answer', async () => {
    // characters are tokens: ' go' and the end token
    expect(together.countAnswerTokens(' go')).toBe(4);
    expect(together.countAnswerTokens('')).toBe(1);
    expect(together.countAnswerTokens('abcdefghijk')).toBe(12);
    expect(together.countAnswerTokens('abcdefghijkl')).toBe(12);
    // begin token and four characters
    expect(together.countPromptTokens('ab >')).toBe(5);
    const answers = ['abcdefghijkl', 'abcdefghijklmno', 'abcdefghijk'];
    const [found] = await together.score([{ prompt: randomPrompt('a', 'a'), answers }]);
    expect(found!.map(({ length }) => length)).toEqual([12, 12, 12]);
    expect(largestDifference(found![1]!, found![0]!)).toBeLessThan(1e-5);
    // its twelfth token is the end token
    expect(found![2]![11]).not.toBeCloseTo(found![0]![11]!, 3);
  });

  it('with one prompt score each answer as if alone, however many tokens they have together', async () => {
    // 44 tokens before the answers leave 20 of 64 positions: one answer of 12 fits, two do not
    const prompt = randomPrompt('a'.repeat(40), 'a');
    const answers = ['abcdefghijk', 'kjihgfedcba', 'aabbccddeef'];
    const [found] = await together.score([{ prompt, answers }]);
    for (const [place, answer] of answers.entries()) {
      const [[alone]] = (await together.score([{ prompt, answers: [answer] }])) as [[Float32Array]];
      expect(found![place]).toHaveLength(12);
      expect(largestDifference(found![place]!, alone)).toBeLessThan(1e-5);
    }
  });

  it("are rejected beyond the model's positions, and may use all of them", async () => {
    const row = (text: string) => ({ prompt: randomPrompt(text, 'a'), answers: [' go'], weight: 1 });
    const act = (text: string, ...seeds: string[]) => greedily(together, randomPrompt(text, ...seeds));
    // 3 visual tokens, begin token, 56 characters, ' go' and the end token: 64
    expect((await together.score([row('a'.repeat(56))]))[0]![0]).toHaveLength(4);
    const tooLong = row('a'.repeat(57));
    const refusal = {
      code: 'data',
      message: expect.stringMatching(/must fit the model's 64 positions/) as string,
    };
    await expect(together.score([tooLong])).rejects.toMatchObject(refusal);
    await expect(together.gradient([tooLong], imitationLoss)).rejects.toMatchObject(refusal);
    await expect(act('a'.repeat(60), 'a')).rejects.toMatchObject(refusal);
    expect(together.countPromptTokens('a'.repeat(100))).toBe(101);
    // one position is left: the answer is one token long
    expect((await act('a'.repeat(59), 'a')).tokens).toHaveLength(1);
    // a second picture takes 3 positions
    await expect(act('a'.repeat(59), 'a', 'b')).rejects.toMatchObject(refusal);
    expect((await act('a'.repeat(56), 'a', 'b')).tokens).toHaveLength(1);
  });

  it('need features of the model', async () => {
    const features = { key: 'x', data: new Float32Array(7) };
    const prompt = promptOf([features], 'a');
    await expect(greedily(together, prompt)).rejects.toMatchObject({ code: 'data' });
    await expect(together.score([{ prompt, answers: ['b'] }])).rejects.toThrow(
      /features must be 3 × 10 numbers/,
    );
  });

  it('may be empty', async () => {
    expect(await together.score([])).toEqual([]);
    const { loss, gradients } = await together.gradient([], imitationLoss);
    expect(loss).toBe(0);
    expect([...gradients.values()].every((gradient) => gradient.every((value) => value === 0))).toBe(true);
  });
});

describe('padding', () => {
  it('changes no log-probability, whatever its token', async () => {
    const session = await createSession(wholeGraph(logProbabilityNetwork(openModelFiles(folder))), {
      threads: 1,
    });
    const rows = [
      { visual: 3, prompt: [1, 4], responses: [[5, 2]] },
      { visual: 3, prompt: [1, 7, 8, 9, 3], responses: [[6, 6, 6, 2]] },
    ];
    const random = Random.fromSeed('visual');
    const data = Float32Array.from({ length: 2 * 3 * 16 }, () => random.normal());
    const results = [];
    for (const pad of [0, 11]) {
      const { feeds } = packRows(rows, { pad });
      results.push(await session.run({ ...feeds, visual: { type: 'float32', shape: [2, 3, 16], data } }));
    }
    expect(results[1]!['log_probabilities']!.data).toEqual(results[0]!['log_probabilities']!.data);
    await session.dispose();
  });
});

describe('decide', () => {
  let session: Session;
  beforeAll(async () => {
    session = await createSession(wholeGraph(logProbabilityNetwork(openModelFiles(folder))), {
      threads: 1,
    });
  });
  afterAll(() => session.dispose());

  /** log p of every token after a prompt and tokens: as many rows as tokens, the whole text in each. */
  const nextTokens = async (visual: Float32Array, tokens: readonly number[]): Promise<Float32Array> => {
    const visualTokens = visual.length / sizes.width;
    const rows = Array.from({ length: vocabulary }, (_, token) => {
      return { visual: visualTokens, prompt: tokens, responses: [[token]] };
    });
    const repeated = new Float32Array(vocabulary * visual.length);
    rows.forEach((_, row) => repeated.set(visual, row * visual.length));
    const { feeds } = packRows(rows, { pad: 0 });
    const shape = [vocabulary, visualTokens, sizes.width];
    const results = await session.run({ ...feeds, visual: { type: 'float32', shape, data: repeated } });
    return results['log_probabilities']!.data as Float32Array;
  };

  const encode = (text: string) => [...text].map((character) => 3 + alphabet.indexOf(character));
  const decode = (tokens: readonly number[]) => tokens.map((token) => alphabet[token - 3] ?? '').join('');

  it('with one beam takes the most probable token until the end token, recomputing everything', async () => {
    const projection = await randomProjection();
    const student = await open({ projection, generation: { minLength: 3, maxLength: 9 } });
    const answers = new Set<string>();
    for (const seed of ['a', 'b', 'c', 'd']) {
      const features = randomFeatures(seed);
      const visual = projection.forward(features.data, sizes.queries);
      const tokens = [1, ...encode('ab > co >')];
      const start = tokens.length;
      while (tokens.length < start + 9) {
        const scores = await nextTokens(visual, tokens);
        if (tokens.length < start + 3) scores[2] = -Infinity;
        const best = scores.indexOf(Math.max(...scores));
        if (best === 2) break;
        tokens.push(best);
      }
      const expected = decode(tokens.slice(start));
      const answer = await greedily(student, promptOf([features], 'ab > co >'));
      expect(answer.text).toBe(expected);
      // with the end token, unless the length limit ended it
      expect(answer.tokens.slice(0, tokens.length - start)).toEqual(tokens.slice(start));
      expect(tokens.length - start).toBeGreaterThanOrEqual(3);
      answers.add(expected);
    }
    expect(answers.size).toBeGreaterThan(1);
    await student.dispose();
  });

  it('chooses among allowed answers, the most likely if there is a beam for each', async () => {
    const projection = await randomProjection();
    const student = await open({ projection, generation: { minLength: 1, maxLength: 8 } });
    const allowed = ['go ab', 'cabog', 'ababa'];
    const chosen = new Set<string>();
    for (const seed of ['a', 'b', 'c', 'd', 'e', 'f']) {
      const prompt = randomPrompt(`go ${seed}`, seed);
      const [scored] = await student.score([{ prompt, answers: allowed }]);
      const sums = scored!.map(sumOf);
      const best = allowed[sums.indexOf(Math.max(...sums))]!;
      const [answer] = await student.decide([{ prompt, allowed, random: null }], threeBeams);
      expect(answer!.text).toBe(best);
      chosen.add(best);
    }
    expect(chosen.size).toBeGreaterThan(1);
    await student.dispose();
  });

  it('with more beams is a beam search over sums of log-probabilities, recomputing everything', async () => {
    const projection = await randomProjection();
    const student = await open({ projection, generation: { minLength: 1, maxLength: 8 } });
    const searched = async (visual: Float32Array, lengthPenalty: number) => {
      let texts: number[][] = [[1, ...encode('go >')]];
      const next: NextLogits = async (beams) => {
        if (beams.length > 0) texts = beams.map(({ parent, token }) => [...texts[parent]!, token]);
        return Promise.all(texts.map((text) => nextTokens(visual, text)));
      };
      const search = { ...defaultSearch, beams: 3, minNewTokens: 1, maxNewTokens: 8, lengthPenalty };
      const found = await beamSearch({ next }, { ...search, endTokens: [2], promptTokens: [] });
      return decode(found.tokens);
    };
    let differences = 0;
    for (const seed of ['a', 'b', 'c', 'd', 'e']) {
      const features = randomFeatures(seed);
      const visual = projection.forward(features.data, sizes.queries);
      const expected = await searched(visual, 0);
      const [answer] = await student.decide([openQuestion(promptOf([features], 'go >'))], threeBeams);
      expect(answer!.text).toBe(expected);
      // a search by means instead would answer differently, so the comparison can fail
      if ((await searched(visual, 1)) !== expected) differences++;
    }
    expect(differences).toBeGreaterThan(0);
    await student.dispose();
  });
});

describe('a batch of questions', () => {
  let student: Student;
  beforeAll(async () => (student = await open({ generation: { minLength: 1, maxLength: 8 } })));
  afterAll(() => student.dispose());

  const prompts: Prompt[] = [
    randomPrompt('go >', 'a'),
    randomPrompt('ab > co > kiln 1 >', 'b'),
    randomPrompt('abc >', 'a', 'b'),
    randomPrompt('', 'c'),
    randomPrompt('ab > lo > no >', 'c', 'a'),
    // room for 3 tokens
    randomPrompt('a'.repeat(57), 'b'),
  ];
  const questions = (seed: string): Question[] =>
    prompts.map((prompt, place) => ({
      prompt,
      allowed: place === 1 ? ['go ab', 'cabog', 'ababa'] : null,
      random: Random.fromSeed(seed).stream(String(place)),
    }));

  it.each([
    { kind: 'search', beams: 1 },
    { kind: 'search', beams: 3 },
    { kind: 'sample', temperature: 1, topP: 1 },
    { kind: 'sample', temperature: 1.5, topP: 0.8 },
  ] as const)('gets the same answers as one by one, in any order: %j', async (sampling) => {
    const alone: Answer[] = [];
    for (const question of questions('one')) alone.push(...(await student.decide([question], sampling)));
    const expected = alone.map(({ tokens, text }) => ({ tokens, text }));
    expect(new Set(expected.map(({ text }) => text)).size).toBeGreaterThan(2);
    expect(expected[5]!.tokens.length).toBeLessThanOrEqual(3);
    const forwards = await student.decide(questions('one'), sampling);
    const backwards = [...(await student.decide(questions('one').reverse(), sampling))].reverse();
    for (const batch of [forwards, backwards]) {
      expect(batch.map(({ tokens, text }) => ({ tokens, text }))).toEqual(expected);
      batch.forEach(({ logProbabilities }, place) =>
        expect(largestDifference(logProbabilities, alone[place]!.logProbabilities)).toBeLessThan(1e-5),
      );
    }
  });

  it('gets answers of a search, with ids that are scored as they were found', async () => {
    const answers = await student.decide(questions('two'), threeBeams);
    const rows = answers.map(({ tokens }, place) => ({ prompt: prompts[place]!, answers: [tokens] }));
    const scored = await student.score(rows);
    const { logProbabilities } = await student.gradient(
      rows.map((row) => ({ ...row, weight: 1 })),
      imitationLoss,
    );
    answers.forEach((answer, place) => {
      expect(answer.tokens.length).toBeGreaterThan(0);
      expect(largestDifference(scored[place]![0]!, answer.logProbabilities)).toBeLessThan(1e-5);
      expect(largestDifference(logProbabilities[place]!, answer.logProbabilities)).toBeLessThan(1e-5);
    });
  });

  it('may be empty', async () => {
    expect(await student.decide([], { kind: 'search', beams: 2 })).toEqual([]);
  });

  it('needs a generator for each sampled question', async () => {
    const sample = { kind: 'sample', temperature: 1, topP: 1 } as const;
    const shared = Random.fromSeed(0);
    for (const randoms of [
      [null, shared],
      [shared, shared],
    ]) {
      const asked = randoms.map((random) => ({ prompt: prompts[0]!, allowed: null, random }));
      const refused = student.decide(asked, sample);
      await expect(refused).rejects.toMatchObject({ code: 'usage' });
      await expect(refused).rejects.toThrow(/each of 2 sampled answers needs its own generator, got 1/);
    }
  });

  it.each([
    { kind: 'search', beams: 0 },
    { kind: 'sample', temperature: 0, topP: 1 },
    { kind: 'sample', temperature: 1, topP: 1.1 },
  ] as const)('is rejected for %j', async (sampling) => {
    await expect(student.decide(questions('one'), sampling)).rejects.toMatchObject({ code: 'usage' });
  });

  it.each<[string, Prompt]>([
    ['nothing', []],
    ['text', [{ kind: 'text', text: 'a' }]],
    ['text, image', [...randomPrompt('a', 'a')].reverse()],
    ['image, text, text', [...randomPrompt('a', 'a'), { kind: 'text', text: 'b' }]],
    [
      'image, array, text',
      [
        { kind: 'image', features: randomFeatures('a') },
        { kind: 'array', name: 'grid', values: { shape: [1], data: new Float32Array(1) } },
        { kind: 'text', text: 'b' },
      ],
    ],
  ])('is rejected for prompts of %s', async (given, prompt) => {
    const message = `one or more images and then one text, got ${given};`;
    const refusal = { code: 'usage', message: expect.stringContaining(message) as string };
    await expect(greedily(student, prompt)).rejects.toMatchObject(refusal);
    await expect(student.score([{ prompt, answers: ['a'] }])).rejects.toMatchObject(refusal);
    const rows = [{ prompt, answers: ['a'], weight: 1 }];
    await expect(student.gradient(rows, imitationLoss)).rejects.toMatchObject(refusal);
  });

  it('is answered while gradients are computed', async () => {
    const rows = prompts.slice(0, 5).map((prompt) => ({ prompt, answers: [' go'], weight: 0.2 }));
    const search = { kind: 'search', beams: 2 } as const;
    const gradient = await student.gradient(rows, imitationLoss);
    const answers = await student.decide(questions('one'), search);
    const [scored, ...found] = await Promise.all([
      student.score(rows),
      student.decide(questions('one'), search),
      student.gradient(rows, imitationLoss),
      student.decide(questions('one'), search),
    ]);
    expect(found).toEqual([answers, gradient, answers]);
    expect(scored.map(([answer]) => answer!.length)).toEqual([4, 4, 4, 4, 4]);
  });
});

describe('several pictures', () => {
  it('are read in their order', async () => {
    const projection = await randomProjection();
    const student = await open({ projection });
    const session = await createSession(wholeGraph(logProbabilityNetwork(openModelFiles(folder))), {
      threads: 1,
    });
    onTestFinished(async () => {
      await Promise.all([student.dispose(), session.dispose()]);
    });
    const scored = async (...seeds: string[]) =>
      (await student.score([{ prompt: randomPrompt('ab >', ...seeds), answers: [[5, 2]] }]))[0]![0]!;
    // by hand: visual tokens of both, then begin token and text
    const data = new Float32Array(
      ['a', 'b'].flatMap((seed) => [...projection.forward(randomFeatures(seed).data, sizes.queries)]),
    );
    const prompt = [1, 3, 4, 3 + alphabet.indexOf(' '), 3 + alphabet.indexOf('>')];
    const { feeds } = packRows([{ visual: 6, prompt, responses: [[5, 2]] }], { pad: 0 });
    const visual = { type: 'float32', shape: [1, 6, sizes.width], data } as const;
    const expected = (await session.run({ ...feeds, visual }))['log_probabilities']!.data as Float32Array;
    const found = await scored('a', 'b');
    expect(largestDifference(found, expected)).toBeLessThan(1e-6);
    for (const other of [['b', 'a'], ['a'], ['a', 'a']])
      expect(largestDifference(await scored(...other), found)).toBeGreaterThan(1e-3);
  });
});

describe('the same networks with other parameters', () => {
  const rows = [
    { prompt: randomPrompt('ab >', 'a'), answers: [' go', ' no'] },
    { prompt: randomPrompt('abc > lo >', 'b', 'a'), answers: [' be', [5, 2]] },
  ];
  const parametersFrom = async (kind: ProjectionKind, seed: string) => {
    const { tf } = await loadTensorflow('cpu');
    const widths = { inputWidth: sizes.queryWidth, hiddenWidth: 7, outputWidth: sizes.width };
    const projection = createProjection(tf, { kind, ...widths, parameters: Random.fromSeed(seed) });
    onTestFinished(() => projection.dispose());
    return projection;
  };

  it.each<ProjectionKind>(['linear', 'mlp'])(
    '(%s) act and score as a student that was opened with them, and the student as before',
    async (kind) => {
      const [student, other] = [
        await open(),
        await open({ projection: await parametersFrom(kind, 'other') }),
      ];
      onTestFinished(async () => {
        await Promise.all([student.dispose(), other.dispose()]);
      });
      const before = await student.score(rows);
      const { parameters } = await parametersFrom(kind, 'other');
      const fixed = student.under(parameters);
      // parameters are copied: changing the given arrays has no effect
      for (const { data } of parameters.values()) data.fill(0);
      const questions = rows.map(({ prompt }) => openQuestion(prompt));
      for (const sampling of [1, 3].map((beams) => ({ kind: 'search', beams }) as const))
        expect(await fixed.decide(questions, sampling)).toEqual(await other.decide(questions, sampling));
      expect(await fixed.score(rows)).toEqual(await other.score(rows));
      expect(largestDifference((await fixed.score(rows))[0]![0]!, before[0]![0]!)).toBeGreaterThan(1e-3);
      expect(await fixed.encode!(randomFrame('f'))).toBe(await student.encode!(randomFrame('f')));
      expect(fixed.countPromptTokens('ab >')).toBe(5);
      // changes of the student do not affect it
      for (const { data } of parametersOf(student).values()) data.fill(0.25);
      student.commit();
      expect(await fixed.score(rows)).toEqual(await other.score(rows));
      expect(largestDifference((await student.score(rows))[0]![0]!, before[0]![0]!)).toBeGreaterThan(1e-3);
      fixed.dispose();
    },
  );

  it('open no second set of sessions, and free only their own tensors', async () => {
    const { tf } = await loadTensorflow('cpu');
    const opened = openedSessions();
    const student = await open();
    const everything = async (policy: Policy & Scorer) => {
      const prompt = promptOf([await policy.encode!(randomFrame('f'))], 'ab >');
      await greedily(policy, prompt);
      await policy.score(rows);
    };
    await everything(student);
    // vision encoder, log-probabilities, prefill and decode
    expect(opened()).toBe(4);
    const tensors = tf.memory().numTensors;
    const [one, two] = [1, 2].map(() => student.under(parametersOf(student))) as [FixedPolicy, FixedPolicy];
    // weight and bias of each
    expect(tf.memory().numTensors).toBe(tensors + 4);
    await Promise.all([everything(one), everything(two)]);
    expect(opened()).toBe(4);
    one.dispose();
    expect(tf.memory().numTensors).toBe(tensors + 2);
    await everything(two);
    two.dispose();
    expect(tf.memory().numTensors).toBe(tensors);
    await everything(student);
    await student.dispose();
  });

  it('must be parameters of a projection that fits the model', async () => {
    const { tf } = await loadTensorflow('cpu');
    const student = await open();
    const tensors = tf.memory().numTensors;
    const wrong: [Record<string, number[]>, RegExp][] = [
      [{}, /must be language_projection.weight and .bias, .* got none/],
      [{ 'language_projection.bias': [16] }, /got language_projection.bias$/],
      [{ 'language_projection.weight': [16, 10], other: [2] }, /got language_projection.weight, other$/],
      [
        { 'language_projection.weight': [16, 10], 'language_projection.bias': [15] },
        /bias must be \[16\], got \[15\]/,
      ],
      [
        { 'language_projection.weight': [16, 9], 'language_projection.bias': [16] },
        /must lead from 10 to 16 .*, got 9 to 16/,
      ],
    ];
    for (const [shapes, message] of wrong) {
      const parameters = Object.entries(shapes).map(([name, shape]): [string, Parameter] => {
        return [name, { shape, data: new Float32Array(shape.reduce((a, b) => a * b)) }];
      });
      expect(() => student.under(new Map(parameters))).toThrow(message);
    }
    expect(tf.memory().numTensors).toBe(tensors);
    await student.dispose();
  });
});

describe('losses of one form', () => {
  it('share one session, whatever their numbers', async () => {
    const student = await open();
    const opened = openedSessions();
    const pair = { prompt: randomPrompt('ab >', 'a'), answers: [' go', ' no'], weight: 1 };
    const gradient = async (options: PreferenceOptions, referenceChosen = -2) => {
      const constants = { referenceChosen, referenceRejected: -1 };
      return (await student.gradient([{ ...pair, constants }], preferenceLossOf(options))).loss;
    };
    const losses = [
      await gradient({ beta: 0.1, mixRatio: 0.5 }),
      await gradient({ beta: 0.7, mixRatio: 0.5 }),
      await gradient({ beta: 0.1, mixRatio: 0.2 }),
      await gradient({ beta: 0.1, mixRatio: 0.5, averageLogProbabilities: false }),
      await gradient({ beta: 0.1, mixRatio: 0.5 }, -4),
    ];
    expect(new Set(losses).size).toBe(losses.length);
    expect(opened()).toBe(1);
    await gradient({ beta: 0.1, mixRatio: 0.5, labelSmoothing: 0.1 });
    await gradient({ beta: 0.1, mixRatio: 0.5, labelSmoothing: 0.2 });
    expect(opened()).toBe(2);
    await student.dispose();
  });
});

/** Counts sessions created in any thread, from now until the test ends. */
function openedSessions(): () => number {
  const posts = vi.spyOn(Worker.prototype, 'postMessage');
  onTestFinished(() => posts.mockRestore());
  return () => posts.mock.calls.filter(([call]) => (call as { method: string }).method === 'create').length;
}

describe('a student', () => {
  it('encodes a frame as float16 numbers under one key', async () => {
    const [student, other] = [await open(), await open()];
    const seen = await student.encode!(randomFrame('f'));
    expect(await student.encode!(randomFrame('f'))).toBe(seen);
    expect(await other.encode!(randomFrame('f'))).toEqual(seen);
    expect((await student.encode!(randomFrame('g'))).key).not.toBe(seen.key);
    expect(seen.data).toHaveLength(sizes.queries * sizes.queryWidth);
    expect(seen.data).toEqual(float16ToFloat32(float32ToFloat16(seen.data)));
    expect(new Set(seen.data).size).toBeGreaterThan(10);
    await Promise.all([student.dispose(), other.dispose()]);
  });

  it('uses changed parameters only after commit', async () => {
    const student = await open();
    const row = { prompt: randomPrompt('ab >', 'a'), answers: [' go'], weight: 1 };
    const loss = async () => (await student.gradient([row], imitationLoss)).loss;
    const before = await loss();
    const { data } = parametersOf(student).get('language_projection.bias')!;
    data.forEach((value, index) => (data[index] = value + 0.5));
    expect(await loss()).toBe(before);
    student.commit();
    expect(Math.abs((await loss()) - before)).toBeGreaterThan(1e-3);
    await student.dispose();
  });

  it('releases threads and tensors on dispose, and rejects later calls', async () => {
    const { tf } = await loadTensorflow('cpu');
    const workers = () => (process.report.getReport() as unknown as { workers: unknown[] }).workers.length;
    const before = { workers: workers(), tensors: tf.memory().numTensors };
    const student = await open();
    const features = await student.encode!(randomFrame('f'));
    const row = { prompt: promptOf([features], 'a'), answers: ['b'], weight: 1 };
    const constants = { referenceChosen: -1, referenceRejected: -1 };
    const pair = { ...row, answers: ['b', 'c'], constants };
    const held: number[] = [];
    for (let turn = 0; turn < 2; turn++) {
      await greedily(student, row.prompt);
      await student.score([row]);
      await student.gradient([row], imitationLoss);
      await student.gradient([pair], preferenceLossOf({ beta: 0.1, mixRatio: 0.5 }));
      student.commit();
      held.push(tf.memory().numTensors - before.tensors);
    }
    // weight and bias
    expect(held).toEqual([2, 2]);
    expect(workers()).toBeGreaterThan(before.workers);
    await student.dispose();
    expect({ workers: workers(), tensors: tf.memory().numTensors }).toEqual(before);
    await expect(student.score([row])).rejects.toMatchObject({ code: 'internal' });
    await expect(greedily(student, row.prompt)).rejects.toThrow();
  });

  it('is rejected if prompts may leave no room for the longest answer', async () => {
    // 64 positions, 3 visual tokens, answers of 12 tokens
    expect(maxTextTokens({ mostVisualTokens: 3, files: openModelFiles(folder) }, generation)).toBe(49);
    await (await open({ maxTextTokens: 49 })).dispose();
    await expect(open({ maxTextTokens: 50 })).rejects.toMatchObject({ code: 'data' });
    await expect(open({ maxTextTokens: 50 })).rejects.toThrow(/64 positions; allow prompts of 49 tokens/);
  });

  it('is rejected without a begin or end token, with a projection of other widths, or with invalid settings', async () => {
    const nameless = writeRandomModel({ special: ['[p]', '[b]', '[e]'] });
    await expect(open({ model: nameless })).rejects.toMatchObject({ code: 'data' });
    await expect(open({ model: nameless })).rejects.toThrow(/begin and an end token, got null and null/);
    rmSync(nameless, { recursive: true });
    const { tf } = await loadTensorflow('cpu');
    const parameters = Random.fromSeed(0);
    const wide = createProjection(tf, { kind: 'linear', inputWidth: 10, outputWidth: 17, parameters });
    await expect(open({ projection: wide })).rejects.toThrow(/must lead from 10 to 16 .*, got 10 to 17/);
    for (const wrong of [{ maxLength: 0 }, { minLength: 13 }, { minLength: -1 }, { maxLength: 1.5 }])
      await expect(open({ generation: { ...generation, ...wrong } })).rejects.toMatchObject({
        code: 'usage',
      });
  });
});

async function greedily(policy: Policy, prompt: Prompt): Promise<Answer> {
  return (await policy.decide([openQuestion(prompt)], { kind: 'search', beams: 1 }))[0]!;
}
