import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { openSafetensors, readFloat32, readInt64, type SafetensorsFile } from '@emac/files';
import { describe, expect, it } from 'vitest';
import { createSession, gradients, type Value } from '@emac/graph';
import { importOnnx, type ImportedGraph } from './index.ts';

// Exported and computed by PyTorch 2.9.1 (tools/reference/export_networks.py), named by exporter and opset.
const folder = fileURLToPath(new URL('./fixtures/', import.meta.url));
const networks = [
  'mlp',
  'mlp-external',
  'convolution',
  'convolution-dynamo',
  'temporal',
  'encoder',
  'encoder-dynamo',
  'attention',
  'attention-dynamo',
];

const pathOf = (name: string) => join(folder, `${name}.onnx`);

function valueOf(file: SafetensorsFile, name: string): Value {
  const { dtype, shape } = file.tensors.get(name)!;
  return dtype === 'I64'
    ? { type: 'int64', shape, data: readInt64(file, name) }
    : { type: 'float32', shape, data: readFloat32(file, name) };
}

const namesOf = (file: SafetensorsFile, kind: string): string[] =>
  [...file.tensors.keys()].flatMap((name) =>
    name.startsWith(`${kind}:`) ? [name.slice(kind.length + 1)] : [],
  );

/** max|a − b| / max|b| */
function relativeError(actual: Value, expected: Value): number {
  expect(actual.shape).toEqual(expected.shape);
  const [a, b] = [actual.data, expected.data] as [Float32Array, Float32Array];
  const largest = b.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-6);
  return a.reduce((most, value, index) => Math.max(most, Math.abs(value - b[index]!)), 0) / largest;
}

/** Adds the reference's gradients as outputs. */
function addGradients(
  { graph, inputs, outputs, initializers }: ImportedGraph,
  reference: SafetensorsFile,
): string[] {
  const names = Object.keys(outputs);
  const seeds = names.map((name) => graph.input(`seed:${name}`, 'float32', outputs[name]!.shape));
  const wanted = namesOf(reference, 'gradient').filter((name) => inputs[name] ?? initializers[name]);
  gradients(
    names.map((name) => outputs[name]!),
    seeds,
    wanted.map((name) => inputs[name] ?? initializers[name]!),
  ).forEach((gradient, index) => graph.output(`gradient:${wanted[index]}`, gradient));
  return wanted;
}

describe.each(networks)('the network %s of PyTorch', (name) => {
  it("gives PyTorch's outputs and gradients", async () => {
    const reference = openSafetensors(join(folder, `${name}.safetensors`));
    const imported = importOnnx(pathOf(name)).toGraph();
    const wanted = addGradients(imported, reference);
    const session = await createSession(imported.graph, { thread: 'main', threads: 1 });
    const feeds = Object.fromEntries([
      ...namesOf(reference, 'input').map((input) => [input, valueOf(reference, `input:${input}`)]),
      ...namesOf(reference, 'seed').map((seed) => [`seed:${seed}`, valueOf(reference, `seed:${seed}`)]),
    ]) as Record<string, Value>;
    const results = await session.run(feeds);
    await session.dispose();
    for (const output of namesOf(reference, 'output'))
      expect(relativeError(results[output]!, valueOf(reference, `output:${output}`)), output).toBeLessThan(
        1e-5,
      );
    for (const gradient of wanted)
      expect(
        relativeError(results[`gradient:${gradient}`]!, valueOf(reference, `gradient:${gradient}`)),
        gradient,
      ).toBeLessThan(1e-4);
    // the inputs and, if exporters left them unchanged, the parameters
    expect(wanted.length).toBeGreaterThan(1);
  });
});
