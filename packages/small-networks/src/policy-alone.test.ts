import { parametersOf, Random, type GradientRow, type Loss } from '@emac/core';
import { grpoLoss, preferenceLossOf } from '@emac/losses';
import { expect, it, onTestFinished } from 'vitest';
import { mlp } from './architecture.ts';
import { policyAlone, type PolicyAlone } from './policy-alone.ts';
import { createSmallNetwork } from './small-network.ts';

/** The same with drawn parameters in place of its start. */
function lively(policy: PolicyAlone, random: Random): PolicyAlone {
  for (const { data } of parametersOf(policy).values())
    for (let place = 0; place < data.length; place++) data[place] = 0.6 * random.normal();
  policy.commit();
  return policy;
}

/** The first slope of every parameter is that of central differences. */
async function expectDifferences(policy: PolicyAlone, rows: readonly GradientRow[], loss: Loss) {
  const { gradients } = await policy.gradient(rows, loss);
  for (const [name, { data }] of parametersOf(policy)) {
    const kept = data[0]!;
    const at = async (value: number) => {
      data[0] = value;
      return (await policy.gradient(rows, loss)).loss;
    };
    // float32: a step of 1e-2 leaves errors of about 1e-5 / 1e-2
    const difference = ((await at(kept + 1e-2)) - (await at(kept - 1e-2))) / 2e-2;
    data[0] = kept;
    expect(Math.abs(gradients.get(name)![0]! - difference)).toBeLessThan(2e-3);
  }
}

it('has the gradient of a policy loss in its own parameters, by finite differences', async () => {
  const architecture = mlp({ inputs: [{ array: 'seen', encode: 'numbers', size: 2 }], hidden: [3] });
  const start = Random.fromSeed(3);
  const network = await createSmallNetwork({ architecture, actions: ['left', 'right', 'wait'], start });
  onTestFinished(() => network.dispose());
  const policy = lively(policyAlone(network), start);
  const row = (action: number, advantage: number, ...seen: number[]): GradientRow => ({
    prompt: [{ kind: 'array', name: 'seen', values: { shape: [2], data: Float32Array.from(seen) } }],
    answers: [[action]],
    weight: 0.5,
    constants: { advantage, sampledLogProbability: [-1.1] },
  });
  const rows = [row(0, 1, 0.5, -1), row(2, -0.7, 1, 0.3)];
  const loss = grpoLoss({ clip: null, beta: 0 });
  const found = await policy.gradient(rows, loss);

  // Σ weight · −A · π / π_sampled, from the probabilities of both actions
  const expected = found.logProbabilities.reduce(
    (sum, [now], place) => sum + 0.5 * -[1, -0.7][place]! * Math.exp(now! + 1.1),
    0,
  );
  expect(found.loss).toBeCloseTo(expected, 5);
  expect([...found.gradients.keys()]).toEqual([...parametersOf(policy).keys()]);
  const critics = network.groups.value.flatMap(({ parameters: own }) => [...own.keys()]);
  expect(critics.some((name) => found.gradients.has(name))).toBe(false);
  await expectDifferences(policy, rows, loss);
});

it('scores actions as it acts, and has the gradient of a preference between two, by finite differences', async () => {
  const architecture = mlp({ inputs: [{ array: 'seen', encode: 'numbers', size: 2 }], hidden: [3] });
  const actions = ['left', 'right', 'wait'];
  const start = Random.fromSeed(5);
  const network = await createSmallNetwork({ architecture, actions, start });
  onTestFinished(() => network.dispose());
  const policy = lively(policyAlone(network), start);
  const seen = {
    kind: 'array',
    name: 'seen',
    values: { shape: [2], data: Float32Array.of(0.5, -1) },
  } as const;

  const answers = [...actions, [1]];
  const [scores] = await policy.scoreWithEntropy([{ prompt: [seen], answers }]);
  const [left, right, wait, byIndex] = scores!.map(({ logProbabilities }) => logProbabilities[0]!);
  expect(Math.exp(left!) + Math.exp(right!) + Math.exp(wait!)).toBeCloseTo(1, 5);
  expect(byIndex).toBe(right);
  const entropy = -[left!, right!, wait!].reduce((sum, each) => sum + Math.exp(each) * each, 0);
  for (const { entropies } of scores!) expect(entropies[0]).toBeCloseTo(entropy, 5);
  expect(actions.map((action) => policy.countAnswerTokens(action))).toEqual([1, 1, 1]);

  const constants = { referenceChosen: -1.2, referenceRejected: -0.9 };
  const rows: GradientRow[] = [{ prompt: [seen], answers: ['right', 'wait'], weight: 0.5, constants }];
  const loss = preferenceLossOf({ beta: 0.4, mixRatio: 0.25 });
  const found = await policy.gradient(rows, loss);
  expect(found.logProbabilities).toEqual([[right, wait]]);
  // −log σ(β((chosen − rejected) − (reference of both))) − mix · chosen
  const margin = 0.4 * (right! - wait! - (-1.2 - -0.9));
  expect(found.loss).toBeCloseTo(0.5 * (Math.log1p(Math.exp(-margin)) - 0.25 * right!), 5);
  await expectDifferences(policy, rows, loss);
});
