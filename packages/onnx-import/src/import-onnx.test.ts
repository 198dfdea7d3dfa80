import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EmacError } from '@emac/core';
import { float32ToFloat16 } from '@emac/files';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSession, gradients, Graph, op, type Feeds } from '@emac/graph';
import { importOnnx } from './index.ts';
import {
  floats,
  integers,
  onnxFile,
  type FileSpec,
  type NodeSpec,
  type TensorSpec,
} from './onnx-file.test.support.ts';

const fixture = (name: string) => fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url));

/** y = x·w, x [rows, 2], w = [[1, 2], [3, 4]]. */
const product = (
  weight: TensorSpec = floats([2, 2], 1, 2, 3, 4),
  more: Partial<FileSpec> = {},
): FileSpec => ({
  inputs: { x: { shape: ['rows', 2] } },
  outputs: { y: { shape: ['rows', 2] } },
  initializers: { w: weight },
  nodes: [{ type: 'MatMul', name: 'only', inputs: ['x', 'w'], outputs: ['y'] }],
  ...more,
});

const withNodes = (nodes: readonly NodeSpec[], more: Partial<FileSpec> = {}): Uint8Array =>
  onnxFile({ inputs: { x: { shape: ['B', 3] } }, outputs: { y: {} }, nodes, ...more });

async function run(graph: Graph, feeds: Readonly<Record<string, readonly [number[], number[]]>>) {
  const session = await createSession(graph, { thread: 'main', threads: 1 });
  const values = Object.entries(feeds).map(([name, [shape, data]]) => [
    name,
    { type: 'float32', shape, data: Float32Array.from(data) },
  ]);
  const results = await session.run(Object.fromEntries(values) as Feeds);
  await session.dispose();
  return Object.fromEntries(
    Object.entries(results).map(([name, { data }]) => [name, [...(data as Float32Array)]]),
  );
}

const folderWith = (files: Readonly<Record<string, Uint8Array>>): string => {
  const folder = mkdtempSync(join(tmpdir(), 'emac-import-'));
  mkdirSync(join(folder, 'network'));
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes);
  return folder;
};

const bytesOf = (...values: number[]): Uint8Array => new Uint8Array(Float32Array.from(values).buffer);

describe('an imported network', () => {
  it("keeps the names of inputs, outputs and initializers, and the file's symbols", () => {
    const network = importOnnx(onnxFile(product()));
    expect(network.inputs).toEqual({ x: { type: 'float32', shape: ['rows', 2] } });
    expect(network.outputs).toEqual({ y: { type: 'float32', shape: ['rows', 2] } });
    expect(network.initializers).toEqual({ w: { type: 'float32', shape: [2, 2] } });
    const { graph, inputs, outputs, initializers } = network.toGraph();
    expect(graph.inputs).toEqual([inputs['x']]);
    expect([...graph.outputs.keys()]).toEqual(['y']);
    expect(outputs['y']!.shape).toEqual(['rows', 2]);
    expect(initializers['w']!.shape).toEqual([2, 2]);
  });

  it('differentiates with respect to inputs and initializers', async () => {
    const { graph, inputs, outputs, initializers } = importOnnx(onnxFile(product())).toGraph();
    const sum = op.reduceSum(outputs['y']!, [0, 1]);
    const [dx, dw] = gradients([sum], [null], [inputs['x']!, initializers['w']!]);
    graph.output('dx', dx!);
    graph.output('dw', dw!);
    // [1 10]·w = [31 42]; dx = row sums of w; dw = columns of x
    expect(
      await run(graph, {
        x: [
          [1, 2],
          [1, 10],
        ],
      }),
    ).toEqual({ y: [31, 42], dx: [3, 7], dw: [1, 1, 10, 10] });
  });

  it("is applied to a graph's tensors, with their dimensions", () => {
    const network = importOnnx(onnxFile(product()));
    const graph = new Graph();
    const { y } = network.apply({ x: graph.input('samples', 'float32', ['N', 2]) });
    expect(y!.graph).toBe(graph);
    expect(y!.shape).toEqual(['N', 2]);
    expect(network.apply({ x: graph.input('fixed', 'float32', [7, 2]) })['y']!.shape).toEqual([7, 2]);
  });

  it('shares its weights between its applications, and with no other network', async () => {
    const network = importOnnx(onnxFile(product()));
    const other = importOnnx(onnxFile(product(floats([2, 2], 1, 0, 0, 1))));
    const graph = new Graph();
    const x = graph.input('x', 'float32', ['N', 2]);
    const once = network.apply({ x })['y']!;
    const before = graph.initializers.size;
    graph.output('twice', network.apply({ x: once })['y']!);
    expect(graph.initializers.size).toBe(before);
    graph.output('same', other.apply({ x })['y']!);
    // [1 1]·w = [4 6], [4 6]·w = [22 32]
    expect(
      await run(graph, {
        x: [
          [1, 2],
          [1, 1],
        ],
      }),
    ).toEqual({ twice: [22, 32], same: [1, 1] });
  });

  it('accepts a tensor in place of an initializer, for training', async () => {
    const network = importOnnx(onnxFile(product()));
    const graph = new Graph();
    const x = graph.input('x', 'float32', ['N', 2]);
    const w = graph.input('w', 'float32', [2, 2]);
    const loss = op.reduceSum(network.apply({ x, w })['y']!, [0, 1]);
    graph.output('loss', loss);
    graph.output('dw', gradients([loss], [null], [w])[0]!);
    const results = await run(graph, {
      x: [
        [1, 2],
        [1, 2],
      ],
      w: [
        [2, 2],
        [1, 0, 0, 1],
      ],
    });
    expect(results).toEqual({ loss: [3], dw: [1, 1, 2, 2] });
    expect(() => network.apply({ x, w: x })).toThrow(/"w" must be float32 \[2, 2\], got float32 \[N, 2\]/);
  });

  it('returns inner values, and builds only their operands', () => {
    const nodes = [
      { type: 'Relu', inputs: ['x'], outputs: ['features'] },
      { type: 'MatMul', inputs: ['features', 'w'], outputs: ['y'] },
    ];
    const network = importOnnx(onnxFile(product(undefined, { nodes })));
    const graph = new Graph();
    const x = graph.input('x', 'float32', ['N', 2]);
    expect(Object.keys(network.apply({ x }, ['features']))).toEqual(['features']);
    expect(graph.nodes.map(({ type }) => type)).toEqual(['Relu']);
    expect(() => network.apply({ x }, ['nothing'])).toThrow(/has no value "nothing"/);
  });

  it("may have outputs with the names of the graph's own values", async () => {
    const nodes = [
      { type: 'Neg', inputs: ['constant_0'], outputs: ['Neg_1'] },
      { type: 'Add', inputs: ['Neg_1', 'one'], outputs: ['Add_2'] },
    ];
    const inputs = { constant_0: { shape: [1] } };
    const initializers = { one: floats([1], 1) };
    const { graph } = importOnnx(
      onnxFile({ inputs, outputs: { Add_2: {}, Neg_1: {} }, initializers, nodes }),
    ).toGraph();
    expect(await run(graph, { constant_0: [[1], [5]] })).toEqual({ Add_2: [-4], Neg_1: [-5] });
  });
});

describe('the weights of an imported network', () => {
  it.each([
    ['raw bytes', { shape: [2, 2], type: 1, raw: bytesOf(1, 2, 3, 4) }],
    [
      'float16',
      { shape: [2, 2], type: 10, raw: new Uint8Array(float32ToFloat16(Float32Array.of(1, 2, 3, 4)).buffer) },
    ],
    [
      'float16 as integers',
      {
        shape: [2, 2],
        type: 9 + 1,
        raw: new Uint8Array(Uint16Array.of(0x3c00, 0x4000, 0x4200, 0x4400).buffer),
      },
    ],
    [
      'bfloat16',
      { shape: [2, 2], type: 16, raw: new Uint8Array(Uint16Array.of(0x3f80, 0x4000, 0x4040, 0x4080).buffer) },
    ],
    ['double', { shape: [2, 2], type: 11, raw: new Uint8Array(Float64Array.of(1, 2, 3, 4).buffer) }],
  ])('may be %s', async (_name, weight) => {
    const { graph } = importOnnx(onnxFile(product(weight))).toGraph();
    expect(
      (
        await run(graph, {
          x: [
            [1, 2],
            [1, 10],
          ],
        })
      )['y'],
    ).toEqual([31, 42]);
  });

  it('may be external, in the folder of the file, and are used in place', async () => {
    const weight = { shape: [2, 2], type: 1, external: { location: 'w.bin', offset: '4', length: '16' } };
    const folder = folderWith({ 'w.bin': bytesOf(9, 1, 2, 3, 4), 'n.onnx': onnxFile(product(weight)) });
    const { graph } = importOnnx(join(folder, 'n.onnx')).toGraph();
    expect([...graph.initializers.values()].map(({ data }) => data)).toContainEqual({
      file: join(folder, 'w.bin'),
      offset: 4,
      length: 16,
    });
    expect(
      (
        await run(graph, {
          x: [
            [1, 2],
            [1, 10],
          ],
        })
      )['y'],
    ).toEqual([31, 42]);
    const again = importOnnx(onnxFile(product(weight)), { folder }).toGraph();
    expect(
      (
        await run(again.graph, {
          x: [
            [1, 2],
            [1, 10],
          ],
        })
      )['y'],
    ).toEqual([31, 42]);
  });

  it('may be external in half precision, and are cast in a run', async () => {
    const halves = new Uint8Array(float32ToFloat16(Float32Array.of(1, 2, 3, 4)).buffer);
    const weight = { shape: [2, 2], type: 10, external: { location: 'w.bin' } };
    const folder = folderWith({ 'w.bin': halves, 'n.onnx': onnxFile(product(weight)) });
    const { graph } = importOnnx(join(folder, 'n.onnx')).toGraph();
    expect(
      (
        await run(graph, {
          x: [
            [1, 2],
            [1, 10],
          ],
        })
      )['y'],
    ).toEqual([31, 42]);
  });

  it('are used in place inside a file if they are large', async () => {
    const size = 200;
    const identity = Float32Array.from({ length: size * size }, (_, i) => (i % (size + 1) === 0 ? 2 : 0));
    const weight = { shape: [size, size], type: 1, raw: new Uint8Array(identity.buffer) };
    const spec = product(weight, { inputs: { x: { shape: ['B', size] } }, outputs: { y: {} } });
    const folder = folderWith({ 'n.onnx': onnxFile(spec) });
    const { graph } = importOnnx(join(folder, 'n.onnx')).toGraph();
    expect([...graph.initializers.values()].map(({ data }) => ArrayBuffer.isView(data))).toEqual([false]);
    const x = Array.from({ length: size }, (_, i) => i);
    expect((await run(graph, { x: [[1, size], x] }))['y']).toEqual(x.map((value) => 2 * value));
  });

  it.each([
    ['/etc/passwd'],
    ['../secret.bin'],
    ['weights/../../secret.bin'],
    ['..\\secret.bin'],
    ['C:\\secret.bin'],
    ['weights\0.bin'],
    [''],
  ])('may not lie outside the folder of the file: %j', (location) => {
    const weight = { shape: [2, 2], type: 1, external: { location } };
    const folder = folderWith({
      'secret.bin': bytesOf(1, 2, 3, 4),
      'network/n.onnx': onnxFile(product(weight)),
    });
    const path = join(folder, 'network', 'n.onnx');
    expect(() => importOnnx(path)).toThrow(
      `${path}, tensor "w": external data must lie in the folder of the file`,
    );
  });

  it.each([
    [{ location: 'w.bin', offset: '8' }, /ends at byte 24, .*w\.bin has 16 bytes/],
    [{ location: 'w.bin', offset: '-8' }, /needs 16 bytes from a place in the file, got offset -8/],
    [{ location: 'w.bin', length: '12' }, /needs 16 bytes .* length 12/],
    [{ location: 'none.bin' }, /none\.bin/],
  ])('must be where the file says: %j', (external, message) => {
    const folder = folderWith({ 'w.bin': bytesOf(1, 2, 3, 4) });
    const bytes = onnxFile(product({ shape: [2, 2], type: 1, external }));
    expect(() => importOnnx(bytes, { folder })).toThrow(message);
    expect(() => importOnnx(bytes)).toThrow(/import by path or name the folder/);
  });
});

describe('a gradient through an operator without one', () => {
  const nodes = [
    { type: 'Exp', inputs: ['x'], outputs: ['e'] },
    { type: 'CumSum', name: 'running', inputs: ['e', 'axis'], outputs: ['c'] },
    { type: 'Mul', inputs: ['x', 'c'], outputs: ['y'] },
  ];
  const initializers = { axis: { shape: [], integers: [1] }, zero: floats([], 0) };
  const declared = { c: { shape: ['B', 3] } };

  it('is an error with operator, node and file', () => {
    const { inputs, outputs } = importOnnx(withNodes(nodes, { initializers, declared })).toGraph();
    expect(() => gradients([op.reduceSum(outputs['y']!, [0, 1])], [null], [inputs['x']!])).toThrow(
      /^ONNX network, node "running" \(CumSum\): has no gradient here/,
    );
  });

  it('is no error if the gradient takes another path', async () => {
    const { graph } = importOnnx(withNodes(nodes, { initializers, declared })).toGraph();
    expect(
      (
        await run(graph, {
          x: [
            [1, 3],
            [0, 0, 0],
          ],
        })
      )['y'],
    ).toEqual([0, 0, 0]);
    const other = new Graph();
    const scale = other.input('scale', 'float32', ['N', 3]);
    const x = other.input('x', 'float32', ['N', 3]);
    const { c } = importOnnx(withNodes(nodes, { initializers, declared })).apply({ x }, ['c']);
    const loss = op.reduceSum(op.multiply(scale, c!), [0, 1]);
    other.output('slope', gradients([loss], [null], [scale])[0]!);
    // e⁰ summed
    expect(
      (
        await run(other, {
          x: [
            [1, 3],
            [0, 0, 0],
          ],
          scale: [
            [1, 3],
            [1, 1, 1],
          ],
        })
      )['slope'],
    ).toEqual([1, 2, 3]);
  });
});

const error = (code: string, message: RegExp | string) =>
  expect.objectContaining({
    code,
    message: typeof message === 'string' ? message : expect.stringMatching(message),
  });

const thrownBy = (action: () => unknown): unknown => {
  try {
    action();
  } catch (thrown) {
    return thrown;
  }
  throw new Error('nothing was thrown');
};

describe('a file that cannot be imported', () => {
  it('is missing if it does not exist', () => {
    expect(thrownBy(() => importOnnx('nowhere.onnx'))).toEqual(error('missing', /nowhere\.onnx/));
  });

  it.each<[string, Uint8Array, RegExp]>([
    ['no network', new TextEncoder().encode('hello, world'), /^ONNX network: is not an ONNX network/],
    ['nothing', new Uint8Array(0), /has no graph with outputs; export it again$/],
    ['an old opset', onnxFile(product(undefined, { opset: 9 })), /: opset must be 11 … 23, got 9; export/],
    ['a newer IR', onnxFile(product(undefined, { irVersion: 99 })), /: IR version must be 3 … 13, got 99/],
    ['functions', onnxFile(product(undefined, { functions: [{ name: 'own' }] })), /got "own"; inline them/],
    [
      'weights of 8 bits',
      onnxFile(product({ shape: [2, 2], type: 3, raw: new Uint8Array(4) })),
      /tensor "w": element types are float, .* got int8; cast/,
    ],
    [
      'too few bytes',
      onnxFile(product({ shape: [2, 2], type: 1, raw: bytesOf(1, 2, 3) })),
      /tensor "w": float \[2, 2\] needs 16 bytes, got 12/,
    ],
    [
      'a negative size',
      onnxFile(product({ shape: [-2, 2], type: 1, raw: bytesOf() })),
      /dimensions must be counts, got \[-2, 2\]/,
    ],
    [
      'texts',
      onnxFile({ ...product(), inputs: { x: { type: 8, shape: [1] } } }),
      /value "x": element types are .* got string/,
    ],
    [
      'a value from nowhere',
      withNodes([{ type: 'Neg', name: 'n', inputs: ['z'], outputs: ['y'] }]),
      /node "n" \(Neg\) reads "z", but no earlier node defines it/,
    ],
    [
      'a value defined twice',
      withNodes([{ type: 'Neg', inputs: ['x'], outputs: ['x'] }]),
      /value "x" is defined twice/,
    ],
    [
      'an output from nowhere',
      withNodes([{ type: 'Neg', inputs: ['x'], outputs: ['z'] }]),
      /output "y" is not defined by any node/,
    ],
    [
      'operators of others',
      withNodes([
        { type: 'LSTM', name: 'l', inputs: ['x'], outputs: ['z'] },
        { type: 'Own', domain: 'mine', inputs: ['z'], outputs: ['y'] },
      ]),
      /not supported: LSTM \(node "l"\), mine\.Own \(node "#1"\); export/,
    ],
  ])('%s', (_name, bytes, message) => {
    expect(thrownBy(() => importOnnx(bytes))).toEqual(error('data', message));
  });

  it.each<[string, Uint8Array, RegExp]>([
    [
      'shapes that do not fit',
      onnxFile(product(floats([3, 2], 1, 2, 3, 4, 5, 6))),
      /node "only" \(MatMul\): matMul: inner dimensions must agree, got \[rows, 2\] and \[3, 2\]/,
    ],
    [
      'dropout in training',
      withNodes([{ type: 'Dropout', inputs: ['x', '', 'on'], outputs: ['y'] }], {
        initializers: { on: { shape: [], type: 9, integers: [1] } },
      }),
      /\(Dropout\): is in training mode/,
    ],
    [
      'batch norm in training',
      withNodes(
        [
          {
            type: 'BatchNormalization',
            inputs: ['x', 'w', 'w', 'w', 'w'],
            outputs: ['y'],
            attributes: { training_mode: 1 },
          },
        ],
        { initializers: { w: floats([3], 1, 1, 1) } },
      ),
      /is in training mode/,
    ],
    [
      'a shape that only a run knows',
      withNodes([{ type: 'Reshape', inputs: ['x', 'to'], outputs: ['y'] }], {
        inputs: { x: { shape: [2] }, to: { type: 7, shape: [1] } },
      }),
      /input 1 \("to"\) must be known before a run/,
    ],
    [
      'a shape that does not divide',
      withNodes([{ type: 'Reshape', inputs: ['x', 'to'], outputs: ['y'] }], {
        initializers: { to: integers(-1, 7) },
      }),
      /\[B, 3\] cannot become \[-1, 7\]/,
    ],
    [
      'an input that is left out',
      withNodes([{ type: 'MatMul', inputs: ['x'], outputs: ['y'] }]),
      /\(MatMul\): needs input 1/,
    ],
    [
      'an axis out of range',
      withNodes([{ type: 'Concat', inputs: ['x', 'x'], outputs: ['y'], attributes: { axis: 4 } }]),
      /\(Concat\): concat: axis must be within a rank of 2, got 4/,
    ],
    [
      'an attribute of another kind',
      withNodes([{ type: 'Concat', inputs: ['x', 'x'], outputs: ['y'], attributes: { axis: 'last' } }]),
      /attribute axis must be a number/,
    ],
    [
      'an output that is not supported',
      withNodes(
        [
          { type: 'MaxPool', inputs: ['x'], outputs: ['p', 'places'], attributes: { kernel_shape: [2] } },
          { type: 'Identity', name: 'i', inputs: ['places'], outputs: ['y'] },
        ],
        { inputs: { x: { shape: [1, 1, 4] } } },
      ),
      /node "i" \(Identity\): reads "places", an output that is not supported/,
    ],
    [
      'a shape that the file does not state',
      withNodes([{ type: 'NonZero', inputs: ['x'], outputs: ['y'] }]),
      /shape the file does not state; run onnx\.shape_inference/,
    ],
    [
      'an operator in an older form',
      withNodes([{ type: 'Resize', inputs: ['x'], outputs: ['y'] }]),
      /is supported since opset 19, got opset 17/,
    ],
  ])('%s', (_name, bytes, message) => {
    const network = importOnnx(bytes);
    expect(thrownBy(() => network.toGraph())).toEqual(error('data', message));
  });

  it('is rejected, never misread, after any lost or changed bytes', () => {
    const whole = readFileSync(fixture('attention-dynamo.onnx'));
    const attempt = (bytes: Uint8Array) => {
      try {
        importOnnx(bytes).toGraph();
      } catch (thrown) {
        if (!(thrown instanceof EmacError)) throw thrown;
      }
    };
    const place = fc.nat(whole.length - 1);
    fc.assert(
      fc.property(place, (length) => attempt(whole.subarray(0, length))),
      { numRuns: 100 },
    );
    const changed = (index: number, value: number) => {
      const bytes = new Uint8Array(whole);
      bytes[index] = value;
      attempt(bytes);
    };
    fc.assert(fc.property(place, fc.nat(255), changed), { numRuns: 300 });
  });
});

describe('tensors that do not fit a network', () => {
  const network = importOnnx(
    onnxFile({
      inputs: { a: { shape: ['B', 2] }, b: { shape: ['B', 2] } },
      outputs: { y: {} },
      nodes: [{ type: 'Add', inputs: ['a', 'b'], outputs: ['y'] }],
    }),
  );
  const graph = new Graph();
  const a = graph.input('a', 'float32', ['N', 2]);

  it.each<[string, Record<string, typeof a>, RegExp]>([
    ['none', {}, /apply needs a tensor for every input, got none/],
    ['one missing', { a }, /input "b" \(float32 \[B, 2\]\) is missing/],
    ['one too many', { a, b: a, c: a }, /has no input or initializer "c"; its inputs are a, b/],
    [
      'of another size',
      { a, b: graph.input('wide', 'float32', ['N', 3]) },
      /"b" must be float32 \[B, 2\], got float32 \[N, 3\]/,
    ],
    ['of another type', { a, b: graph.input('whole', 'int64', ['N', 2]) }, /got int64 \[N, 2\]/],
    [
      'of two sizes for one symbol',
      { a, b: graph.input('other', 'float32', ['M', 2]) },
      /"b" must be float32 \[B, 2\], got float32 \[M, 2\]/,
    ],
    [
      'of two graphs',
      { a, b: new Graph().input('b', 'float32', ['N', 2]) },
      /all tensors must be of one graph, "b" is not/,
    ],
  ])('are rejected: %s', (_name, feeds, message) => {
    expect(thrownBy(() => network.apply(feeds))).toEqual(error('internal', message));
  });
});
