/**
 * Gradients of a policy's trained parameters, from rows through a network with a loss: ∂loss/∂(visual tokens) goes back
 * through the projection; the gradients of an adapter's A and B come from the same run.
 */
import { adapterGradient, type AdapterValues } from '@emac/backbone';
import type { Random } from '@emac/core';
import type { Engine } from './engine.ts';
import type { PolicyParameters } from './rows/policy-parameters.ts';
import { floats, runRows, visualGradients, type RowRuns, type StudentRow } from './rows/row-runs.ts';

export interface GradientRuns extends Omit<RowRuns, 'visual'> {
  readonly rows: readonly StudentRow[];
  /** generator of the dropout on inputs of A; null without dropout */
  readonly dropout: Random | null;
}

/** By parameter, summed over all rows. */
export async function rowGradients(
  { layout, adapters, trains }: Engine,
  { visual, adapter }: PolicyParameters,
  { rows, dropout, session, feeds, take }: GradientRuns,
): Promise<Map<string, Float32Array>> {
  const values = adapter();
  const adapted = adapters.of(values);
  const ofAdapter = trains.adapter ? gradientSums(values) : new Map<string, Float32Array>();
  const runs: RowRuns = {
    visual,
    session,
    feeds: (group) => ({
      ...feeds?.(group),
      ...adapted,
      ...adapters.dropout(group.positions, dropout && dropout.stream(group.members[0]!)),
    }),
    take: (group, results) => {
      take(group, results);
      for (const [name, total] of ofAdapter) addTo(total, floats(results, adapterGradient(name)));
    },
  };
  if (!trains.projection || !visual) {
    await runRows(layout, rows, runs);
    return ofAdapter;
  }
  const gradient = await visualGradients(layout, rows, { ...runs, visual });
  const images = rows.flatMap((row) => row.images);
  return new Map([...visual.backward(images, gradient), ...ofAdapter]);
}

/** Zero gradients for an adapter. */
function gradientSums(values: AdapterValues | null): Map<string, Float32Array> {
  const parameters = [...(values?.parameters ?? [])];
  return new Map(parameters.map(([name, { data }]) => [name, new Float32Array(data.length)]));
}

function addTo(sum: Float32Array, more: Float32Array): void {
  for (let place = 0; place < sum.length; place++) sum[place]! += more[place]!;
}
