import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { int8ModelFiles, loadBackbone, openModelFiles } from '@emac/backbone';
import type { GradientRow } from '@emac/core';
import { imitationLoss } from '@emac/losses';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  openQuestion,
  randomProjection,
  randomPrompt,
  writeRandomModel,
} from './random-model.test.support.ts';
import { createStudent, type Student } from './student.ts';

const rows: GradientRow[] = [
  { prompt: randomPrompt('abc >', 'one'), answers: [' go'], weight: 0.5 },
  { prompt: randomPrompt('abc > lo >', 'two'), answers: [' be kind'], weight: 0.5 },
];
const folder = writeRandomModel({ dtype: 'F16', layers: 3 });
const cache = mkdtempSync(join(tmpdir(), 'emac-int8-cache-'));
const int8 = () => int8ModelFiles(openModelFiles(folder), { identity: 'f'.repeat(64), folder: cache });

describe('weights of eight bits', () => {
  let exact: Student;
  let rounded: Student;
  beforeAll(async () => {
    const open = async (model: Parameters<typeof createStudent>[0]['model']) =>
      createStudent({
        model,
        projection: await randomProjection(),
        threads: 1,
        identity: 'model',
        generation: { minLength: 1, maxLength: 6 },
      });
    exact = await open(folder);
    rounded = await open(await int8());
  });
  afterAll(async () => {
    await Promise.all([exact.dispose(), rounded.dispose()]);
    for (const each of [folder, cache]) rmSync(each, { recursive: true });
  });

  it('change loss and gradient, by a few percent', async () => {
    const [wanted, found] = [
      await exact.gradient(rows, imitationLoss),
      await rounded.gradient(rows, imitationLoss),
    ];
    const lossError = Math.abs(found.loss / wanted.loss - 1);
    expect(lossError).toBeGreaterThan(1e-6);
    expect(lossError).toBeLessThan(0.02);
    for (const [name, gradient] of wanted.gradients) {
      const squares = (value: (index: number) => number) =>
        gradient.reduce((sum, _, index) => sum + value(index) ** 2, 0);
      const error = squares((index) => found.gradients.get(name)![index]! - gradient[index]!);
      expect(Math.sqrt(error / squares((index) => gradient[index]!)), name).toBeLessThan(0.2);
    }
  });

  it('answer prompts', async () => {
    const questions = [openQuestion(rows[0]!.prompt)];
    const [answer] = await rounded.decide(questions, { kind: 'search', beams: 2 });
    expect(answer!.tokens.length).toBeGreaterThan(0);
  });

  it('cannot be resident', async () => {
    const files = await int8();
    expect(() => loadBackbone(files, { layers: 'resident' })).toThrow(/can only be streamed/);
  });
});
