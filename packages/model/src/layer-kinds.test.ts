import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promptOf, type TokenLoss } from '@emac/core';
import { expect, it } from 'vitest';
import { largestDifference, randomAdapter, relativeDifference } from './random-model.test.support.ts';
import { createStudent, type StudentOptions } from './student.ts';

/** Gemma 3: layers with a window of 20 positions and a rotary base of their own beside layers that see everything. */
const folder = fileURLToPath(new URL('../../backbone/fixtures/text/gemma3_text', import.meta.url));

const { rows } = JSON.parse(readFileSync(join(folder, 'fixture.json'), 'utf8')) as {
  rows: readonly { readonly text: string; readonly answer: string }[];
};

const crossEntropy: TokenLoss = {
  over: 'tokens',
  formula: ({ scale }, { logProbability }) => scale(logProbability, -1),
};

async function computed(options: Partial<StudentOptions>) {
  const student = await createStudent({
    model: folder,
    projection: null,
    adapter: randomAdapter(folder),
    train: ['adapter'],
    generation: { minLength: 4, maxLength: 24 },
    threads: 1,
    ...options,
  });
  const prompts = rows.map(({ text }) => promptOf([], text));
  const answers = await student.decide(
    [...prompts, ...prompts].map((prompt) => ({ prompt, allowed: null, random: null })),
    { kind: 'search', beams: 3 },
  );
  const scores = await student.score(
    prompts.map((prompt, row) => ({ prompt, answers: [answers[row]!.tokens] })),
  );
  const { gradients } = await student.gradient(
    rows.map(({ answer }, row) => ({ prompt: prompts[row]!, answers: [answer], weight: 1 })),
    crossEntropy,
  );
  await student.dispose();
  scores.forEach(([each], row) =>
    expect(largestDifference(each!, answers[row]!.logProbabilities)).toBeLessThan(1e-4),
  );
  return { tokens: answers.map(({ tokens }) => tokens), gradients };
}

it('computes layers of two kinds streamed as well as resident, and prompts in pieces', async () => {
  const whole = await computed({ layers: 'resident' });
  const others = [
    { layers: 'streamed', activations: 'kept' },
    { layers: 'streamed', activations: 'recomputed' },
    { layers: 'resident', contextBytes: 2 ** 24 },
  ] as const;
  for (const options of others) {
    const { tokens, gradients } = await computed(options);
    expect(tokens).toEqual(whole.tokens);
    for (const [name, values] of whole.gradients)
      expect(relativeDifference(gradients.get(name)!, values), name).toBeLessThan(1e-4);
  }
});
