import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { int8ModelFiles, openModelFiles } from '@emac/backbone';
import { promptOf, Random, type GradientRow, type ParameterSet } from '@emac/core';
import { imitationLoss, preferenceLossOf } from '@emac/losses';
import { afterAll, describe, expect, it } from 'vitest';
import { drawnAdapter } from './adapter.ts';
import {
  adapterSettings,
  imitation,
  largestDifference,
  randomAdapter,
  randomFrame,
  randomProjection,
  randomPrompt,
  relativeDifference,
  sumOf,
  writeRandomModel,
} from './random-model.test.support.ts';
import { createStudent, type Student, type StudentOptions } from './student.ts';

const preference: GradientRow[] = [
  {
    prompt: randomPrompt('abc >', 'one'),
    answers: [' go', ' fall in'],
    constants: { referenceChosen: -2.5, referenceRejected: -3 },
    weight: 1,
  },
];
const preferenceLoss = preferenceLossOf({ beta: 0.8, mixRatio: 0.3 });

const folders = new Map<string, string>();
const modelFolder = (dtype: 'F32' | 'F16' | 'BF16', layers: number): string => {
  const key = `${dtype} ${layers}`;
  if (!folders.has(key)) folders.set(key, writeRandomModel({ dtype, layers }));
  return folders.get(key)!;
};
const cache = mkdtempSync(join(tmpdir(), 'emac-int8-cache-'));
const opened: Student[] = [];
afterAll(async () => {
  await Promise.all(opened.map((student) => student.dispose()));
  for (const folder of [...folders.values(), cache]) rmSync(folder, { recursive: true });
});

async function open(options: Partial<StudentOptions> & Pick<StudentOptions, 'model'>): Promise<Student> {
  const student = await createStudent({
    projection: await randomProjection(),
    threads: 1,
    generation: { minLength: 3, maxLength: 8 },
    train: ['projection', 'adapter'],
    ...options,
  });
  opened.push(student);
  return student;
}

const scores = async (student: Pick<Student, 'score'>) =>
  (await student.score(imitation)).flatMap(([answer]) => [...answer!]);

/** All parameters of a policy. */
const parametersOfPolicy = ({ projection, adapter }: Student): ParameterSet =>
  new Map([...projection!, ...(adapter?.parameters ?? [])]);

describe('a freshly initialized adapter', () => {
  it('has A as nn.Linear starts and B of zeros, and changes nothing', async () => {
    const model = modelFolder('F32', 2);
    const adapter = drawnAdapter(openModelFiles(model).config, adapterSettings, Random.fromSeed('any'));
    // 2 layers of 7 projections, A and B of each
    expect(adapter.parameters.size).toBe(28);
    for (const [name, { shape, data }] of adapter.parameters) {
      const size = Math.max(...data.map(Math.abs));
      if (name.includes('lora_B')) expect(size, name).toBe(0);
      else {
        const most = 1 / Math.sqrt(shape[1]!);
        expect(size, name).toBeLessThan(most);
        expect(size, name).toBeGreaterThan(0.8 * most);
      }
    }
    const [base, adapted] = [await open({ model, train: ['projection'] }), await open({ model, adapter })];
    expect(await scores(adapted)).toEqual(await scores(base));
  });
});

describe('the gradient of an adapter', () => {
  const directions = [
    ['imitation', imitation, imitationLoss],
    ['preferences', preference, preferenceLoss],
  ] as const;
  it.each(directions)('matches finite differences (%s)', async (_, rows, loss) => {
    const model = modelFolder('F32', 2);
    const student = await open({ model, adapter: randomAdapter(model), train: ['adapter'] });
    const { gradients } = await student.gradient(rows, loss);
    expect(student.groups.map(({ name }) => name)).toEqual(['adapter']);
    expect([...gradients.keys()]).toEqual([...student.adapter!.parameters.keys()]);
    // along g / |g| the slope is |g|; A and B are tested separately, since a step along both mixes them
    for (const part of ['lora_A', 'lora_B']) {
      const own = [...gradients].filter(([name]) => name.includes(part));
      const norm = Math.sqrt(sumOf(own.flatMap(([, values]) => [...values].map((value) => value ** 2))));
      const step = 0.01;
      const moved = async (length: number): Promise<number> => {
        const move = (by: number) => {
          for (const [name, values] of own) {
            const { data } = student.adapter!.parameters.get(name)!;
            values.forEach((value, place) => (data[place]! += (by * value) / norm));
          }
          student.commit();
        };
        move(length);
        const { loss: found } = await student.gradient(rows, loss);
        move(-length);
        return found;
      };
      const slope = ((await moved(step)) - (await moved(-step))) / (2 * step);
      expect(Math.abs(slope / norm - 1), part).toBeLessThan(2e-3);
    }
  });

  it.each([
    { dtype: 'F16', layers: 4, activations: 'kept', dropout: 0 },
    { dtype: 'F16', layers: 4, activations: 'recomputed', dropout: 0.3 },
    { dtype: 'BF16', layers: 3, activations: 'kept', dropout: 0.3 },
    { dtype: 'F32', layers: 2, activations: 'recomputed', dropout: 0 },
  ] as const)(
    'is the same with streamed layers ($dtype, $layers layers, activations $activations, dropout $dropout)',
    async ({ dtype, layers, activations, dropout }) => {
      const model = modelFolder(dtype, layers);
      const adapter = randomAdapter(model, { dropout });
      const whole = await open({ model, adapter, layers: 'resident' });
      const streamed = await open({ model, adapter, layers: 'streamed', activations });
      expect(relativeDifference(await scores(streamed), await scores(whole))).toBeLessThan(1e-5);
      for (const [rows, loss] of [
        [imitation, imitationLoss],
        [preference, preferenceLoss],
      ] as const) {
        const [found, expected] = [await streamed.gradient(rows, loss), await whole.gradient(rows, loss)];
        expect(Math.abs(found.loss / expected.loss - 1)).toBeLessThan(1e-5);
        expect([...found.gradients.keys()]).toEqual([...expected.gradients.keys()]);
        for (const [name, values] of expected.gradients)
          expect(relativeDifference(found.gradients.get(name)!, values), name).toBeLessThan(1e-5);
      }
    },
  );

  it('is close to the exact one if the base has eight bits', async () => {
    const model = modelFolder('F16', 3);
    const adapter = randomAdapter(model);
    const identity = 'f'.repeat(64);
    const files = await int8ModelFiles(openModelFiles(model), { identity, folder: cache });
    const [exact, rounded] = [
      await open({ model, adapter }),
      await open({ model: files, identity, adapter }),
    ];
    const [wanted, found] = [
      await exact.gradient(imitation, imitationLoss),
      await rounded.gradient(imitation, imitationLoss),
    ];
    expect(Math.abs(found.loss / wanted.loss - 1)).toBeLessThan(0.02);
    const norm = (values: Iterable<number>) => Math.sqrt(sumOf([...values].map((value) => value ** 2)));
    for (const [name, values] of wanted.gradients) {
      const error = values.map((value, place) => found.gradients.get(name)![place]! - value);
      expect(norm(error) / norm(values), name).toBeLessThan(0.25);
    }
  });

  it('uses dropout in training only, the same in every call with the same numbers', async () => {
    const model = modelFolder('F32', 2);
    const [plain, dropping, other] = [
      await open({ model, adapter: randomAdapter(model) }),
      await open({ model, adapter: randomAdapter(model, { dropout: 0.5 }) }),
      await open({ model, adapter: randomAdapter(model, { dropout: 0.5 }), dropoutSeed: '1' }),
    ];
    expect(largestDifference(await scores(dropping), await scores(plain))).toBeLessThan(1e-5);
    const loss = async (student: Student) => (await student.gradient(imitation, imitationLoss)).loss;
    const first = await loss(dropping);
    expect(await loss(dropping)).toBe(first);
    expect(Math.abs(first - (await loss(plain)))).toBeGreaterThan(1e-3);
    expect(Math.abs(first - (await loss(other)))).toBeGreaterThan(1e-3);
    const { data } = dropping.adapter!.parameters.values().next().value!;
    data[0]! += 1e-6;
    dropping.commit();
    expect(Math.abs((await loss(dropping)) - first)).toBeGreaterThan(1e-3);
  });
});

describe.each(['resident', 'streamed'] as const)('acting with an adapter, layers %s', (layers) => {
  it('gives the probabilities of one pass, also beside other policies and after a commit', async () => {
    const model = modelFolder('F32', 2);
    const student = await open({ model, adapter: randomAdapter(model), layers });
    const reference = student.under(parametersOfPolicy(student));
    const base = student.under(student.projection!);
    const features = await student.encode!(randomFrame('frame'));
    const prompts = ['abc >', 'a', 'lo > kiln 1 >'].map((text) => promptOf([features], text));
    const ratios = async (policy: Pick<Student, 'decide' | 'score'>, sampled: boolean) => {
      const questions = prompts.map((prompt, place) => {
        return { prompt, allowed: null, random: sampled ? Random.fromSeed(place) : null };
      });
      const answers = await policy.decide(
        questions,
        sampled ? { kind: 'sample', temperature: 1, topP: 1 } : { kind: 'search', beams: 3 },
      );
      const rows = prompts.map((prompt, place) => ({ prompt, answers: [answers[place]!.tokens] }));
      const scored = (await policy.score(rows)).map(([answer]) => answer!);
      scored.forEach((values, place) => {
        const acted = answers[place]!.logProbabilities;
        expect(values).toHaveLength(acted.length);
        values.forEach((value, token) =>
          expect(Math.abs(Math.exp(acted[token]! - value) - 1)).toBeLessThan(1e-4),
        );
      });
      return scored.map(sumOf);
    };
    const before = await Promise.all([ratios(student, true), ratios(reference, true), ratios(base, false)]);
    expect(before[1]).toEqual(before[0]);
    for (const { data } of student.adapter!.parameters.values())
      data.forEach((value, place) => (data[place] = -value / 2));
    student.commit();
    const after = await Promise.all([ratios(student, true), ratios(reference, true), ratios(base, true)]);
    expect(after[1]).toEqual(before[1]);
    expect(largestDifference(after[0]!, before[0]!)).toBeGreaterThan(1e-2);
    for (const each of [reference, base]) each.dispose();
  });
});

describe('policies of one student', () => {
  it('have adapters of any rank on one base, or none', async () => {
    const model = modelFolder('F32', 2);
    const wide = randomAdapter(model, { rank: 5 });
    const student = await open({ model, adapter: randomAdapter(model), train: ['adapter'] });
    const alone = await open({ model, train: ['projection'] });
    const widely = await open({ model, adapter: wide });
    const base = student.under(student.projection!);
    expect(largestDifference(await scores(base), await scores(alone))).toBeLessThan(1e-5);
    const other = student.under(new Map([...student.projection!, ...wide.parameters]));
    expect(largestDifference(await scores(other), await scores(widely))).toBeLessThan(1e-5);
    expect(largestDifference(await scores(student), await scores(widely))).toBeGreaterThan(1e-2);
    // α 12 at rank 5 is twice the student's
    const doubled = student.under(new Map([...student.projection!, ...wide.parameters]), {
      alpha: 12,
      rankStabilized: false,
    });
    const twice = await open({ model, adapter: randomAdapter(model, { rank: 5, alpha: 12 }) });
    expect(largestDifference(await scores(doubled), await scores(twice))).toBeLessThan(1e-5);
    for (const each of [base, other, doubled]) each.dispose();
  });

  it('adapt only the projections that the student was opened for', async () => {
    const model = modelFolder('F32', 2);
    const student = await open({ model, adapter: randomAdapter(model, { targets: ['q_proj'] }) });
    const wider = randomAdapter(model, { targets: ['q_proj', 'v_proj'] });
    const parameters = new Map([...student.projection!, ...wider.parameters]);
    expect(() => student.under(parameters)).toThrow(/opened for q_proj.* got .*v_proj/);
    const prepared = await open({
      model,
      adapter: randomAdapter(model, { targets: ['q_proj'] }),
      alsoAdapted: ['v_proj'],
    });
    const whole = await open({ model, adapter: wider });
    const policy = prepared.under(parameters);
    expect(largestDifference(await scores(policy), await scores(whole))).toBeLessThan(1e-5);
    policy.dispose();
  });

  it('reject an adapter of another base, and a student without trained parts', async () => {
    const model = modelFolder('F32', 2);
    const adapter = randomAdapter(modelFolder('F16', 4));
    await expect(open({ model, adapter })).rejects.toThrow(
      /an adapter of another base, .*layers\.2\..* no such/,
    );
    await expect(open({ model, train: ['adapter'] })).rejects.toThrow(/got adapter without an adapter/);
    await expect(open({ model, train: [] })).rejects.toThrow(/got nothing without an adapter/);
  });
});
