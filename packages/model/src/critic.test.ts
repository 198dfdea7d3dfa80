import { rmSync } from 'node:fs';
import { openModelFiles, type Adapter } from '@emac/backbone';
import { parametersOf, Random, type Prompt } from '@emac/core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { adaptedCritic, valueAdapterOf, valueAdapterTensors } from './adapted-critic.ts';
import { critic, type Critic, type ValueTerm } from './critic.ts';
import {
  largestDifference,
  randomAdapter,
  randomProjection,
  randomPrompt,
  sizes,
  sumOf,
  writeRandomModel,
} from './random-model.test.support.ts';
import type { Answers } from './prompt-states.ts';
import { createStudent, type Student, type StudentOptions } from './student.ts';
import { createValueHead, type ValueHead } from './value-head.ts';

const folder = writeRandomModel();
afterAll(() => rmSync(folder, { recursive: true }));
const generation = { minLength: 1, maxLength: 12 };

const prompts: Prompt[] = [
  randomPrompt('abc >', 'a'),
  randomPrompt('ab > kiln 1 > co >', 'b'),
  randomPrompt('', 'a', 'b'),
  randomPrompt('abc >', 'b'),
];
/** of different lengths, 7 tokens in all */
const answers = [[3, 5, 8], [4], [3, 5], [6]];

async function openStudent(options: Partial<StudentOptions> = {}): Promise<Student> {
  const projection = await randomProjection();
  return createStudent({ model: folder, generation, threads: 1, projection, ...options });
}

function smallHead(): Promise<ValueHead> {
  const parameters = Random.fromSeed('head');
  return createValueHead({ inputWidth: sizes.width, hiddenWidths: [6], parameters }, { threads: 1 });
}

/** ½(v − target)² */
const squared = (value: number, place: number): ValueTerm => {
  const miss = value - (place - 1.5);
  return { loss: 0.5 * miss ** 2, slope: miss };
};

describe('a critic', () => {
  let student: Student;
  let head: ValueHead;
  beforeAll(async () => {
    student = await openStudent();
    head = await smallHead();
  });
  afterAll(() => Promise.all([student.dispose(), head.dispose()]));

  it("computes a prompt's value from its last state, independent of the batch", async () => {
    const { values } = critic({ policy: student, head, learns: 'head' });
    const together = await values(prompts);
    const alone: number[] = [];
    for (const prompt of prompts) alone.push((await values([prompt]))[0]!);
    expect(largestDifference(together, alone)).toBeLessThan(1e-5);
    // a changed text or picture gives another value
    expect(new Set(alone.map((value) => value.toFixed(4))).size).toBe(prompts.length);
  });

  it('reads the state that predicts the first token of an answer', async () => {
    const state = await student.states([prompts[1]!]);
    expect(state).toHaveLength(sizes.width);
    // the language model's head, from the model's file
    const { shape, data } = openModelFiles(folder).read('language_model.lm_head.weight');
    const logits = Array.from({ length: shape[0]! }, (_, token) =>
      state.reduce((sum, each, place) => sum + each * data[token * sizes.width + place]!, 0),
    );
    const total = Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit), 0));
    const answers = [3, 5, 8].map((token) => [token]);
    const [scored] = await student.score([{ prompt: prompts[1]!, answers }]);
    answers.forEach(([token], place) => expect(scored![place]![0]).toBeCloseTo(logits[token!]! - total, 4));
  });

  it('reads the states that predict each token of an answer, the first that of its prompt', async () => {
    const states = await student.states(prompts, answers);
    const { width } = sizes;
    expect(states).toHaveLength(width * 7);
    const { shape, data } = openModelFiles(folder).read('language_model.lm_head.weight');
    const scored = await student.score(
      prompts.map((prompt, place) => ({ prompt, answers: [answers[place]!] })),
    );
    const ofPrompts = await student.states(prompts);
    let next = 0;
    for (const [place, tokens] of answers.entries()) {
      const first = states.subarray(next * width, (next + 1) * width);
      const ofPrompt = ofPrompts.subarray(place * width, (place + 1) * width);
      expect(largestDifference(first, ofPrompt)).toBeLessThan(1e-5);
      for (const [which, token] of tokens.entries()) {
        const state = states.subarray(next * width, ++next * width);
        const logits = Array.from({ length: shape[0]! }, (_, id) =>
          state.reduce((sum, each, at) => sum + each * data[id * width + at]!, 0),
        );
        const total = Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit), 0));
        expect(scored[place]![0]![which]).toBeCloseTo(logits[token]! - total, 4);
      }
    }
  });

  it.each(['head', 'policy'] as const)('matches finite differences in the %s', (learns) =>
    expectSlopes(critic({ policy: student, head, learns }), learns === 'policy' ? student : null),
  );

  it.each(['head', 'policy'] as const)(
    'matches finite differences in the %s with a value before each token',
    (learns) =>
      expectSlopes(critic({ policy: student, head, learns }), learns === 'policy' ? student : null, answers),
  );
});

/** For the critic's own parameters and, if it trains them, the policy's: along a random direction in each; in all A of an adapter at once, and in all B. */
async function expectSlopes(
  { groups, gradient, commit }: Critic,
  policy: Student | null,
  said?: Answers,
): Promise<void> {
  const { loss, values, gradients } = await gradient(prompts, squared, said);
  expect(loss).toBeCloseTo(
    [...values].reduce((sum, value, place) => sum + squared(value, place).loss, 0),
    6,
  );
  const learning = parametersOf({ groups: [...groups, ...(policy?.groups ?? [])] });
  expect([...gradients.keys()]).toEqual([...learning.keys()]);
  const partOf = (name: string) => /lora_[AB]/.exec(name)?.[0] ?? name;
  for (const part of new Set([...learning.keys()].map(partOf))) {
    const moved = [...learning]
      .filter(([name]) => partOf(name) === part)
      .map(([name, { data }]) => {
        const random = Random.fromSeed(name);
        const direction = Float32Array.from(data, () => random.normal());
        return { name, data, start: data.slice(), direction };
      });
    const at = async (step: number): Promise<number> => {
      for (const { data, start, direction } of moved)
        data.forEach((_, place) => (data[place] = start[place]! + step * direction[place]!));
      policy?.commit();
      commit();
      return (await gradient(prompts, squared, said)).loss;
    };
    // at 2⁻⁸ a step along all A leaves the nearly linear range
    const width = 2 ** -11;
    const slope = ((await at(width)) - (await at(-width))) / (2 * width);
    await at(0);
    const expected = sumOf(
      moved.flatMap(({ name, direction }) =>
        [...direction].map((each, place) => each * gradients.get(name)![place]!),
      ),
    );
    expect(Math.abs(slope - expected), part).toBeLessThan(0.01 * Math.max(1, Math.abs(expected)));
    for (const { name } of moved) expect(gradients.get(name)!.some((each) => each !== 0)).toBe(true);
  }
}

describe('a critic of a policy with an adapter', () => {
  it.each([
    { train: ['adapter'], dropout: 0 },
    { train: ['projection', 'adapter'], dropout: 0 },
    // values, and so their slopes, use the whole adapter without dropout
    { train: ['projection', 'adapter'], dropout: 0.5 },
    { train: ['projection'], dropout: 0 },
  ] as const)(
    'matches finite differences in the trained parts: $train, dropout $dropout',
    async ({ train, dropout }) => {
      const adapter = randomAdapter(folder, { dropout });
      const student = await openStudent({ adapter, train });
      const head = await smallHead();
      await expectSlopes(critic({ policy: student, head, learns: 'policy' }), student);
      await Promise.all([student.dispose(), head.dispose()]);
    },
  );

  it('uses the adapted states, not those of the base', async () => {
    const [base, adapted] = [await openStudent(), await openStudent({ adapter: randomAdapter(folder) })];
    const states = await adapted.states(prompts);
    expect(largestDifference(states, await base.states(prompts))).toBeGreaterThan(1e-2);
    await Promise.all([base.dispose(), adapted.dispose()]);
  });
});

describe('a critic with a separate adapter', () => {
  const opened = async (options: Partial<StudentOptions> = {}) => {
    const student = await openStudent({ adapter: randomAdapter(folder), train: ['adapter'], ...options });
    const head = await smallHead();
    onTestFinished(async () => void (await Promise.all([student.dispose(), head.dispose()])));
    return { student, head, own: adaptedCritic({ learner: student.beside(otherAdapter()), head }) };
  };

  it.each([
    { train: ['adapter'], dropout: 0 },
    { train: ['projection', 'adapter'], dropout: 0.5 },
  ] as const)(
    'matches finite differences in head and adapter only, beside a policy that trains $train with dropout $dropout',
    async ({ train, dropout }) => {
      const { student, own } = await opened({ train, adapter: randomAdapter(folder, { dropout }) });
      const before = copyOf(student);
      await expectSlopes(own, null);
      expect(copyOf(student)).toEqual(before);
      const policy = [...parametersOf(student).keys()];
      const { gradients } = await own.gradient(prompts, squared);
      expect([...gradients.keys()].filter((name) => policy.includes(name))).toEqual([]);
      expect(own.groups.map(({ name }) => name)).toEqual(['value head', 'value adapter']);
    },
  );

  it('keeps its adapter’s states independent of the policy’s, both ways', async () => {
    const { student, head, own } = await opened();
    const only = await openStudent({ adapter: otherAdapter(), train: ['adapter'] });
    const expected = await critic({ policy: only, head, learns: 'head' }).values(prompts);
    await only.dispose();
    expect(largestDifference(await own.values(prompts), expected)).toBeLessThan(1e-5);
    const ofPolicy = await student.states(prompts);
    for (const { data } of student.adapter!.parameters.values()) data.fill(0);
    student.commit();
    expect(largestDifference(await own.values(prompts), expected)).toBeLessThan(1e-5);
    const base = await student.states(prompts);
    expect(largestDifference(base, ofPolicy)).toBeGreaterThan(1e-2);
    for (const { data } of own.groups[1]!.parameters.values()) data.fill(0);
    own.commit();
    const { values } = critic({ policy: student, head, learns: 'head' });
    expect(largestDifference(await own.values(prompts), await values(prompts))).toBeLessThan(1e-6);
    expect(await student.states(prompts)).toEqual(base);
  });

  it('has the same values and gradients with streamed layers', async () => {
    const found = [];
    for (const layers of ['resident', 'streamed'] as const)
      found.push(await (await opened({ layers })).own.gradient(prompts, squared));
    const [whole, streamed] = found;
    expect(largestDifference(streamed!.values, whole!.values)).toBeLessThan(1e-5);
    expect([...streamed!.gradients.keys()]).toEqual([...whole!.gradients.keys()]);
    for (const [name, gradient] of whole!.gradients)
      expect(largestDifference(streamed!.gradients.get(name)!, gradient), name).toBeLessThan(2e-5);
  });

  it('is stored under its own names and read back', async () => {
    const { own } = await opened();
    const tensors = valueAdapterTensors(own);
    const given = otherAdapter();
    expect([...tensors.keys()]).toEqual([...given.parameters.keys()].map((name) => `value_adapter.${name}`));
    expect(valueAdapterOf(tensors, given.settings)).toEqual(given);
    expect(() => valueAdapterOf(tensors, { ...given.settings, rank: 9 })).toThrow(
      /value adapter: .* must have the rank 9/,
    );
  });
});

/** Of the policy's rank and layers, with other numbers. */
function otherAdapter(): Adapter {
  const { parameters, settings } = randomAdapter(folder);
  const random = Random.fromSeed('other');
  const drawn = [...parameters].map(([name, { shape }]) => {
    const length = shape.reduce((product, width) => product * width, 1);
    return [name, { shape, data: Float32Array.from({ length }, () => 0.3 * random.normal()) }] as const;
  });
  return { parameters: new Map(drawn), settings };
}

function copyOf(student: Student): number[][] {
  return [...parametersOf(student).values()].map(({ data }) => [...data]);
}

describe('a critic of a model with streamed layers', () => {
  it.each([
    { adapter: null, train: ['projection'] },
    { adapter: randomAdapter(folder), train: ['projection', 'adapter'] },
    { adapter: randomAdapter(folder), train: ['adapter'] },
  ] as const)('has the same values and gradients, training $train', async ({ adapter, train }) => {
    const head = await smallHead();
    const found = [];
    for (const layers of ['resident', 'streamed'] as const) {
      const student = await openStudent({ layers, adapter, train });
      found.push(await critic({ policy: student, head, learns: 'policy' }).gradient(prompts, squared));
      await student.dispose();
    }
    const [whole, streamed] = found;
    expect(largestDifference(streamed!.values, whole!.values)).toBeLessThan(1e-5);
    expect([...streamed!.gradients.keys()]).toEqual([...whole!.gradients.keys()]);
    for (const [name, gradient] of whole!.gradients)
      expect(largestDifference(streamed!.gradients.get(name)!, gradient)).toBeLessThan(2e-5);
    await head.dispose();
  });
});
