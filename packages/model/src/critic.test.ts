import { rmSync } from 'node:fs';
import { openModelFiles } from '@emac/backbone';
import { parametersOf, Random, type Prompt } from '@emac/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { critic, type ValueTerm } from './critic.ts';
import {
  largestDifference,
  randomProjection,
  randomPrompt,
  sizes,
  writeRandomModel,
} from './random-model.test.support.ts';
import { createStudent, type Student } from './student.ts';
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
/** ½(v − target)² */
const squared = (value: number, place: number): ValueTerm => {
  const miss = value - (place - 1.5);
  return { loss: 0.5 * miss ** 2, slope: miss };
};

describe('a critic', () => {
  let student: Student;
  let head: ValueHead;
  beforeAll(async () => {
    const projection = await randomProjection();
    student = await createStudent({ model: folder, generation, threads: 1, projection });
    const parameters = Random.fromSeed('head');
    head = await createValueHead({ inputWidth: sizes.width, hiddenWidths: [6], parameters }, { threads: 1 });
  });
  afterAll(() => Promise.all([student.dispose(), head.dispose()]));

  it('values a prompt by its last state, whatever its company', async () => {
    const { values } = critic({ policy: student, head, learns: 'head' });
    const together = await values(prompts);
    const alone: number[] = [];
    for (const prompt of prompts) alone.push((await values([prompt]))[0]!);
    expect(largestDifference(together, alone)).toBeLessThan(1e-5);
    // text or picture changed: another value
    expect(new Set(alone.map((value) => value.toFixed(4))).size).toBe(prompts.length);
  });

  it('reads the state from which the first token of an answer is foretold', async () => {
    const state = await student.states([prompts[1]!]);
    expect(state).toHaveLength(sizes.width);
    // the language model's head, as the model's file holds it
    const { shape, data } = openModelFiles(folder).read('language_model.lm_head.weight');
    const logits = Array.from({ length: shape[0]! }, (_, token) =>
      state.reduce((sum, each, place) => sum + each * data[token * sizes.width + place]!, 0),
    );
    const total = Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit), 0));
    const answers = [3, 5, 8].map((token) => [token]);
    const [scored] = await student.score([{ prompt: prompts[1]!, answers }]);
    answers.forEach(([token], place) => expect(scored![place]![0]).toBeCloseTo(logits[token!]! - total, 4));
  });

  it.each(['head', 'policy'] as const)(
    'has the slopes that finite differences have, in the %s',
    async (learns) => {
      const { gradient } = critic({ policy: student, head, learns });
      const { loss, values, gradients } = await gradient(prompts, squared);
      expect(loss).toBeCloseTo(
        [...values].reduce((sum, value, place) => sum + squared(value, place).loss, 0),
        6,
      );
      const own = parametersOf(student);
      const learning = new Map([...head.group.parameters, ...(learns === 'policy' ? own : [])]);
      expect([...gradients.keys()]).toEqual([...learning.keys()]);
      for (const [name, { data }] of learning) {
        const random = Random.fromSeed(name);
        const direction = Float32Array.from(data, () => random.normal());
        const start = data.slice();
        const at = async (step: number): Promise<number> => {
          data.forEach((_, place) => (data[place] = start[place]! + step * direction[place]!));
          student.commit();
          return (await gradient(prompts, squared)).loss;
        };
        const width = 2 ** -8;
        const slope = ((await at(width)) - (await at(-width))) / (2 * width);
        await at(0);
        const expected = direction.reduce((sum, each, place) => sum + each * gradients.get(name)![place]!, 0);
        expect(Math.abs(slope - expected)).toBeLessThan(0.01 * Math.max(1, Math.abs(expected)));
        expect(gradients.get(name)!.some((each) => each !== 0)).toBe(true);
      }
    },
  );
});

describe('a critic of a model computed layer by layer', () => {
  it('has the same values and gradients', async () => {
    const parameters = Random.fromSeed('head');
    const head = await createValueHead(
      { inputWidth: sizes.width, hiddenWidths: [6], parameters },
      { threads: 1 },
    );
    const found = [];
    for (const layers of ['resident', 'streamed'] as const) {
      const projection = await randomProjection();
      const student = await createStudent({ model: folder, generation, threads: 1, projection, layers });
      found.push(await critic({ policy: student, head, learns: 'policy' }).gradient(prompts, squared));
      await student.dispose();
    }
    const [whole, streamed] = found;
    expect(largestDifference(streamed!.values, whole!.values)).toBeLessThan(1e-5);
    for (const [name, gradient] of whole!.gradients)
      expect(largestDifference(streamed!.gradients.get(name)!, gradient)).toBeLessThan(2e-5);
    await head.dispose();
  });
});
