/**
 * The gradient of a loss crosses two engines: tfjs maps features to visual tokens V, one graph run gives the loss and
 * ∂loss/∂V through the frozen language model, tfjs carries ∂loss/∂V into the parameters. Losses of one form are one graph,
 * whatever their numbers. The gradients of an adapter come from the same run.
 */
import { adapterGradient, type AdapterValues } from '@emac/backbone';
import type { Gradient, GradientRow, Loss } from '@emac/core';
import type { Value } from '@emac/graph';
import { traceLoss } from '@emac/losses';
import type { Engine } from './engine.ts';
import { checkAnswers, lossFeeds } from './loss-feeds.ts';
import { readPrompt } from './read-prompt.ts';
import type { PolicyParameters } from './policy-parameters.ts';
import { lossNames, lossNetwork } from './row-graphs.ts';
import {
  floats,
  runRows,
  visualGradients,
  type RowGroup,
  type RowRuns,
  type StudentRow,
} from './row-runs.ts';

export interface LossOfRows {
  readonly rows: readonly GradientRow[];
  readonly loss: Loss;
}

/** Errors: as `Trainable`'s. */
export async function lossGradient(
  engine: Engine,
  { visual, adapter }: PolicyParameters,
  { rows, loss }: LossOfRows,
): Promise<Gradient> {
  const { sessions, network, layout, adapters, trains } = engine;
  checkAnswers({ loss, rows });
  const studentRows = rows.map((row) => studentRow(engine, row));
  const trace = traceLoss(loss);
  const session = await sessions.open(trace.form, (model) => lossNetwork(model, { loss, ...network }));
  const logProbabilities = rows.map((): number[] => []);
  const values = adapter();
  const adapted = adapters.of(values);
  const dropout = adapters.random(values, rows);
  const ofAdapter = trains.adapter ? gradientSums(values) : new Map<string, Float32Array>();
  let sum = 0;
  const runs: RowRuns = {
    visual,
    session,
    feeds: (group) => ({
      ...lossFeeds({ loss, trace, rows }, group),
      ...adapted,
      ...adapters.dropout(group.positions, dropout && dropout.stream(group.members[0]!)),
    }),
    take: (group, results) => {
      sum += floats(results, 'loss')[0]!;
      takeLogProbabilities(loss, { group, results, found: logProbabilities });
      for (const [name, total] of ofAdapter) addTo(total, floats(results, adapterGradient(name)));
    },
  };
  if (!trains.projection) {
    await runRows(layout, studentRows, runs);
    return { loss: sum, gradients: ofAdapter, logProbabilities };
  }
  const gradient = await visualGradients(layout, studentRows, runs);
  const images = studentRows.flatMap((row) => row.images);
  const gradients = new Map([...visual.backward(images, gradient), ...ofAdapter]);
  return { loss: sum, gradients, logProbabilities };
}

/** Zeros for the gradient of every number of an adapter. */
function gradientSums(values: AdapterValues | null): Map<string, Float32Array> {
  const parameters = [...(values?.parameters ?? [])];
  return new Map(parameters.map(([name, { data }]) => [name, new Float32Array(data.length)]));
}

function addTo(sum: Float32Array, more: Float32Array): void {
  for (let place = 0; place < sum.length; place++) sum[place]! += more[place]!;
}

function studentRow({ tokens }: Engine, { prompt, answers }: GradientRow): StudentRow {
  const { images, text } = readPrompt(prompt);
  return { images, tokens: tokens.row({ images: images.length, text, answers }) };
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
