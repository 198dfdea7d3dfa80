import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Random, type Prompt } from '@emac/core';
import { encodeModel, Graph, op, type Dimension, type Tensor } from '@emac/graph';
import { imitationLoss, valueLossOf } from '@emac/losses';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { createSmallNetwork, mlp, onnx, onnxReads } from './index.ts';

const folder = mkdtempSync(join(tmpdir(), 'emac-onnx-'));
afterAll(() => rmSync(folder, { recursive: true }));

const prompt = (...data: number[]): Prompt => [
  { kind: 'array', name: 'seen', values: { shape: [data.length], data: Float32Array.from(data) } },
];
const inputs = [{ array: 'seen', encode: 'numbers', size: 2 }] as const;
const actions = ['left', 'right', 'wait'];
const search = { kind: 'search', beams: 1 } as const;

type Made = Readonly<Record<string, Tensor>>;

/** Writes a file with one input, `seen`. */
function written(
  name: string,
  shape: readonly Dimension[],
  make: (seen: Tensor, graph: Graph) => Made,
): string {
  const graph = new Graph();
  const seen = graph.input('seen', 'float32', shape);
  for (const [output, tensor] of Object.entries(make(seen, graph))) graph.output(output, tensor);
  const file = join(folder, `${name}.onnx`);
  writeFileSync(file, encodeModel(graph));
  return file;
}

/** logits = W·x + b of two numbers, value = v·(W·x + b): both outputs share W and b. */
const shared = written('shared', ['N', 2], (seen, graph) => {
  const constant = (shape: number[], ...data: number[]) => graph.constant(Float32Array.from(data), shape);
  const logits = op.linear(seen, constant([3, 2], 1, 0, 0, 1, -1, 1), constant([3], 0.5, 0, -0.5));
  return { logits, value: op.linear(logits, constant([1, 3], 1, 2, 3), constant([1], 0.25)) };
});

async function open(file: string, start = Random.fromSeed(0)) {
  const network = await createSmallNetwork({ architecture: onnx(file, { inputs }), actions, start });
  onTestFinished(() => network.dispose());
  return network;
}

describe('a network from an .onnx file', () => {
  it("starts with the file's numbers, and computes their results", async () => {
    const network = await open(shared);
    // x = (2, 1): logits (2.5, 1, −1.5), value 2.5 + 2 − 4.5 + 0.25
    const asked = { prompt: prompt(2, 1), allowed: null, random: null };
    const { answers, values } = await network.act([asked], search);
    expect(answers[0]!.text).toBe('left');
    const sum = Math.exp(2.5) + Math.exp(1) + Math.exp(-1.5);
    expect(answers[0]!.logProbabilities[0]).toBeCloseTo(2.5 - Math.log(sum), 5);
    expect(values[0]).toBeCloseTo(0.25, 5);
  });

  it('trains: shared parameters belong to the policy and get the gradients of both losses', async () => {
    const network = await open(shared);
    const shapes = (part: 'policy' | 'value') =>
      network.groups[part].flatMap(({ parameters }) => [...parameters.values()].map(({ shape }) => shape));
    expect([shapes('policy'), shapes('value')]).toEqual([
      [[3, 2], [3]],
      [[1, 3], [1]],
    ]);
    const row = {
      prompt: prompt(2, 1),
      answers: [[1]],
      weight: 1,
      valueWeight: 1,
      constants: { return: 1 },
    };
    const value = valueLossOf({ clip: null });
    const both = await network.gradient([row], { policy: imitationLoss, value });
    const found = [...both.gradients.values()].map((slopes) => [...slopes]);
    // −log p of action 1: softmax − one-hot; value loss ½ (v − r)² with v − r = −0.75, back through (1, 2, 3)
    const sum = Math.exp(2.5) + Math.exp(1) + Math.exp(-1.5);
    const far = valueSlope(both.valueLoss);
    const bias = [2.5, 1, -1.5].map(
      (logit, action) => Math.exp(logit) / sum - (action === 1 ? 1 : 0) + far * (action + 1),
    );
    const expected = [
      bias.flatMap((slope) => [2 * slope, slope]),
      bias,
      [2.5, 1, -1.5].map((x) => far * x),
      [far],
    ];
    found.flat().forEach((slope, place) => expect(slope).toBeCloseTo(expected.flat()[place]!, 4));
    const alone = await network.gradient([row], { policy: null, value });
    expect([...alone.gradients.keys()]).toEqual([...network.groups.value[0]!.parameters.keys()]);
  });

  it("with a perceptron's layers and numbers gives the perceptron's results", async () => {
    const random = Random.fromSeed(4);
    const ours = await createSmallNetwork({
      architecture: mlp({ inputs, hidden: [5] }),
      actions,
      start: random,
    });
    onTestFinished(() => ours.dispose());
    const groups = [...ours.groups.policy, ...ours.groups.value];
    const parameters = new Map(groups.flatMap((each) => [...each.parameters]));
    const copy = written('perceptron', ['N', 2], (seen, graph) => {
      const layer = (name: string, x: Tensor) => {
        const [weight, bias] = ['weight', 'bias'].map((part) => {
          const { shape, data } = parameters.get(`${name}.${part}`)!;
          return graph.constant(data, [...shape]);
        });
        return op.linear(x, weight!, bias);
      };
      const through = (part: string) => layer(`${part}.1`, op.tanh(layer(`${part}.0`, seen)));
      return { logits: through('policy'), value: through('value') };
    });
    const theirs = await open(copy);
    const prompts = [prompt(1, -1), prompt(0.2, 3)];
    const [a, b] = [await ours.values(prompts), await theirs.values(prompts)];
    a.forEach((value, row) => expect(b[row]).toBeCloseTo(value, 6));
  });

  it('may read a picture', () => {
    const file = written('picture', ['N', 3, 4, 6], (seen, graph) => {
      const all = op.reshape(seen, ['N', 72]);
      const linear = (width: number) =>
        op.linear(all, graph.constant(new Float32Array(72 * width), [width, 72]));
      return { logits: linear(3), value: linear(1) };
    });
    expect([onnxReads(file), onnxReads(shared)]).toEqual(['frame', 'arrays']);
    expect(onnx(file).read([framed(72)])).toHaveLength(72);
  });

  const flat = (seen: Tensor, graph: Graph) => op.linear(seen, graph.constant(new Float32Array(6), [3, 2]));
  it.each<[string, readonly Dimension[], (seen: Tensor, graph: Graph) => Made, string]>([
    ['outputs of other names', ['N', 2], (x, g) => ({ y: flat(x, g) }), 'outputs logits and value, got y'],
    [
      'a batch of one size',
      [1, 2],
      (x, g) => ({ logits: flat(x, g), value: flat(x, g) }),
      'a batch of any size',
    ],
    ['other sizes', ['N', 2, 2], (x) => ({ logits: x, value: x }), 'must be float32 [batch, n]'],
  ])('is rejected for %s', (name, shape, make, message) => {
    expect(() => onnx(written(name, shape, make), { inputs })).toThrow(message);
  });

  it('must fit its environment', async () => {
    const three = [{ array: 'seen', encode: 'numbers', size: 3 }] as const;
    expect(() => onnx(shared, { inputs: three })).toThrow('reads 2 numbers of a row, there are 3');
    expect(() => onnx(shared)).toThrow('does not define how its arrays are read');
    const two = { architecture: onnx(shared, { inputs }), actions: ['left', 'right'] };
    await expect(createSmallNetwork({ ...two, start: Random.fromSeed(0) })).rejects.toThrow(
      'logits has 3 numbers of a row, the environment 2 actions',
    );
  });
});

/** dL/dv of a value loss c·(v − 1)² at v = 0.25, for any factor c. */
const valueSlope = (loss: number) => (2 * loss) / (0.25 - 1);

function framed(size: number): Prompt {
  return [{ kind: 'array', name: 'frame', values: { shape: [size], data: new Uint8Array(size) } }];
}
