import { rmSync } from 'node:fs';
import type { Adapter } from '@emac/backbone';
import type { GradientRow } from '@emac/core';
import { imitationLoss } from '@emac/losses';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  largestDifference,
  randomAdapter,
  randomProjection,
  randomPrompt,
  writeRandomModel,
} from './random-model.test.support.ts';
import { createStudent, type Student, type StudentOptions } from './student.ts';

const model = writeRandomModel();
afterAll(() => rmSync(model, { recursive: true }));

const rows: GradientRow[] = [
  { prompt: randomPrompt('abc >', 'one'), answers: [' go'], weight: 0.5 },
  // ids of any length
  { prompt: randomPrompt('a', 'two'), answers: [[3, 4, 5, 6, 7, 8, 9, 10, 11, 12]], weight: 0.2 },
];

async function open(options: Partial<StudentOptions> = {}): Promise<Student> {
  const student = await createStudent({
    model,
    projection: await randomProjection(),
    threads: 1,
    generation: { minLength: 1, maxLength: 8 },
    adapter: randomAdapter(model),
    train: ['projection', 'adapter'],
    ...options,
  });
  onTestFinished(() => student.dispose());
  return student;
}

/** The students' adapter with other numbers and another rank. */
function other(): Adapter {
  const adapter = randomAdapter(model, { rank: 2 });
  for (const { data } of adapter.parameters.values())
    data.forEach((value, place) => (data[place] = -value / 2));
  return adapter;
}

const scores = async ({ score }: Pick<Student, 'score'>) =>
  (await score(rows)).flatMap(([answer]) => [...answer!]);

describe('a second adapter', () => {
  it.each([['projection', 'adapter'] as const, ['adapter'] as const].map((train) => ({ train })))(
    'scores and learns as the only one of another student would, beside $train',
    async ({ train }) => {
      const student = await open({ train });
      const alone = await open({ adapter: other(), train: ['adapter'] });
      const second = student.beside(other());
      expect(largestDifference(await scores(second), await scores(alone))).toBeLessThan(1e-5);
      expect(largestDifference(await scores(second), await scores(student))).toBeGreaterThan(1e-2);
      const [found, expected] = [second, alone].map((each) => each.gradient(rows, imitationLoss));
      const { gradients, loss } = await expected!;
      expect((await found!).loss).toBeCloseTo(loss, 5);
      // of nothing else, such as the projection
      expect([...(await found!).gradients.keys()]).toEqual([...gradients.keys()]);
      for (const [name, slopes] of gradients)
        expect(largestDifference((await found!).gradients.get(name)!, slopes), name).toBeLessThan(2e-5);
      expect(second.groups.flatMap(({ parameters }) => [...parameters.keys()])).toEqual([
        ...gradients.keys(),
      ]);
    },
  );

  it("trains alone, and uses the student's current projection", async () => {
    const student = await open();
    const second = student.beside(other());
    const before = { own: await scores(student), second: await scores(second) };
    for (const { data } of second.adapter.parameters.values()) data.fill(0);
    expect(await scores(second)).toEqual(before.second);
    second.commit();
    // only the base is left
    const base = student.under(student.projection!);
    expect(largestDifference(await scores(second), await scores(base))).toBeLessThan(1e-6);
    base.dispose();
    expect(await scores(student)).toEqual(before.own);
    for (const { data } of student.projection!.values()) data.fill(0);
    student.commit();
    const blind = student.under(student.projection!);
    expect(largestDifference(await scores(second), await scores(blind))).toBeLessThan(1e-6);
    blind.dispose();
  });

  it('needs a student that trains an adapter of the same base', async () => {
    const fixed = await open({ train: ['projection'] });
    expect(() => fixed.beside(other())).toThrow(/needs a first one in training/);
    const narrow = await open({ adapter: randomAdapter(model, { targets: ['q_proj'] }) });
    expect(() => narrow.beside(other())).toThrow(/opened for q_proj/);
  });

  it("offers the student's tokenization of answers and the room for them", async () => {
    const student = await open();
    // ' go' in characters, without end token; may be longer than an answer
    expect(student.answerTokens(' go')).toHaveLength(3);
    expect(student.answerTokens('abcdefghijkl')).toHaveLength(12);
    // 64 positions: 3 visual tokens, begin token, 5 characters
    expect(student.answerRoom(randomPrompt('abc >', 'one'))).toBe(55);
  });
});
