import {
  Random,
  type ActorCriticRow,
  type Loss,
  type ParameterSet,
  type Prompt,
  type Question,
  type ValueLoss,
} from '@emac/core';
import { clippedPolicyLoss, imitationLoss, numbers, valueLossOf, type PolicyLossOptions } from '@emac/losses';
import { describe, expect, it, onTestFinished } from 'vitest';
import { cnn, mlp, type Architecture } from './architecture.ts';
import { readInputs } from './array-inputs.ts';
import { orthogonal } from './orthogonal.ts';
import { createSmallNetwork, type SmallNetwork } from './small-network.ts';

const actions = ['left', 'right', 'wait'];
const prompt = (...data: number[]): Prompt => [
  { kind: 'array', name: 'seen', values: { shape: [data.length], data: Float32Array.from(data) } },
];
const perceptron = mlp({ inputs: [{ array: 'seen', encode: 'numbers', size: 2 }], hidden: [5, 4] });

async function open(
  architecture: Architecture = perceptron,
  start: Random | ParameterSet = Random.fromSeed(3),
): Promise<SmallNetwork> {
  const network = await createSmallNetwork({ architecture, actions, start });
  onTestFinished(() => network.dispose());
  return network;
}

const parametersIn = ({ groups }: SmallNetwork): ParameterSet =>
  new Map([...groups.policy, ...groups.value].flatMap(({ parameters }) => [...parameters]));

const question = (of: Prompt, more: Partial<Question> = {}): Question => ({
  prompt: of,
  allowed: null,
  random: null,
  ...more,
});
const draw = { kind: 'sample', temperature: 1, topP: 1 } as const;
const search = { kind: 'search', beams: 1 } as const;

/** Parameters with last layers as large as the others, so that every part has an effect. */
function lively(random: Random, network: SmallNetwork): void {
  for (const { data } of parametersIn(network).values())
    for (let place = 0; place < data.length; place++) data[place] = 0.6 * random.normal();
  network.commit();
}

describe('orthogonal initialization', () => {
  it.each([
    [[3, 5], 2],
    [[5, 3], 0.5],
    [[4, 2, 3, 3], 1],
  ])('of shape %j has orthonormal rows or columns, times the gain %d', (shape, gain) => {
    const data = orthogonal(Random.fromSeed(1), shape, gain);
    const [rows, columns] = [shape[0]!, data.length / shape[0]!];
    const vectors =
      rows <= columns
        ? Array.from({ length: rows }, (_, row) => [...data.subarray(row * columns, (row + 1) * columns)])
        : Array.from({ length: columns }, (_, column) =>
            [...data].filter((_value, place) => place % columns === column),
          );
    vectors.forEach((a, i) =>
      vectors.forEach((b, j) => {
        const product = a.reduce((sum, value, place) => sum + value * b[place]!, 0);
        expect(product).toBeCloseTo(i === j ? gain * gain : 0, 5);
      }),
    );
  });
});

describe('array inputs', () => {
  it('are numbers times a scale, then one-hot categories', () => {
    const inputs = [
      { array: 'far', encode: 'numbers', size: 2, scale: 0.5 },
      { array: 'cells', encode: 'one-hot', size: 4, categories: [3, 2] },
    ] as const;
    const prompts: Prompt[] = [
      [
        { kind: 'array', name: 'cells', values: { shape: [2, 2], data: Uint8Array.of(2, 0, 0, 1) } },
        { kind: 'array', name: 'far', values: { shape: [2], data: Int32Array.of(4, -2) } },
      ],
    ];
    expect([...readInputs(inputs, prompts)]).toEqual([2, -1, 0, 0, 1, 1, 0, 1, 0, 0, 0, 1]);
  });

  it.each([
    [prompt(1, 2, 3), 'reads an array seen of 2 numbers, the prompt has seen of 3'],
    [[{ kind: 'text', text: 'go' }] as Prompt, 'the prompt has text'],
  ])('must be present', async (wrong, message) => {
    const network = await open();
    await expect(network.values([wrong])).rejects.toThrow(message);
  });

  it('must be finite, or no action can be drawn', async () => {
    const network = await open();
    const asked = question(prompt(NaN, 1), { random: Random.fromSeed(1) });
    await expect(network.decide([asked], draw)).rejects.toMatchObject({
      code: 'check-failed',
      message: expect.stringMatching(/^small network: its probabilities are no numbers: /) as string,
    });
  });

  it('must be categories', () => {
    const inputs = [{ array: 'seen', encode: 'one-hot', size: 1, categories: [4] }] as const;
    expect(() => readInputs(inputs, [prompt(4)])).toThrow('at place 0 must be whole and below 4, got 4');
    const odd = [{ array: 'seen', encode: 'one-hot', size: 3, categories: [4, 2] }] as const;
    expect(() => mlp({ inputs: odd })).toThrow('its 3 numbers must be whole groups');
  });
});

describe('a small network', () => {
  it('starts near uniform, and answers with the name and the id of an action', async () => {
    const network = await open();
    const asked = question(prompt(1, -2), { random: Random.fromSeed(0) });
    const { answers, values } = await network.act([asked], draw);
    const [answer] = answers;
    expect(answer!.text).toBe(actions[answer!.tokens[0]!]);
    expect(Math.exp(answer!.logProbabilities[0]!)).toBeCloseTo(1 / 3, 1);
    expect(answer!.entropies![0]).toBeCloseTo(Math.log(3), 2);
    expect([...(await network.values([asked.prompt]))]).toEqual([...values]);
  });

  it("computes its parameters' results: a perceptron of one unit, by hand", async () => {
    const one = mlp({ inputs: [{ array: 'seen', encode: 'numbers', size: 1 }], hidden: [1] });
    const set = (shape: number[], ...data: number[]) => ({ shape, data: Float32Array.from(data) });
    const network = await open(
      one,
      new Map([
        ['policy.0.weight', set([1, 1], 0.5)],
        ['policy.0.bias', set([1], 0.25)],
        ['policy.1.weight', set([3, 1], 1, 0, -1)],
        ['policy.1.bias', set([3], 0, 0, 0.5)],
        ['value.0.weight', set([1, 1], -1)],
        ['value.0.bias', set([1], 0)],
        ['value.1.weight', set([1, 1], 2)],
        ['value.1.bias', set([1], 0.1)],
      ]),
    );
    // tanh 1.25 = 0.848283640; logits 0.848284, 0, −0.348284; Σ exp = 2.335635 + 1 + 0.705898 = 4.041533
    const { answers, values } = await network.act([question(prompt(2))], search);
    expect(answers[0]).toMatchObject({ text: 'left', tokens: [0] });
    expect(answers[0]!.logProbabilities[0]).toBeCloseTo(0.84828364 - Math.log(4.041533), 5);
    // 2 · tanh(−2) + 0.1
    expect(values[0]).toBeCloseTo(2 * Math.tanh(-2) + 0.1, 6);
  });

  it('samples in proportion to its probabilities, at a temperature, among the allowed actions', async () => {
    const network = await open();
    lively(Random.fromSeed(5), network);
    const random = Random.fromSeed(9);
    const asked = Array.from({ length: 6000 }, () => question(prompt(0.5, 1), { random }));
    for (const temperature of [1, 2]) {
      const { answers } = await network.act(asked, { ...draw, temperature });
      for (const action of actions.keys()) {
        const taken = answers.filter(({ tokens }) => tokens[0] === action);
        const probability = Math.exp(taken[0]!.logProbabilities[0]!);
        // five standard deviations
        const spread = 5 * Math.sqrt((probability * (1 - probability)) / asked.length);
        expect(Math.abs(taken.length / asked.length - probability)).toBeLessThan(spread);
      }
    }
    const some = asked.slice(0, 50).map((each) => ({ ...each, allowed: ['wait'] }));
    const { answers } = await network.act(some, draw);
    expect(new Set(answers.map(({ text }) => text))).toEqual(new Set(['wait']));
  });

  it('gives the same result for a prompt alone and in a batch', async () => {
    const network = await open();
    lively(Random.fromSeed(5), network);
    const prompts = Array.from({ length: 7 }, (_, row) => prompt(row, 1 - row));
    const together = await network.values(prompts);
    for (const [row, each] of prompts.entries())
      expect((await network.values([each]))[0]).toBeCloseTo(together[row]!, 5);
    expect(await network.values([])).toHaveLength(0);
  });

  it.each([
    [{ ...draw, topP: 0.9 }, 'topP must be 1 and topK absent, got 0.9'],
    [{ ...draw, temperature: 0 }, 'the temperature must be at least 0.000001, got 0'],
    // 1 / 1e-300 is no float32
    [{ ...draw, temperature: 1e-300 }, 'the temperature must be at least 0.000001, got 1e-300'],
    [draw, 'needs a generator, got null'],
  ])('refuses to sample with %j', async (sampling, message) => {
    const network = await open();
    await expect(network.decide([question(prompt(1, 1))], sampling)).rejects.toThrow(message);
  });

  it('accepts only parameters of its own architecture', async () => {
    const network = await open();
    const again = await open(perceptron, parametersIn(network));
    expect(await again.values([prompt(1, 2)])).toEqual(await network.values([prompt(1, 2)]));
    await expect(open(mlp({ inputs: perceptronInputs, hidden: [5] }), parametersIn(network))).rejects.toThrow(
      'policy.1.weight must be [3, 5], got [4, 5]',
    );
    const large = mlp({ inputs: [{ array: 'seen', encode: 'numbers', size: 50_000_000 }], hidden: [64] });
    await expect(open(large)).rejects.toThrow(
      'a layer over [50000000] would have 3,200,000,000 weights, at most 100,000,000; make the observation smaller',
    );
    const more = new Map([...parametersIn(network), ['other', { shape: [1], data: new Float32Array(1) }]]);
    await expect(open(perceptron, more)).rejects.toThrow('has no other');
  });
});

const perceptronInputs = [{ array: 'seen', encode: 'numbers', size: 2 }] as const;

const picture = cnn({
  array: 'seen',
  height: 4,
  width: 6,
  convolutions: [{ filters: 3, kernel: 2, stride: 2 }],
  hidden: [4],
});
const pixels = (seed: number): Prompt => {
  const random = Random.fromSeed(seed);
  return prompt(...Array.from({ length: 72 }, () => random.integer(256)));
};

const ppo = (credit: PolicyLossOptions['credit'], entropyCoefficient = 0.2): Loss =>
  clippedPolicyLoss({ credit, clip: { low: 0.2, high: 0.2 }, entropyCoefficient });

describe('the gradient of a policy and a value loss', () => {
  const rowsOf = (prompts: readonly Prompt[]): ActorCriticRow[] =>
    prompts.map((each, row) => ({
      prompt: each,
      answers: [[row % 3]],
      temperature: row === 0 ? 1.5 : 1,
      weight: [0.5, 0.25, 0, 0.75][row]!,
      valueWeight: [0.5, 1, 0.25, 0.75][row]!,
      constants: {
        advantage: [1.5, -2, 1, -0.5][row]!,
        sampledLogProbability: [-1, -1.2, -0.9, -1.6][row]!,
        factors: 0.5,
        sampledValue: [0.2, -0.3, 0.4, 0][row]!,
        return: [1, 0.5, -2, 0.25][row]!,
      },
    }));

  /** Σ weight · term of both losses in float64, from probabilities and values. */
  async function lossOf(
    network: SmallNetwork,
    rows: readonly ActorCriticRow[],
    losses: { policy: Loss; value: ValueLoss },
  ): Promise<number> {
    let total = 0;
    for (const row of rows) {
      const sampling = { ...draw, temperature: row.temperature! };
      const random = Random.fromSeed(0);
      const taken = question(row.prompt, { random, allowed: [actions[(row.answers[0] as number[])[0]!]!] });
      const { answers, values } = await network.act([taken], sampling);
      const constant = (name: string) => row.constants![name] as number;
      const [logProbability, entropy] = [answers[0]!.logProbabilities[0]!, answers[0]!.entropies![0]!];
      const { policy, value } = losses;
      const term =
        policy.over === 'tokens'
          ? policy.formula(numbers, { logProbability, entropy, constant })
          : policy.formula(numbers, {
              logProbabilities: [logProbability * constant('factors')],
              entropies: [entropy],
              constant,
            });
      total += row.weight * term + row.valueWeight * value.formula(numbers, { value: values[0]!, constant });
    }
    return total;
  }

  it.each<[string, Architecture, readonly Prompt[], Loss, ValueLoss]>([
    [
      'tokens',
      perceptron,
      [1, 2, 3, 4].map((n) => prompt(n / 2, 1 - n)),
      ppo('token'),
      valueLossOf({ clip: null }),
    ],
    [
      'answers',
      perceptron,
      [1, 2, 3, 4].map((n) => prompt(n / 2, 1 - n)),
      ppo('answer'),
      valueLossOf({ clip: 0.3 }),
    ],
    ['pictures', picture, [1, 2, 3, 4].map(pixels), ppo('token'), valueLossOf({ clip: 0.3 })],
  ])('(%s) matches finite differences', async (_, architecture, prompts, policy, value) => {
    const network = await open(architecture);
    lively(Random.fromSeed(2), network);
    const rows = rowsOf(prompts);
    const found = await network.gradient(rows, { policy, value });
    const loss = await lossOf(network, rows, { policy, value });
    expect(found.policyLoss + found.valueLoss).toBeCloseTo(loss, 4);
    const step = 2 ** -8;
    let [worst, largest] = [0, 0];
    for (const [name, { data }] of parametersIn(network))
      for (let place = 0; place < data.length; place++) {
        const before = data[place]!;
        const shifted: number[] = [];
        for (const shift of [step, -step]) {
          data[place] = before + shift;
          network.commit();
          shifted.push(await lossOf(network, rows, { policy, value }));
        }
        data[place] = before;
        const slope = (shifted[0]! - shifted[1]!) / (2 * step);
        largest = Math.max(largest, Math.abs(slope));
        worst = Math.max(worst, Math.abs(slope - found.gradients.get(name)![place]!));
      }
    expect(largest).toBeGreaterThan(0.05);
    expect(worst / largest).toBeLessThan(3e-3);
  });

  it('with a frozen policy covers the values only, unchanged', async () => {
    const network = await open();
    lively(Random.fromSeed(2), network);
    const rows = rowsOf([1, 2, 3, 4].map((n) => prompt(n / 2, 1 - n)));
    const value = valueLossOf({ clip: 0.3 });
    const both = await network.gradient(rows, { policy: ppo('token'), value });
    const alone = await network.gradient(rows, { policy: null, value });
    expect([...alone.gradients.keys()].every((name) => name.startsWith('value.'))).toBe(true);
    for (const [name, slopes] of alone.gradients) expect(slopes).toEqual(both.gradients.get(name));
    expect([alone.policyLoss, alone.valueLoss]).toEqual([0, both.valueLoss]);
    expect(alone.logProbabilities).toEqual([[], [], [], []]);
    expect(alone.values).toEqual(both.values);
  });

  it('reads answers as they were given: a ratio of 1', async () => {
    const network = await open();
    lively(Random.fromSeed(2), network);
    const asked = Array.from({ length: 20 }, (_, n) =>
      question(prompt(n / 9, 1), { random: Random.fromSeed(n) }),
    );
    const { answers } = await network.act(asked, { ...draw, temperature: 0.7 });
    const rows = asked.map((each, row) => ({
      prompt: each.prompt,
      answers: [answers[row]!.tokens],
      temperature: 0.7,
      weight: 1,
      valueWeight: 1,
      constants: { return: 0 },
    }));
    const losses = { policy: imitationLoss, value: valueLossOf({ clip: null }) };
    const { logProbabilities } = await network.gradient(rows, losses);
    logProbabilities.forEach(([now], row) =>
      expect(Math.exp(now! - answers[row]!.logProbabilities[0]!)).toBeCloseTo(1, 5),
    );
  });

  it.each<[string, Partial<ActorCriticRow>, string]>([
    ['two answers', { answers: [[0], [1]] }, 'the loss reads answers of a row: 1, row 0 has 2'],
    ['an answer that is no action', { answers: [[3]] }, 'must be one of 3 actions, got [3]'],
    ['no advantage', { constants: { return: 1, sampledLogProbability: -1 } }, 'read advantage of every row'],
  ])('is rejected for %s', async (_, wrong, message) => {
    const network = await open();
    const row = { prompt: prompt(1, 1), answers: [[0]], weight: 1, valueWeight: 1, ...wrong };
    const losses = { policy: ppo('token'), value: valueLossOf({ clip: null }) };
    await expect(network.gradient([row], losses)).rejects.toThrow(message);
  });
});
