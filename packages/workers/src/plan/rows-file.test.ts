/** Shards and gradients survive the shared folder to the last bit. */
import { join } from 'node:path';
import type { ActorCriticGradient, ActorCriticRow, Gradient, GradientRow } from '@emac/core';
import { clippedPolicyLoss, imitationLoss, preferenceLossOf, valueLossOf } from '@emac/losses';
import { sharedFolder } from '@emac/queue';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { readGradient, storeGradient, type AnyGradient, type ExpectedGradient } from './gradient-file.ts';
import { readRows, rowStore } from './rows-file.ts';

const folder = temporaryFolder();

const shared = sharedFolder(join(folder, 'data'));

describe('in the shared folder', () => {
  const features = (key: string, ...data: number[]) => ({ key, data: Float32Array.from(data) });
  const picture = features('one', 0.1, -0, 1e-38);

  it('a shard keeps its features, answers and numbers', async () => {
    const rows: GradientRow[] = [
      {
        prompt: [
          { kind: 'image', features: picture },
          { kind: 'image', features: features('two', 3) },
          { kind: 'text', text: 'go >' },
        ],
        answers: ['a', [3, 2]],
        weight: 0.1,
        temperature: 0.7,
        constants: { referenceChosen: -1 / 3, each: [0.5, -0.25] },
      },
      { prompt: [{ kind: 'image', features: picture }], answers: [''], weight: 1e-30 },
    ];
    const losses = preferenceLossOf({ beta: 0.1, mixRatio: 0.5 });
    const put = rowStore(shared);
    const hash = put({ rows, losses });
    const back = await readRows(shared, hash);
    expect(back.rows).toEqual(rows);
    expect(rowStore(shared)(back)).toBe(hash);
    expect(put({ rows, losses: imitationLoss })).not.toBe(hash);
    expect(put({ rows: rows.slice(1), losses })).not.toBe(hash);
  });

  it('an actor-critic shard keeps its arrays, both weights, and numbers that JSON cannot express', async () => {
    const array = (name: string, data: Float32Array | Int32Array | Uint8Array) =>
      ({ kind: 'array', name, values: { shape: [data.length], data } }) as const;
    const large = Uint8Array.from({ length: 5_000 }, (_, place) => place % 251);
    // begins within another array
    const within = new Int32Array([7, -1, 2 ** 30]).subarray(1);
    const prompt = [
      array('frame', large),
      array('cells', within),
      array('angles', Float32Array.of(-0, 1e-45)),
    ];
    const row: ActorCriticRow = {
      prompt,
      answers: [[2]],
      temperature: 1,
      weight: 0,
      valueWeight: -0,
      constants: { advantage: -0, return: NaN, sampledLogProbability: [-Infinity] },
    };
    const kept = { own: true, sampledLogProbabilities: [-1] };
    const policy = clippedPolicyLoss({
      credit: 'token',
      clip: { low: 0.2, high: 0.3 },
      entropyCoefficient: 0.1,
    });
    const value = valueLossOf({ clip: 0.2 });
    const put = rowStore(shared);
    for (const losses of [
      { policy, value },
      { policy: null, value },
    ]) {
      const hash = put({ rows: [{ ...row, ...kept }], losses });
      const back = await readRows(shared, hash);
      // fields unused by losses are dropped
      expect(back.rows).toEqual([row]);
      expect(Object.is(back.rows[0]!.constants!['advantage'], -0)).toBe(true);
      expect(rowStore(shared)(back)).toBe(hash);
      expect(put({ rows: [row], losses: { ...losses, value: valueLossOf({ clip: null }) } })).not.toBe(hash);
      expect(put({ rows: [row], losses: policy })).not.toBe(hash);
    }
  });

  it('a gradient of policy and critic is unchanged', async () => {
    const gradient: ActorCriticGradient = {
      policyLoss: -0.1,
      valueLoss: 1 / 3,
      gradients: new Map([
        ['z', Float32Array.of(2)],
        ['a', Float32Array.of(-0)],
      ]),
      logProbabilities: [[], [-1, -2]],
      values: Float32Array.of(0.1, NaN),
    };
    const expected = { ...expectedOf(gradient), hasCritic: true };
    const back = await readGradient(shared, storeGradient(shared, gradient), expected);
    expect(back).toEqual(gradient);
    expect([...back.gradients.keys()]).toEqual(['z', 'a']);
  });

  it('a gradient keeps every number and the order of its parameters', async () => {
    const gradient: Gradient = {
      loss: 0.1,
      gradients: new Map([
        ['z', Float32Array.of(-0, 1e-45, NaN)],
        ['a', Float32Array.of(Infinity)],
      ]),
      logProbabilities: [[-0.1, -1e-300], [], [NaN]],
    };
    const back = await readGradient(shared, storeGradient(shared, gradient), expectedOf(gradient));
    expect(back).toEqual(gradient);
    expect([...back.gradients.keys()]).toEqual(['z', 'a']);
  });
});

const honest: Gradient = {
  loss: 0.1,
  gradients: new Map([
    ['w', Float32Array.of(1, 2)],
    ['b', Float32Array.of(3)],
  ]),
  logProbabilities: [[-0.1], [-0.2, -0.3]],
};

/** A safetensors file whose header claims so many numbers. */
function claiming(count: number): Uint8Array {
  const tensor = { dtype: 'F32', shape: [count], data_offsets: [0, 4 * count] };
  const header = JSON.stringify({ w: tensor, __metadata__: { names: '["w"]', rest: 'null' } });
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  return Buffer.concat([length, Buffer.from(header), Buffer.alloc(16)]);
}

it.each<[string, object]>([
  ['of one parameter too few', { ...honest, gradients: new Map([['w', Float32Array.of(1, 2)]]) }],
  [
    'of another parameter',
    { ...honest, gradients: new Map([...honest.gradients, ['x', new Float32Array(1)]]) },
  ],
  [
    'of too many numbers',
    { ...honest, gradients: new Map([...honest.gradients, ['b', new Float32Array(9)]]) },
  ],
  ['of other rows', { ...honest, logProbabilities: [[-0.1]] }],
  ['whose loss is a text', { ...honest, loss: '0.1' }],
  ['whose rows are no numbers', { ...honest, logProbabilities: [[-0.1], 7] }],
])('a gradient %s is refused', async (_what, gradient) => {
  const stored = storeGradient(shared, gradient as Gradient);
  const expected = { ...expectedOf(honest), names: ['w', 'b'] };
  await expect(readGradient(shared, stored, expected)).rejects.toMatchObject({ code: 'data' });
});

it.each([4, 1e9, 2 ** 52])('a file that claims %d numbers is refused, not allocated', async (count) => {
  const stored = shared.put(claiming(count));
  await expect(readGradient(shared, stored, expectedOf(honest))).rejects.toMatchObject({ code: 'data' });
});

/** Parameters and rows of a gradient. */
function expectedOf({ gradients, logProbabilities }: AnyGradient): ExpectedGradient {
  const parameters = [...gradients].map(([name, data]) => [name, { shape: [data.length], data }] as const);
  return {
    parameters: new Map(parameters),
    names: null,
    rows: logProbabilities.length,
    hasCritic: false,
  };
}
