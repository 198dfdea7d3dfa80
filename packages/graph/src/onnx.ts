/**
 * Encodes a graph as an ONNX ModelProto (onnx.proto, IR version 9, opset 21; 23 with attention nodes). Nodes that
 * outputs do not depend on are dropped.
 */
import { EmacError } from '@emac/core';
import type { Attribute, Graph, Initializer, Node, Tensor } from './graph.ts';
import { lower, namesRead, type LoweredGraph } from './lowering.ts';
import { ModelProto } from './onnx-schema.ts';
import type { Provider } from './session-provider.ts';
import type { DataType } from './shape.ts';

const irVersion = 9;

/** Attention was added in 23; other operators' kernels are looked up under 21, which every provider has. */
const opsetVersion = (nodes: readonly Node[]): number =>
  nodes.some(({ type, domain }) => type === 'Attention' && domain === '') ? 23 : 21;

/** Operators that compute outputs after the first only if they are read. */
const optionalOutputs: ReadonlySet<string> = new Set(['Attention', 'SimplifiedLayerNormalization']);

const elementTypes: Readonly<Record<DataType, number>> = {
  float32: 1,
  int8: 3,
  uint8: 2,
  int32: 6,
  int64: 7,
  bool: 9,
  float16: 10,
  bfloat16: 16,
};

/** The graph as a provider runs it, in ONNX bytes; external weights are named relative to the root folder `/`. */
export function encodeModel(graph: Graph, provider: Provider = 'cpu'): Uint8Array {
  return encodeLowered(lower(graph, provider));
}

/** Errors: `internal` for a graph without outputs. */
export function encodeLowered({ inputs, nodes, initializers, outputs }: LoweredGraph): Uint8Array {
  if (outputs.size === 0) throw new EmacError('internal', 'encodeModel: the graph has no outputs');
  const read = namesRead(nodes, outputs);
  const names = outputNames({ inputs, nodes, initializers, outputs });
  return ModelProto.encode({
    irVersion,
    producerName: 'emac',
    opsetImport: [
      { domain: '', version: opsetVersion(nodes) },
      { domain: 'com.microsoft', version: 1 },
    ],
    graph: {
      name: 'graph',
      node: [...nodes.map((node) => nodeBody(node, { read, names })), ...copies(outputs, names)],
      initializer: initializers.map(tensorBody),
      input: inputs.map((tensor) => valueInfo(tensor.name, tensor)),
      output: [...outputs].map(([name, tensor]) => valueInfo(name, tensor)),
    },
  }).finish();
}

/** The output name of a node's value in the file, by its name in the graph: the first one assigned. */
type OutputNames = ReadonlyMap<string, string>;

function outputNames({ inputs, nodes, initializers, outputs }: LoweredGraph): OutputNames {
  const made = new Set(nodes.flatMap((node) => node.outputs.map(({ name }) => name)));
  const taken = new Set([
    ...made,
    ...inputs.map(({ name }) => name),
    ...initializers.map(({ tensor }) => tensor.name),
  ]);
  const names = new Map<string, string>();
  for (const [name, tensor] of outputs)
    if (made.has(tensor.name) && !taken.has(name) && !names.has(tensor.name)) names.set(tensor.name, name);
  return names;
}

/** Inputs, weights and values with several names are copied to their outputs. */
function copies(outputs: LoweredGraph['outputs'], names: OutputNames): object[] {
  const others = [...outputs].filter(([name, { name: own }]) => name !== own && name !== names.get(own));
  return others.map(([name, tensor]) => ({
    input: [names.get(tensor.name) ?? tensor.name],
    output: [name],
    name: `output ${name}`,
    opType: 'Identity',
  }));
}

function nodeBody(node: Node, { read, names }: { read: ReadonlySet<string>; names: OutputNames }): object {
  const nameOf = (name: string) => names.get(name) ?? name;
  return {
    input: node.inputs.map((input) => (input ? nameOf(input.name) : '')),
    output: computedOutputs(node, read).map(nameOf),
    name: node.outputs[0]!.name,
    opType: node.type,
    domain: node.domain,
    attribute: Object.entries(node.attributes).map(([name, value]) => attributeBody(name, value)),
  };
}

/** Names of the outputs; '' stands for an omitted one. */
function computedOutputs({ type, outputs }: Node, read: ReadonlySet<string>): string[] {
  if (!optionalOutputs.has(type)) return outputs.map(({ name }) => name);
  const names = outputs.map(({ name }, index) => (index === 0 || read.has(name) ? name : ''));
  return names.slice(0, names.findLastIndex((name) => name !== '') + 1);
}

function attributeBody(name: string, value: Attribute): object {
  if (typeof value === 'number') return { name, i: value, type: 2 };
  if (typeof value === 'string') return { name, s: new TextEncoder().encode(value), type: 3 };
  if ('float' in value) return { name, f: value.float, type: 1 };
  return { name, ints: value, type: 7 };
}

function tensorBody({ tensor, data }: Initializer): object {
  const common = { dims: tensor.shape, dataType: elementTypes[tensor.type], name: tensor.name };
  if (ArrayBuffer.isView(data))
    return { ...common, rawData: new Uint8Array(data.buffer, data.byteOffset, data.byteLength) };
  const externalData = [
    { key: 'location', value: data.file.replace(/^\//, '') },
    { key: 'offset', value: String(data.offset) },
    { key: 'length', value: String(data.length) },
  ];
  return { ...common, dataLocation: 1, externalData };
}

function valueInfo(name: string, tensor: Tensor): object {
  const dim = tensor.shape.map((dimension) =>
    typeof dimension === 'number' ? { dimValue: dimension } : { dimParam: dimension },
  );
  return { name, type: { tensorType: { elemType: elementTypes[tensor.type], shape: { dim } } } };
}
