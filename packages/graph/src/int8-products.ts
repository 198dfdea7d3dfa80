/**
 * Products with weights of eight bits. A weight W [out, in] = `transpose(dequantizeLinear(q, s))`, with q int8 [in,
 * out] and one scale per output, is multiplied as integers: each row of values is divided by its largest magnitude and
 * rounded to 256 steps, and multiplied with q; then row and column scales follow. This is vector-wise quantization
 * (Dettmers et al., arXiv 2208.07339) without its float part for outliers. In the backward product the outputs' scales
 * are part of the values. Where products of unsigned and signed bytes may overflow, q is shifted to unsigned bytes around 128.
 */
import { signedBytesAreExact } from './byte-products.ts';
import { Graph, type Attribute, type ConstantData, type Node, type Tensor } from './graph.ts';
import type { DataType, Shape } from './shape.ts';

interface Int8Weight {
  /** int8 [in, out] */
  readonly quantized: Tensor;
  /** float32 [out] */
  readonly scale: Tensor;
}

/** The same graph, with integer products for weights of eight bits; `signed`: of the weights as they are, where this is exact. */
export function int8Products(graph: Graph, { signed = signedBytesAreExact() } = {}): Graph {
  const weights = int8Weights(graph);
  if (weights.size === 0) return graph;
  const result = new Graph();
  result.inputs.push(...graph.inputs);
  for (const [name, initializer] of graph.initializers) result.initializers.set(name, initializer);
  for (const node of graph.nodes) {
    const weight = node.type === 'FusedMatMul' ? weights.get(node.inputs[1]!.name) : undefined;
    if (weight) result.nodes.push(...integerProduct(node, weight, { constant: constantsOf(result), signed }));
    else result.nodes.push(node);
  }
  for (const [name, tensor] of graph.outputs) result.output(name, tensor);
  return result;
}

function int8Weights(graph: Graph): Map<string, Int8Weight> {
  const dequantized = new Map<string, Int8Weight>();
  const weights = new Map<string, Int8Weight>();
  for (const { type, inputs, outputs } of graph.nodes) {
    const [first, scale] = inputs;
    if (type === 'DequantizeLinear' && first!.type === 'int8')
      dequantized.set(outputs[0]!.name, { quantized: first!, scale: scale! });
    const known = type === 'Transpose' ? dequantized.get(first!.name) : undefined;
    if (known) weights.set(outputs[0]!.name, known);
  }
  return weights;
}

type Constant = (name: string, data: ConstantData, shape: readonly number[]) => Tensor;

function constantsOf(graph: Graph): Constant {
  return (name, data, shape) => {
    const type = data instanceof Float32Array ? 'float32' : 'int64';
    const tensor: Tensor = { name: `int8_${name}`, type, shape, graph };
    if (!graph.initializers.has(tensor.name)) graph.initializers.set(tensor.name, { tensor, data });
    return graph.initializers.get(tensor.name)!.tensor;
  };
}

/** ONNX's number of that type. */
const uint8 = 2;

/** Rows of zeros stay zeros. */
const smallest = 1e-30;

interface Making {
  readonly constant: Constant;
  readonly signed: boolean;
}

function integerProduct(node: Node, { quantized, scale }: Int8Weight, { constant, signed }: Making): Node[] {
  const [value] = node.inputs;
  const [product] = node.outputs;
  const nodes: Node[] = [];
  const step = (type: string, inputs: readonly Tensor[], made: Made): Tensor => {
    const { shape, attributes = {}, domain = '', elements = 'float32' } = made;
    const name = `${product!.name}_int8_${nodes.length}`;
    const output: Tensor = { name, type: elements, shape, graph: product!.graph };
    nodes.push({ type, domain, inputs, outputs: [output], attributes });
    return output;
  };
  const { shape } = value!;
  const isForward = node.attributes['transB'] === 1;
  const values = isForward ? value! : step('Mul', [value!, scale], { shape });
  const rows: Shape = [...shape.slice(0, -1), 1];
  const magnitudes = step('Abs', [values], { shape });
  const largest = step('ReduceMax', [magnitudes, constant('last_axis', BigInt64Array.of(-1n), [1])], {
    shape: rows,
  });
  const rowScale = step('Max', [largest, constant('smallest', Float32Array.of(smallest), [1])], {
    shape: rows,
  });
  const unit = step('Div', [values, rowScale], { shape });
  const [inWidth, outWidth] = quantized.shape;
  const matrix = isForward
    ? quantized
    : step('Transpose', [quantized], {
        shape: [outWidth!, inWidth!],
        elements: 'int8',
        attributes: { perm: [1, 0] },
      });
  const columns = isForward ? scale : constant('one', Float32Array.of(1), [1]);
  // a cast to unsigned bytes keeps the bits, so flipping the highest adds 128
  const unsigned = (value: Tensor): Tensor =>
    step('Cast', [value], { shape: value.shape, elements: 'uint8', attributes: { to: uint8 } });
  const middle = signed ? null : unsigned(constant('middle', BigInt64Array.of(128n), [1]));
  const shifted = middle && {
    shape: matrix.shape,
    elements: 'uint8' as const,
  };
  const factors = shifted
    ? [step('BitwiseXor', [unsigned(matrix), middle], shifted), columns, middle]
    : [matrix, columns];
  const integer = step('DynamicQuantizeMatMul', [unit, ...factors], {
    shape: product!.shape,
    domain: 'com.microsoft',
  });
  nodes.push({ type: 'Mul', domain: '', inputs: [integer, rowScale], outputs: node.outputs, attributes: {} });
  return nodes;
}

interface Made {
  readonly shape: Shape;
  readonly elements?: DataType;
  readonly domain?: '' | 'com.microsoft';
  readonly attributes?: Readonly<Record<string, Attribute>>;
}
