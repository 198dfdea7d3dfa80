/** A text model spoken to in turns: an episode's rows are one growing sequence, with the numbers of separate rows. */
import { fileURLToPath } from 'node:url';
import { openModelFiles } from '@emac/backbone';
import { promptOf, type GradientRow } from '@emac/core';
import { imitationLoss } from '@emac/losses';
import { expect, it } from 'vitest';
import { openEngine } from './engine.ts';
import { randomAdapter, relativeDifference } from './random-model.test.support.ts';
import { joinRows } from './rows/shared-beginnings.ts';
import { createStudent } from './student.ts';

const folder = fileURLToPath(new URL('../../backbone/fixtures/text/llama', import.meta.url));
const commands = ['go to desk 1', 'take pen 1', 'look'];
const history = ['room\ntask', 'You see a pen 1.', 'You hold it.'];
const prompts = history.map(
  (_, step) =>
    `${history
      .slice(0, step + 1)
      .map((seen, place) => (place === 0 ? seen : `\n> ${commands[place - 1]}\n${seen}`))
      .join('')}\n>`,
);
const generation = { minLength: 1, maxLength: 24 };

it('reads an episode once: each prompt, its answer and the end token begin the next prompt', async () => {
  const engine = await openEngine({ model: folder, generation, dialogue: 'turns' });
  const rows = prompts.map((text, step) =>
    engine.tokens.row({ pictures: [], text, answers: [commands[step]!] }),
  );
  const [joined, ...others] = joinRows(rows, { key: () => '', longest: 1000 });
  expect(others).toEqual([]);
  expect(joined!.rows).toEqual([2, 0, 1]);
  // nothing of an earlier prompt differs from the last one's beginning
  expect(joined!.tokens.branches!.map(({ rest }) => rest)).toEqual([[], []]);
  const said = [...rows[0]!.prompt, ...rows[0]!.responses[0]!];
  expect(said.at(-1)).toBe(engine.tokens.endToken);
  expect(rows[1]!.prompt.slice(0, said.length)).toEqual(said);
  await engine.dispose();
});

it('gives the scores, loss and gradients of separate rows', async () => {
  const rows: GradientRow[] = prompts.map((text, step) => ({
    prompt: promptOf([], text),
    answers: [commands[step]!],
    weight: 0.1 * (step + 1),
  }));
  const found = [];
  for (const sharedBeginnings of [false, true]) {
    const student = await createStudent({
      model: openModelFiles(folder),
      projection: null,
      adapter: randomAdapter(folder),
      train: ['adapter'],
      threads: 1,
      generation,
      dialogue: 'turns',
      savings: { sharedBeginnings },
    });
    const scores = (await student.score(rows)).flat().flatMap((each) => [...each]);
    found.push({ scores, ...(await student.gradient(rows, imitationLoss)) });
    await student.dispose();
  }
  const [apart, together] = [found[0]!, found[1]!];
  expect(relativeDifference(together.scores, apart.scores)).toBeLessThan(1e-5);
  expect(Math.abs(together.loss / apart.loss - 1)).toBeLessThan(1e-5);
  for (const [name, values] of apart.gradients)
    expect(relativeDifference(together.gradients.get(name)!, values), name).toBeLessThan(1e-4);
});
