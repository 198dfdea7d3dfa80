/**
 * Which nodes may run on the CPU while a session computes with WebGPU, and why. ONNX Runtime silently moves every node
 * without a WebGPU kernel there, with copies of its data both ways; here only listed nodes may move.
 */
import type { LoweredGraph } from './lowering.ts';
import type { Node, Tensor } from './graph.ts';
import type { DataType } from './shape.ts';

export interface CpuNodes {
  readonly operators: readonly string[];
  /** element type of the operators */
  readonly elements: DataType;
  readonly reason: string;
}

/** The list: no matrix product is in it. */
export const cpuNodes: readonly CpuNodes[] = [
  {
    operators: [
      ...[
        'Add',
        'Sub',
        'Mul',
        'Div',
        'Mod',
        'Min',
        'Max',
        'ReduceMin',
        'ReduceProd',
        'ReduceSum',
        'Range',
        'Cast',
      ],
      ...['Equal', 'Less', 'LessOrEqual', 'Greater', 'GreaterOrEqual', 'Where'],
      ...['Shape', 'Concat', 'Slice', 'Gather', 'Reshape', 'Squeeze', 'Unsqueeze', 'Expand', 'Identity'],
    ],
    elements: 'int64',
    reason: "64-bit integers, which WebGPU's shaders do not have: tokens, positions, sizes of axes",
  },
];

/** True for listed nodes. */
function mayRunOnCpu(node: Node): boolean {
  const elements = elementsOf(node);
  return cpuNodes.some((each) => each.elements === elements && each.operators.includes(node.type));
}

/** `Add (float32)`: the operator and its element type. */
export function nodeKind(node: Node): string {
  return `${node.type} (${elementsOf(node)})`;
}

function elementsOf({ type, inputs, outputs }: Node): DataType {
  const values = type === 'Where' ? inputs[1] : inputs[0];
  return (values ?? outputs[0]!).type;
}

/**
 * One node of each unlisted kind, each fed from outside: WebGPU accepts this graph as a whole if and only if it has
 * their kernels. Nodes over weights alone are excluded: they are computed when a session is created.
 */
export function kernelProbes({ nodes, initializers }: LoweredGraph): LoweredGraph[] {
  const known = new Map(initializers.map((initializer) => [initializer.tensor.name, initializer]));
  const isWeight = (tensor: Tensor | null) => tensor === null || known.has(tensor.name);
  const kinds = new Map<string, Node>();
  for (const node of nodes)
    if (!mayRunOnCpu(node) && !node.inputs.every(isWeight)) kinds.set(fullKind(node), node);
  return [...kinds.values()].map((node) => {
    const inputs = node.inputs.filter((input): input is Tensor => input !== null);
    const inside = inputs.flatMap(({ name }) => known.get(name) ?? []);
    const constants = inside.filter(({ data }) => ArrayBuffer.isView(data));
    const held = new Set(constants.map(({ tensor }) => tensor.name));
    return {
      inputs: inputs.filter(
        ({ name }, at) => !held.has(name) && inputs.findIndex((o) => o.name === name) === at,
      ),
      nodes: [node],
      initializers: constants,
      outputs: new Map(node.outputs.map((output, place) => [`output ${place}`, output])),
    };
  });
}

function fullKind({ type, domain, inputs, attributes }: Node): string {
  const operands = inputs.map((input) => input && [input.type, input.shape.length]);
  return JSON.stringify([domain, type, operands, attributes]);
}
