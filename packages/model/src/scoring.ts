/** Log-probabilities of answers, token by token, without a gradient. */
import type { ScoredRow } from '@emac/core';
import type { Engine } from './engine.ts';
import { readPrompt } from './read-prompt.ts';
import { logProbabilityNetwork } from './row-graphs.ts';
import { alike, floats, runRows, type StudentRow } from './row-runs.ts';
import type { VisualTokens } from './visual-tokens.ts';

/** Rows with the same prompt are one row with all their answers. Errors: as `Scorer`'s. */
export async function score(
  engine: Engine,
  visual: VisualTokens,
  rows: readonly ScoredRow[],
): Promise<Float32Array[][]> {
  const { tokens, sessions, network, layout } = engine;
  const answers = rows.flatMap(({ prompt, answers }) => {
    const read = readPrompt(prompt, engine);
    return answers.map((answer) => ({ ...read, answer }));
  });
  const prompts = alike(answers, ({ images, text }) => JSON.stringify([images.map(({ key }) => key), text]));
  const merged = prompts.map((places): StudentRow => {
    const { images, pictures, text } = answers[places[0]!]!;
    const texts = { pictures, text, answers: places.map((place) => answers[place]!.answer) };
    return { images, tokens: tokens.row(texts) };
  });
  const found = answers.map((): number[] => []);
  const session = await sessions.open('log-probabilities', (model) => logProbabilityNetwork(model, network));
  await runRows(layout, merged, {
    visual,
    session,
    take: ({ members, owners }, results) => {
      const values = floats(results, 'log_probabilities');
      owners.forEach(({ row, response }, label) => {
        found[prompts[members[row]!]![response]!]!.push(values[label]!);
      });
    },
  });
  let next = 0;
  return rows.map((row) => row.answers.map(() => Float32Array.from(found[next++]!)));
}
