/**
 * A graph as the bytes of an ONNX ModelProto (onnx.proto, IR version 9, opset 21). Only the fields that are needed
 * are declared. Nodes on which no output depends are left out.
 */
import { EmacError } from '@emac/core';
import protobuf from 'protobufjs';
import type { Attribute, Graph, Initializer, Node } from './graph.ts';
import type { DataType, Tensor } from './tensor.ts';

const irVersion = 9;
const opsetVersion = 21;

const elementTypes: Record<DataType, number> = {
  float32: 1,
  int32: 6,
  int64: 7,
  bool: 9,
  float16: 10,
  bfloat16: 16,
};

type FieldRow = [name: string, id: number, type: string, rule?: 'repeated'];

function message(rows: readonly FieldRow[]): protobuf.IType {
  const fields = rows.map(
    ([name, id, type, rule]) => [name, { id, type, ...(rule ? { rule } : {}) }] as const,
  );
  return { fields: Object.fromEntries(fields) };
}

const schema = protobuf.Root.fromJSON({
  nested: {
    Model: message([
      ['irVersion', 1, 'int64'],
      ['producerName', 2, 'string'],
      ['graph', 7, 'GraphBody'],
      ['opsetImport', 8, 'OperatorSet', 'repeated'],
    ]),
    OperatorSet: message([
      ['domain', 1, 'string'],
      ['version', 2, 'int64'],
    ]),
    GraphBody: message([
      ['node', 1, 'NodeBody', 'repeated'],
      ['name', 2, 'string'],
      ['initializer', 5, 'TensorBody', 'repeated'],
      ['input', 11, 'ValueInfo', 'repeated'],
      ['output', 12, 'ValueInfo', 'repeated'],
    ]),
    NodeBody: message([
      ['input', 1, 'string', 'repeated'],
      ['output', 2, 'string', 'repeated'],
      ['name', 3, 'string'],
      ['opType', 4, 'string'],
      ['attribute', 5, 'AttributeBody', 'repeated'],
      ['domain', 7, 'string'],
    ]),
    AttributeBody: message([
      ['name', 1, 'string'],
      ['f', 2, 'float'],
      ['i', 3, 'int64'],
      ['s', 4, 'bytes'],
      ['ints', 8, 'int64', 'repeated'],
      ['type', 20, 'int32'],
    ]),
    TensorBody: message([
      ['dims', 1, 'int64', 'repeated'],
      ['dataType', 2, 'int32'],
      ['name', 8, 'string'],
      ['rawData', 9, 'bytes'],
      ['externalData', 13, 'StringPair', 'repeated'],
      ['dataLocation', 14, 'int32'],
    ]),
    StringPair: message([
      ['key', 1, 'string'],
      ['value', 2, 'string'],
    ]),
    ValueInfo: message([
      ['name', 1, 'string'],
      ['type', 2, 'ValueType'],
    ]),
    ValueType: message([['tensorType', 1, 'TensorType']]),
    TensorType: message([
      ['elemType', 1, 'int32'],
      ['shape', 2, 'TensorShape'],
    ]),
    TensorShape: message([['dim', 1, 'TensorDimension', 'repeated']]),
    TensorDimension: message([
      ['dimValue', 1, 'int64'],
      ['dimParam', 2, 'string'],
    ]),
  },
});
const Model = schema.lookupType('Model');

/** The graph as ONNX bytes; external weights are named relative to the root folder `/`. */
export function encodeModel(graph: Graph): Uint8Array {
  if (graph.outputs.size === 0) throw new EmacError('internal', 'encodeModel: the graph has no outputs');
  const nodes = liveNodes(graph);
  const read = new Set(nodes.flatMap((node) => node.inputs.flatMap((input) => (input ? [input.name] : []))));
  const named = new Set([...graph.outputs.values()].map((tensor) => tensor.name));
  const initializers = [...graph.initializers.values()].filter(
    ({ tensor }) => read.has(tensor.name) || named.has(tensor.name),
  );
  return Model.encode({
    irVersion,
    producerName: 'emac',
    opsetImport: [
      { domain: '', version: opsetVersion },
      { domain: 'com.microsoft', version: 1 },
    ],
    graph: {
      name: 'graph',
      node: [...nodes.map(nodeBody), ...outputNames(graph)],
      initializer: initializers.map(tensorBody),
      input: graph.inputs.map((tensor) => valueInfo(tensor.name, tensor)),
      output: [...graph.outputs].map(([name, tensor]) => valueInfo(name, tensor)),
    },
  }).finish();
}

/** Nodes on which an output depends, in order. */
function liveNodes(graph: Graph): Node[] {
  const needed = new Set([...graph.outputs.values()].map((tensor) => tensor.name));
  const live: Node[] = [];
  for (const node of [...graph.nodes].reverse()) {
    if (!node.outputs.some((output) => needed.has(output.name))) continue;
    live.push(node);
    for (const input of node.inputs) if (input) needed.add(input.name);
  }
  return live.reverse();
}

/** Outputs carry the names the caller gave them. */
function outputNames(graph: Graph): object[] {
  return [...graph.outputs].map(([name, tensor]) => ({
    input: [tensor.name],
    output: [name],
    name: `output ${name}`,
    opType: 'Identity',
  }));
}

function nodeBody(node: Node): object {
  return {
    input: node.inputs.map((input) => input?.name ?? ''),
    output: node.outputs.map((output) => output.name),
    name: node.outputs[0]!.name,
    opType: node.type,
    domain: node.domain,
    attribute: Object.entries(node.attributes).map(([name, value]) => attributeBody(name, value)),
  };
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
