import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Random, type Answer, type Question, type Sampling } from '@emac/core';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  alphabet,
  randomAdapter,
  randomProjection,
  randomPrompt,
  writeRandomModel,
} from './random-model.test.support.ts';
import { createStudent, type Student, type StudentOptions } from './student.ts';

const folder = roomyModel();
afterAll(() => rmSync(folder, { recursive: true }));

/** The random model with 1,024 positions: pieces of streamed layers have 256. */
function roomyModel(): string {
  const folder = writeRandomModel({ layers: 2 });
  const path = join(folder, 'config.json');
  const config = JSON.parse(readFileSync(path, 'utf8')) as { text_config: object };
  const text_config = { ...config.text_config, max_position_embeddings: 1024 };
  writeFileSync(path, JSON.stringify({ ...config, text_config }));
  return folder;
}

async function open(options: Partial<StudentOptions>): Promise<Student> {
  const student = await createStudent({
    model: folder,
    projection: await randomProjection(),
    adapter: randomAdapter(folder),
    train: ['projection', 'adapter'],
    generation: { minLength: 1, maxLength: 5 },
    threads: 1,
    ...options,
  });
  onTestFinished(() => student.dispose());
  return student;
}

const random = Random.fromSeed('history');
const history = Array.from({ length: 620 }, () => random.pick([...alphabet])).join('');
interface Played {
  readonly sampling: Sampling;
  /** characters of the history at each step */
  readonly lengths: readonly number[];
  /** the first step that is asked */
  readonly from?: number;
}

/** Answers to the steps of an episode, one after the other; another one takes the first two steps beside it. */
async function played(student: Student, { sampling, lengths, from = 0 }: Played): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const [step, length] of lengths.entries()) {
    if (step < from) continue;
    const texts = [history.slice(0, length), ...(step < 2 ? [`b${history.slice(7, length)}`] : [])];
    const questions = texts.map((text, place): Question => {
      const drawn = sampling.kind === 'sample' ? Random.fromSeed(`${step}`).stream(place) : null;
      return { prompt: randomPrompt(text, 'room'), allowed: null, random: drawn };
    });
    answers.push(...(await student.decide(questions, sampling)));
  }
  return answers;
}

const samplings: Sampling[] = [
  { kind: 'search', beams: 1 },
  { kind: 'search', beams: 5 },
  { kind: 'sample', temperature: 1, topP: 1 },
];

describe.each([
  { layers: 'resident', lengths: [100, 139, 180, 301] },
  { layers: 'streamed', lengths: [260, 290, 520, 541] },
] as const)('a student that keeps prompts, layers $layers', ({ layers, lengths }) => {
  const keeping = () => open({ layers, contextBytes: 2 ** 20 });
  it('answers as one that reads them whole', async () => {
    const [kept, whole] = [await keeping(), await open({ layers })];
    for (const sampling of samplings) {
      const found = await played(kept, { sampling, lengths });
      for (const [place, expected] of (await played(whole, { sampling, lengths })).entries()) {
        expect(found[place]!.text).toBe(expected.text);
        expected.logProbabilities!.forEach((each, token) =>
          expect(found[place]!.logProbabilities![token]).toBeCloseTo(each, 4),
        );
      }
    }
  });

  it('answers in the middle of an episode with the bits of one that has played it from the start', async () => {
    const sampling = samplings[1]!;
    const [whole, resumed] = [await keeping(), await keeping()];
    const expected = (await played(whole, { sampling, lengths })).slice(4);
    expect(await played(resumed, { sampling, lengths, from: 2 })).toEqual(expected);
  });

  it.each(['projection', 'adapter'] as const)(
    'answers after a change of its %s with the new one',
    async (part) => {
      const change = (student: Student) => {
        const parameters = part === 'adapter' ? student.adapter!.parameters : student.projection!;
        for (const { data } of parameters.values())
          data.forEach((value, place) => (data[place] = 1.3 * value));
        student.commit();
      };
      const sampling = samplings[0]!;
      const [one, other] = [await keeping(), await keeping()];
      const before = await played(one, { sampling, lengths });
      change(one);
      change(other);
      const after = await played(one, { sampling, lengths });
      expect(after).toEqual(await played(other, { sampling, lengths }));
      expect(after).not.toEqual(before);
    },
  );
});
