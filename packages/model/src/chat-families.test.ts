import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openModelFiles } from '@emac/backbone';
import { promptOf, type Frame, type TokenLoss } from '@emac/core';
import { openSafetensors, readFloat32, readTensor } from '@emac/files';
import { isLong } from '@emac/testing';
import { describe, expect, it } from 'vitest';
import { projectionOf } from './projection/projection.ts';
import { largestDifference, randomAdapter, relativeDifference } from './random-model.test.support.ts';
import { createStudent, type StudentOptions } from './student.ts';
import { loadTensorflow } from './projection/tensorflow.ts';

const fixtures = fileURLToPath(new URL('../../backbone/fixtures/families/', import.meta.url));
const { tf } = await loadTensorflow('cpu');

interface Row {
  readonly images: readonly number[];
  readonly text: string;
  readonly answer: string;
}

const projectionNames = (folder: string) =>
  [...openModelFiles(folder).tensors.keys()].filter((each) => each.startsWith('language_projection.'));

const open = async (name: string, options: Partial<StudentOptions> = {}) => {
  const folder = join(fixtures, name);
  const files = openModelFiles(folder);
  const names = projectionNames(folder);
  const projection = projectionOf(tf, new Map(names.map((each) => [each, files.read(each)])));
  const student = await createStudent({
    model: files,
    projection,
    generation: { minLength: 0, maxLength: 24 },
    threads: 1,
    ...options,
  });
  const inputs = openSafetensors(join(folder, 'inputs.safetensors'));
  const { rows } = JSON.parse(readFileSync(join(folder, 'fixture.json'), 'utf8')) as { rows: Row[] };
  const prompts = await Promise.all(
    rows.map(async ({ images, text }) => {
      const seen = await Promise.all(
        images.map((image) => student.encode!(frameOf(readTensor(inputs, `image_${image}`)))),
      );
      return promptOf(seen, text);
    }),
  );
  return { folder, student, rows, prompts };
};

function frameOf({ shape, data }: ReturnType<typeof readTensor>): Frame {
  return { height: shape[0]!, width: shape[1]!, data };
}

const crossEntropy: TokenLoss = {
  over: 'tokens',
  formula: ({ scale }, { logProbability }) => scale(logProbability, -1),
};

/** Positions of three axes and a deep stack, tiles and a sliding window, marks and no bias; `npm run check:long` tests the others. */
const tried = isLong ? readdirSync(fixtures) : ['qwen3_vl', 'llava_next_mistral', 'smolvlm'];

describe.each(tried)('%s', (name) => {
  it('scores its own answers, one by one or batched, with the same log-probabilities', async () => {
    const { student, prompts } = await open(name);
    const ask = (asked: typeof prompts) =>
      student.decide(
        asked.map((prompt) => ({ prompt, allowed: null, random: null })),
        { kind: 'search', beams: 1 },
      );
    const together = await ask([...prompts, ...prompts]);
    const alone = await ask([prompts[1]!]);
    expect(alone[0]!.tokens).toEqual(together[1]!.tokens);
    // read in pieces, the pictures of a prompt cut where they stand
    const inPieces = await open(name, { contextBytes: 2 ** 24 });
    const pieced = await inPieces.student.decide(
      prompts.map((prompt) => ({ prompt, allowed: null, random: null })),
      { kind: 'search', beams: 1 },
    );
    expect(pieced.map(({ tokens }) => tokens)).toEqual(
      together.slice(0, prompts.length).map(({ tokens }) => tokens),
    );
    await inPieces.student.dispose();
    const scores = await student.score(
      prompts.map((prompt, row) => ({ prompt, answers: [together[row]!.tokens] })),
    );
    scores.forEach(([found], row) =>
      found!.forEach((score, token) =>
        expect(Math.abs(score - together[row]!.logProbabilities[token]!)).toBeLessThan(1e-4),
      ),
    );
    await student.dispose();
  });

  it('acts, trains and computes values with an adapter, streamed as well as resident', async () => {
    const adapter = randomAdapter(join(fixtures, name));
    const base = await open(name);
    const found = [];
    for (const layers of ['resident', 'streamed'] as const) {
      const { student, prompts, rows } = await open(name, {
        adapter,
        train: ['projection', 'adapter'],
        layers,
      });
      const answers = await student.decide(
        prompts.map((prompt) => ({ prompt, allowed: null, random: null })),
        { kind: 'search', beams: 1 },
      );
      const scored = prompts.map((prompt, row) => ({ prompt, answers: [answers[row]!.tokens] }));
      const scores = (await student.score(scored)).map(([each]) => each!);
      scores.forEach((each, row) =>
        expect(largestDifference(each, answers[row]!.logProbabilities)).toBeLessThan(1e-4),
      );
      const plain = (await base.student.score(scored)).map(([each]) => each!);
      expect(largestDifference(plain[0]!, scores[0]!)).toBeGreaterThan(1e-3);
      const learned = rows.map(({ answer }, row) => ({
        prompt: prompts[row]!,
        answers: [answer],
        weight: 1,
      }));
      const { gradients } = await student.gradient(learned, crossEntropy);
      const states = await student.states(prompts);
      // for ½ Σ state² the slope in a state is the state itself
      const ofStates = await student.stateGradients(prompts, states);
      // along g / |g| the slope is |g|
      const own = [...ofStates].filter(([each]) => each.includes('lora_B'));
      const norm = Math.sqrt(own.reduce((sum, [, each]) => each.reduce((a, b) => a + b * b, sum), 0));
      const half = async (step: number): Promise<number> => {
        const move = (by: number) => {
          for (const [each, values] of own) {
            const { data } = student.adapter!.parameters.get(each)!;
            values.forEach((value, place) => (data[place]! += (by * value) / norm));
          }
          student.commit();
        };
        move(step);
        const moved = await student.states(prompts);
        move(-step);
        return moved.reduce((sum, each) => sum + 0.5 * each * each, 0);
      };
      const width = 2 ** -7;
      const slope = ((await half(width)) - (await half(-width))) / (2 * width);
      expect(Math.abs(slope / norm - 1)).toBeLessThan(0.01);
      found.push(
        new Map([
          ...gradients,
          ...[...ofStates].map(([each, values]) => [`states ${each}`, values] as const),
        ]),
      );
      await student.dispose();
    }
    await base.student.dispose();
    const [whole, streamed] = found;
    expect([...streamed!.keys()]).toEqual([...whole!.keys()]);
    for (const [each, values] of whole!)
      expect(relativeDifference(streamed!.get(each)!, values), each).toBeLessThan(1e-4);
  });

  it("has transformers' gradient in the connector, up to features rounded to float16", async () => {
    const { folder, student, rows, prompts } = await open(name);
    const expected = openSafetensors(join(folder, 'expected.safetensors'));
    const counts = rows.map(({ answer }) => student.countAnswerTokens(answer));
    const weight = 1 / counts.reduce((sum, count) => sum + count, 0);
    const { loss, gradients } = await student.gradient(
      rows.map(({ answer }, row) => ({ prompt: prompts[row]!, answers: [answer], weight })),
      crossEntropy,
    );
    expect(Math.abs(loss / readFloat32(expected, 'loss')[0]! - 1)).toBeLessThan(1e-3);
    const names = [...gradients.keys()].filter((each) => each.startsWith('language_projection.'));
    expect(names).toEqual(projectionNames(folder));
    for (const full of names) {
      const part = full.slice('language_projection.'.length);
      const ours = gradients.get(full)!;
      const wanted = readFloat32(expected, `grad_connector_${part.replace('.', '_')}`);
      const largest = Math.max(...wanted.map(Math.abs));
      const error = Math.max(...ours.map((value, index) => Math.abs(value - wanted[index]!)));
      expect(error / largest, part).toBeLessThan(1e-2);
    }
    await student.dispose();
  });
});
