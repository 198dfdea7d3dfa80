import { rmSync } from 'node:fs';
import { beamSearch, defaultSearch, openModelFiles, type NextLogits } from '@emac/backbone';
import { Random, type ImitationRow, type Student } from '@emac/core';
import { float16ToFloat32, float32ToFloat16 } from '@emac/files';
import { createSession, type Session } from '@emac/graph';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { maxTextTokens } from './generation.ts';
import { createProjection } from './projection.ts';
import {
  alphabet,
  largestDifference,
  randomFeatures,
  randomFrame,
  randomProjection,
  sizes,
  vocabulary,
  writeRandomModel,
} from './random-model.test.support.ts';
import { logProbabilityNetwork, wholeGraph } from './row-graphs.ts';
import { packRows } from './rows.ts';
import { createStudent, type StudentOptions } from './student.ts';
import { loadTensorflow } from './tensorflow.ts';

const folder = writeRandomModel();
afterAll(() => rmSync(folder, { recursive: true }));
const generation = { beams: 1, minLength: 1, maxLength: 12 };

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
  const row = fc.record({
    features: fc.constantFrom('a', 'b', 'c').map(randomFeatures),
    text: text(20),
    target: text(10),
    weight: fc.float({ min: Math.fround(0.1), max: 1, noNaN: true }),
  });

  it('give the same numbers in any company, order and padding', () =>
    fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 5 }), fc.nat(), async (rows, seed) => {
        // a row twice, in another order
        const more = Random.fromSeed(seed).shuffle([...rows, rows[0]!]);
        const alone = await apart.logProbabilities(more);
        const packed = await together.logProbabilities(more);
        expect(packed.map(({ tokens }) => tokens)).toEqual(alone.map(({ tokens }) => tokens));
        expect(largestDifference(sums(packed), sums(alone))).toBeLessThan(1e-5);
        const one = await apart.imitationGradient(more);
        const other = await together.imitationGradient(more);
        expect(Math.abs(one.loss - other.loss)).toBeLessThan(1e-5 * more.length);
        for (const [name, gradient] of one.gradients)
          expect(largestDifference(gradient, other.gradients.get(name)!)).toBeLessThan(2e-5);
      }),
      { numRuns: 15 },
    ));

  it('weigh a row that comes twice like one of double weight', async () => {
    const once: ImitationRow = { features: randomFeatures('a'), text: 'ab >', target: ' go', weight: 0.5 };
    const twice = await together.imitationGradient([once, once]);
    const double = await together.imitationGradient([{ ...once, weight: 1 }]);
    expect(twice.loss).toBeCloseTo(double.loss, 5);
    for (const [name, gradient] of twice.gradients)
      expect(largestDifference(gradient, double.gradients.get(name)!)).toBeLessThan(1e-5);
  });

  it('count the end token, and cut targets at the longest answer', async () => {
    // characters are tokens: ' go' and the end token
    expect(together.countTargetTokens(' go')).toBe(4);
    expect(together.countTargetTokens('')).toBe(1);
    expect(together.countTargetTokens('abcdefghijk')).toBe(12);
    expect(together.countTargetTokens('abcdefghijkl')).toBe(12);
    // begin token and four characters
    expect(together.countTextTokens('ab >')).toBe(5);
    const features = randomFeatures('a');
    const targets = ['abcdefghijkl', 'abcdefghijklmno', 'abcdefghijk'];
    const found = await together.logProbabilities(targets.map((target) => ({ features, text: 'a', target })));
    expect(found[1]!.tokens).toBe(found[0]!.tokens);
    expect(found[1]!.sum).toBeCloseTo(found[0]!.sum, 5);
    expect(found[2]!.sum).not.toBeCloseTo(found[0]!.sum, 3);
  });

  it('that need more positions than the model has are refused, and may need all of them', async () => {
    const features = randomFeatures('a');
    // 3 visual tokens, begin token, 56 characters, ' go' and the end token: 64
    const longest = { features, text: 'a'.repeat(56), target: ' go', weight: 1 };
    expect((await together.logProbabilities([longest]))[0]!.tokens).toBe(4);
    const tooLong = { ...longest, text: 'a'.repeat(57) };
    const refusal = {
      code: 'data',
      message: expect.stringMatching(/must fit the model's 64 positions/) as string,
    };
    await expect(together.logProbabilities([tooLong])).rejects.toMatchObject(refusal);
    await expect(together.imitationGradient([tooLong])).rejects.toMatchObject(refusal);
    await expect(together.act('a'.repeat(60), features)).rejects.toMatchObject(refusal);
    expect(together.countTextTokens('a'.repeat(100))).toBe(101);
    // one position is left: the answer is one token long
    expect((await together.act('a'.repeat(59), features)).length).toBeLessThanOrEqual(1);
  });

  it('need features of the model', async () => {
    const features = { key: 'x', data: new Float32Array(7) };
    await expect(together.act('a', features)).rejects.toMatchObject({ code: 'data' });
    await expect(together.logProbabilities([{ features, text: 'a', target: 'b' }])).rejects.toThrow(
      /features must be 3 × 10 numbers/,
    );
  });

  it('may be none', async () => {
    expect(await together.logProbabilities([])).toEqual([]);
    const { loss, gradients } = await together.imitationGradient([]);
    expect(loss).toBe(0);
    expect([...gradients.values()].every((gradient) => gradient.every((value) => value === 0))).toBe(true);
  });
});

describe('padding', () => {
  it('changes no log-probability, whatever token it is made of', async () => {
    const session = await createSession(wholeGraph(logProbabilityNetwork(openModelFiles(folder))), {
      threads: 1,
    });
    const rows = [
      { prompt: [1, 4], responses: [[5, 2]] },
      { prompt: [1, 7, 8, 9, 3], responses: [[6, 6, 6, 2]] },
    ];
    const random = Random.fromSeed('visual');
    const data = Float32Array.from({ length: 2 * 3 * 16 }, () => random.normal());
    const results = [];
    for (const pad of [0, 11]) {
      const { feeds } = packRows(rows, { queries: 3, pad });
      results.push(await session.run({ ...feeds, visual: { type: 'float32', shape: [2, 3, 16], data } }));
    }
    expect(results[1]!['log_probabilities']!.data).toEqual(results[0]!['log_probabilities']!.data);
    await session.dispose();
  });
});

describe('act', () => {
  let session: Session;
  beforeAll(async () => {
    session = await createSession(wholeGraph(logProbabilityNetwork(openModelFiles(folder))), {
      threads: 1,
    });
  });
  afterAll(() => session.dispose());

  /** log p of every token after a prompt and tokens: as many rows as tokens, the whole text in each. */
  const nextTokens = async (visual: Float32Array, tokens: readonly number[]): Promise<Float32Array> => {
    const rows = Array.from({ length: vocabulary }, (_, token) => ({ prompt: tokens, responses: [[token]] }));
    const repeated = new Float32Array(vocabulary * visual.length);
    rows.forEach((_, row) => repeated.set(visual, row * visual.length));
    const { feeds } = packRows(rows, { queries: sizes.queries, pad: 0 });
    const shape = [vocabulary, sizes.queries, sizes.width];
    const results = await session.run({ ...feeds, visual: { type: 'float32', shape, data: repeated } });
    return results['log_probabilities']!.data as Float32Array;
  };

  const encode = (text: string) => [...text].map((character) => 3 + alphabet.indexOf(character));
  const decode = (tokens: readonly number[]) => tokens.map((token) => alphabet[token - 3] ?? '').join('');

  it('with one beam takes the most probable token until the end token, recomputing everything', async () => {
    const projection = await randomProjection();
    const student = await open({ projection, generation: { beams: 1, minLength: 3, maxLength: 9 } });
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
      expect(await student.act('ab > co >', features)).toBe(expected);
      expect(tokens.length - start).toBeGreaterThanOrEqual(3);
      answers.add(expected);
    }
    expect(answers.size).toBeGreaterThan(1);
    await student.dispose();
  });

  it('chooses among allowed answers, the likeliest where there is a beam for each', async () => {
    const projection = await randomProjection();
    const student = await open({ projection, generation: { beams: 3, minLength: 1, maxLength: 8 } });
    const allowed = ['go ab', 'cabog', 'ababa'];
    const chosen = new Set<string>();
    for (const seed of ['a', 'b', 'c', 'd', 'e', 'f']) {
      const features = randomFeatures(seed);
      const text = `go ${seed}`;
      const rows = await student.logProbabilities(allowed.map((target) => ({ features, text, target })));
      const best = allowed[rows.reduce((top, { sum }, row) => (sum > rows[top]!.sum ? row : top), 0)]!;
      expect(await student.act(text, features, allowed)).toBe(best);
      chosen.add(best);
    }
    expect(chosen.size).toBeGreaterThan(1);
    await student.dispose();
  });

  it('with more beams is a beam search over sums of log-probabilities, recomputing everything', async () => {
    const projection = await randomProjection();
    const student = await open({ projection, generation: { beams: 3, minLength: 1, maxLength: 8 } });
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
      expect(await student.act('go >', features)).toBe(expected);
      // what a search over means would say, to show that the comparison can fail
      if ((await searched(visual, 1)) !== expected) differences++;
    }
    expect(differences).toBeGreaterThan(0);
    await student.dispose();
  });
});

describe('a student', () => {
  it('sees a frame as float16 numbers under one key', async () => {
    const [student, other] = [await open(), await open()];
    const seen = await student.features(randomFrame('f'));
    expect(await student.features(randomFrame('f'))).toBe(seen);
    expect(await other.features(randomFrame('f'))).toEqual(seen);
    expect((await student.features(randomFrame('g'))).key).not.toBe(seen.key);
    expect(seen.data).toHaveLength(sizes.queries * sizes.queryWidth);
    expect(seen.data).toEqual(float16ToFloat32(float32ToFloat16(seen.data)));
    expect(new Set(seen.data).size).toBeGreaterThan(10);
    await Promise.all([student.dispose(), other.dispose()]);
  });

  it('counts changed parameters only after commit', async () => {
    const student = await open();
    const row = { features: randomFeatures('a'), text: 'ab >', target: ' go', weight: 1 };
    const loss = async () => (await student.imitationGradient([row])).loss;
    const before = await loss();
    const { data } = student.parameters().get('language_projection.bias')!;
    data.forEach((value, index) => (data[index] = value + 0.5));
    expect(await loss()).toBe(before);
    student.commit();
    expect(Math.abs((await loss()) - before)).toBeGreaterThan(1e-3);
    await student.dispose();
  });

  it('releases threads and tensors when it is disposed, and computes nothing more', async () => {
    const { tf } = await loadTensorflow('cpu');
    const workers = () => (process.report.getReport() as unknown as { workers: unknown[] }).workers.length;
    const before = { workers: workers(), tensors: tf.memory().numTensors };
    const student = await open();
    const features = await student.features(randomFrame('f'));
    const row = { features, text: 'a', target: 'b', weight: 1 };
    const pair = { ...row, chosen: 'b', rejected: 'c', referenceChosen: -1, referenceRejected: -1 };
    const held: number[] = [];
    for (let turn = 0; turn < 2; turn++) {
      await student.act('a', features);
      await student.logProbabilities([row]);
      await student.imitationGradient([row]);
      await student.preferenceGradient([pair], { beta: 0.1, mixRatio: 0.5 });
      student.commit();
      held.push(tf.memory().numTensors - before.tensors);
    }
    // weight and bias
    expect(held).toEqual([2, 2]);
    expect(workers()).toBeGreaterThan(before.workers);
    await student.dispose();
    expect({ workers: workers(), tensors: tf.memory().numTensors }).toEqual(before);
    await expect(student.logProbabilities([row])).rejects.toMatchObject({ code: 'internal' });
    await expect(student.act('a', features)).rejects.toThrow();
  });

  it('is refused when prompts may leave no room for the longest answer', async () => {
    // 64 positions, 3 visual tokens, answers of 12 tokens
    expect(maxTextTokens(openModelFiles(folder).config, generation)).toBe(49);
    await (await open({ maxTextTokens: 49 })).dispose();
    await expect(open({ maxTextTokens: 50 })).rejects.toMatchObject({ code: 'data' });
    await expect(open({ maxTextTokens: 50 })).rejects.toThrow(/64 positions; allow prompts of 49 tokens/);
  });

  it('is refused without a begin or end token, with a projection of other widths, or settings that are none', async () => {
    const nameless = writeRandomModel({ special: ['[p]', '[b]', '[e]'] });
    await expect(open({ model: nameless })).rejects.toMatchObject({ code: 'data' });
    await expect(open({ model: nameless })).rejects.toThrow(/begin and an end token, got null and null/);
    rmSync(nameless, { recursive: true });
    const { tf } = await loadTensorflow('cpu');
    const parameters = Random.fromSeed(0);
    const wide = createProjection(tf, { kind: 'linear', inputWidth: 10, outputWidth: 17, parameters });
    await expect(open({ projection: wide })).rejects.toThrow(/must lead from 10 to 16 .*, got 10 to 17/);
    for (const wrong of [{ beams: 0 }, { minLength: 13 }, { maxLength: 1.5 }])
      await expect(open({ generation: { ...generation, ...wrong } })).rejects.toMatchObject({
        code: 'usage',
      });
  });
});

function sums(found: readonly { sum: number }[]): number[] {
  return found.map(({ sum }) => sum);
}
