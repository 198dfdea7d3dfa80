/** A conversation in one row: its targets have the numbers of rows of their own, one for each answer. */
import { fileURLToPath } from 'node:url';
import { openModelFiles } from '@emac/backbone';
import type { GradientRow, Prompt } from '@emac/core';
import { imitationLoss } from '@emac/losses';
import { expect, it } from 'vitest';
import { randomAdapter, relativeDifference } from './random-model.test.support.ts';
import { createStudent } from './student.ts';

const folder = fileURLToPath(new URL('../../backbone/fixtures/text/llama', import.meta.url));
const prompt = (tokens: readonly number[]): Prompt => [{ kind: 'tokens', tokens, before: [] }];
// prompt, first answer, another turn, second answer
const [asked, first, again, second] = [
  [330, 5, 6, 7],
  [8, 9, 334],
  [10, 11, 12],
  [13, 14, 15, 334],
] as const;

it('is scored and learned at its targets alone', async () => {
  const student = await createStudent({
    model: openModelFiles(folder),
    projection: null,
    adapter: randomAdapter(folder),
    train: ['adapter'],
    threads: 1,
    generation: { minLength: 1, maxLength: 24 },
  });
  const scored = [...first.map(() => true), ...again.map(() => false), ...second.map(() => true)];
  const whole: GradientRow = {
    prompt: prompt(asked),
    answers: [[...first, ...again, ...second]],
    scored: [scored],
    weight: 1,
  };
  const apart: GradientRow[] = [
    { prompt: prompt(asked), answers: [first], weight: 1 },
    { prompt: prompt([...asked, ...first, ...again]), answers: [second], weight: 1 },
  ];
  const [[together]] = (await student.score([whole])) as [[Float32Array]];
  const separate = (await student.score(apart)).flat().flatMap((each) => [...each]);
  expect(together).toHaveLength(7);
  expect(relativeDifference([...together], separate)).toBeLessThan(1e-5);
  const [one, two] = [
    await student.gradient([whole], imitationLoss),
    await student.gradient(apart, imitationLoss),
  ];
  expect(one.loss).toBeCloseTo(-together.reduce((sum, each) => sum + each, 0), 4);
  expect(Math.abs(one.loss / two.loss - 1)).toBeLessThan(1e-5);
  for (const [name, values] of two.gradients)
    expect(relativeDifference(one.gradients.get(name)!, values), name).toBeLessThan(1e-4);
  await student.dispose();
});
