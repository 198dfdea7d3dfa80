import { createSession, Graph, gradients, nodesWithInputs, op, type Value } from '@emac/graph';
import {
  preferenceDerivatives,
  preferenceLoss,
  preferenceLossOf,
  traceLoss,
  type PreferenceLogProbabilities,
  type PreferenceOptions,
} from '@emac/losses';
import { expect, it, onTestFinished } from 'vitest';

const losses: readonly Pick<PreferenceOptions, 'loss' | 'labelSmoothing'>[] = [
  { loss: 'sigmoid' },
  { loss: 'sigmoid', labelSmoothing: 0.1 },
  { loss: 'ipo' },
  { loss: 'hinge' },
];
const variants: PreferenceOptions[] = losses.flatMap((loss) =>
  [false, true].flatMap((referenceFree) =>
    [0, 0.5].map((mixRatio) => ({ ...loss, beta: 0.4, referenceFree, mixRatio })),
  ),
);

/** h = 1.5, −3.5, 3 with the reference; 2, −3, 1.75 without: on both sides of the hinge's bend at 2.5. */
const pairs: readonly PreferenceLogProbabilities<number>[] = [
  { policyChosen: -1, policyRejected: -3, referenceChosen: -2, referenceRejected: -2.5 },
  { policyChosen: -3.5, policyRejected: -0.5, referenceChosen: -0.75, referenceRejected: -1.25 },
  { policyChosen: -0.25, policyRejected: -2, referenceChosen: -2, referenceRejected: -0.75 },
];
const named = (place: number) => `number ${place}`;
const names = ['policyChosen', 'policyRejected', 'referenceChosen', 'referenceRejected'] as const;

it.each(variants)('%j on graph nodes gives the same values and gradients as on numbers', async (options) => {
  const graph = new Graph();
  const inputs = names.map((name) => [name, graph.input(name, 'float32', ['P'])] as const);
  const each = preferenceLoss(nodesWithInputs(graph, named), Object.fromEntries(inputs) as never, options);
  const [chosen, rejected] = inputs.map(([, tensor]) => tensor);
  const slopes = gradients([op.reduceSum(each, [0])], [null], [chosen!, rejected!]);
  graph.output('losses', each);
  slopes.forEach((slope, index) => graph.output(names[index]!.replace('policy', 'slope'), slope!));
  const session = await createSession(graph, { threads: 1 });
  onTestFinished(() => session.dispose());
  const feeds = names.map((name): [string, Value] => [
    name,
    { type: 'float32', shape: [pairs.length], data: Float32Array.from(pairs, (pair) => pair[name]) },
  ]);
  const { constants } = traceLoss(preferenceLossOf(options));
  const numbers = constants.map((number, place): [string, Value] => [
    named(place),
    { type: 'float32', shape: [], data: Float32Array.of(number) },
  ]);
  const results = await session.run(Object.fromEntries([...feeds, ...numbers]));
  const values = (name: string) => [...(results[name]!.data as Float32Array)];
  pairs.forEach((pair, index) => {
    const expected = preferenceDerivatives((a, p) => preferenceLoss(a, p, options), pair);
    expect(values('losses')[index]).toBeCloseTo(expected.loss, 5);
    expect(values('slopeChosen')[index]).toBeCloseTo(expected.chosen, 5);
    expect(values('slopeRejected')[index]).toBeCloseTo(expected.rejected, 5);
  });
});
