/**
 * The gradient of a loss crosses two engines: tfjs maps features to visual tokens V, one graph run gives the loss and
 * ∂loss/∂V through the frozen language model, and tfjs carries ∂loss/∂V into the parameters. Losses of one form share one
 * graph, whatever their numbers. An adapter's gradients come from the same run.
 */
import type { Gradient, GradientRow, Loss } from '@emac/core';
import type { Value } from '@emac/graph';
import { traceLoss } from '@emac/losses';
import type { Engine } from './engine.ts';
import { checkAnswers, lossFeeds } from './rows/loss-feeds.ts';
import { readPrompt } from './read-prompt.ts';
import type { PolicyParameters } from './rows/policy-parameters.ts';
import { rowGradients } from './row-gradients.ts';
import { lossNames, lossNetwork, networkName } from './rows/row-graphs.ts';
import { demandsOf, floats, temperaturesOf, type RowGroup, type StudentRow } from './rows/row-runs.ts';

export interface LossOfRows {
  readonly rows: readonly GradientRow[];
  readonly loss: Loss;
}

/** Errors: as `Trainable`'s. */
export async function lossGradient(
  engine: Engine,
  parameters: PolicyParameters,
  { rows, loss }: LossOfRows,
): Promise<Gradient> {
  const { sessions, network, adapters } = engine;
  checkAnswers({ loss, rows });
  const studentRows = rows.map((row) => studentRow(engine, row));
  const trace = traceLoss(loss);
  const demands = demandsOf(studentRows);
  const session = await sessions.open(networkName(trace.form, demands), (model) =>
    lossNetwork(model, { loss, ...network, ...demands }),
  );
  const logProbabilities = rows.map((): number[] => []);
  let sum = 0;
  const gradients = await rowGradients(engine, parameters, {
    rows: studentRows,
    session,
    dropout: adapters.random(parameters.adapter(), rows),
    feeds: (group) => lossFeeds({ loss, trace, rows }, group),
    take: (group, results) => {
      sum += floats(results, 'loss')[0]!;
      takeLogProbabilities(loss, { group, results, found: logProbabilities });
    },
  });
  return { loss: sum, gradients, logProbabilities };
}

function studentRow(engine: Engine, row: GradientRow): StudentRow {
  const { images, pictures, text } = readPrompt(row.prompt, engine);
  const { answers, scored, possible } = row;
  const tokens = engine.tokens.row({ pictures, text, answers, ...(scored && { scored }) });
  return { images, tokens, temperatures: temperaturesOf(row), ...(possible && { possible }) };
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
