/**
 * The gradient of a loss crosses two engines: tfjs maps features to visual tokens V, one graph run gives the loss and
 * ∂loss/∂V through the frozen language model, tfjs carries ∂loss/∂V into the parameters. Losses of one form are one graph,
 * whatever their numbers.
 */
import type { Gradient, GradientRow, Loss } from '@emac/core';
import type { Value } from '@emac/graph';
import { traceLoss } from '@emac/losses';
import type { Engine } from './engine.ts';
import { checkAnswers, lossFeeds } from './loss-feeds.ts';
import { readPrompt } from './read-prompt.ts';
import { lossNames, lossNetwork } from './row-graphs.ts';
import { floats, visualGradients, type RowGroup, type StudentRow } from './row-runs.ts';
import type { VisualTokens } from './visual-tokens.ts';

export interface LossOfRows {
  readonly rows: readonly GradientRow[];
  readonly loss: Loss;
}

/** Errors: as `Trainable`'s. */
export async function lossGradient(
  engine: Engine,
  visual: VisualTokens,
  { rows, loss }: LossOfRows,
): Promise<Gradient> {
  const { sessions, network, layout } = engine;
  checkAnswers({ loss, rows });
  const studentRows = rows.map((row) => studentRow(engine, row));
  const trace = traceLoss(loss);
  const session = await sessions.open(trace.form, (model) => lossNetwork(model, { loss, ...network }));
  const logProbabilities = rows.map((): number[] => []);
  let sum = 0;
  const gradient = await visualGradients(layout, studentRows, {
    visual,
    session,
    feeds: (group) => lossFeeds({ loss, trace, rows }, group),
    take: (group, results) => {
      sum += floats(results, 'loss')[0]!;
      takeLogProbabilities(loss, { group, results, found: logProbabilities });
    },
  });
  const images = studentRows.flatMap((row) => row.images);
  return { loss: sum, gradients: visual.backward(images, gradient), logProbabilities };
}

function studentRow(engine: Engine, { prompt, answers }: GradientRow): StudentRow {
  const { images, pictures, text } = readPrompt(prompt, engine);
  return { images, tokens: engine.tokens.row({ pictures, text, answers }) };
}

interface Run {
  readonly group: RowGroup;
  readonly results: Readonly<Record<string, Value>>;
  /** by row */
  readonly found: readonly number[][];
}

function takeLogProbabilities(loss: Loss, { group: { members, owners }, results, found }: Run): void {
  if (loss.over === 'tokens') {
    const values = floats(results, 'log_probabilities');
    owners.forEach(({ row }, label) => found[members[row]!]!.push(values[label]!));
    return;
  }
  for (let answer = 0; answer < loss.answers; answer++) {
    const values = floats(results, lossNames.answer(answer));
    members.forEach((place, row) => found[place]!.push(values[row]!));
  }
}
