/**
 * A graph under construction: inputs, weights, nodes in order of creation, outputs. Nodes are ONNX nodes.
 * Differentiation records are on the tensors (`origin`), so one differentiable operator may emit several nodes.
 */
import { EmacError } from '@emac/core';
import { dimensionTerms, floorOperands, subtractDimensions } from './dimension.ts';
import { shapeText, type DataType, type Dimension, type Shape } from './shape.ts';

/** Given ∂L/∂output, returns ∂L/∂input for each input (null: not differentiable in that input). */
export type VectorJacobianProduct = (outputGradient: Tensor) => readonly (Tensor | null)[];

export interface Origin {
  readonly inputs: readonly Tensor[];
  readonly vjp: VectorJacobianProduct;
}

/** A value of a graph under construction. */
export interface Tensor {
  readonly name: string;
  readonly type: DataType;
  readonly shape: Shape;
  readonly graph: Graph;
  /** the operator and operands of this value; absent for inputs, weights and non-differentiable values */
  readonly origin?: Origin;
}

export type Attribute = number | string | readonly number[] | { readonly float: number };

export interface Node {
  readonly type: string;
  readonly domain: '' | 'com.microsoft';
  readonly inputs: readonly (Tensor | null)[];
  readonly outputs: readonly Tensor[];
  readonly attributes: Readonly<Record<string, Attribute>>;
}

/** Where a weight lies: bytes of a file, used in place. */
export interface ExternalData {
  /** absolute path */
  readonly file: string;
  /** first byte in the file */
  readonly offset: number;
  readonly length: number;
}

export type ConstantData = Float32Array | BigInt64Array | Int32Array;

export interface Initializer {
  readonly tensor: Tensor;
  readonly data: ConstantData | ExternalData;
}

export interface NodeOutput {
  readonly type: DataType;
  readonly shape: Shape;
}

export interface NodeOptions {
  readonly attributes?: Readonly<Record<string, Attribute>>;
  readonly domain?: '' | 'com.microsoft';
  readonly origin?: Origin;
}

export class Graph {
  readonly inputs: Tensor[] = [];
  readonly initializers = new Map<string, Initializer>();
  readonly nodes: Node[] = [];
  readonly outputs = new Map<string, Tensor>();
  readonly #symbols = new Map<string, { tensor: Tensor; axis: number }>();
  readonly #memo = new Map<string, Tensor>();
  readonly #reserved = new Set<string>();
  #count = 0;

  /** Reserves names for inputs and outputs; the graph gives them to no other value. */
  reserve(names: Iterable<string>): void {
    for (const name of names) {
      const like = /^[A-Za-z]+_\d+/.exec(name);
      if (like) this.#reserved.add(like[0]);
    }
  }

  /** A value fed at run time. */
  input(name: string, type: DataType, shape: Shape): Tensor {
    if (this.inputs.some((input) => input.name === name))
      throw new EmacError('internal', `Graph.input: names must be unique, got "${name}" twice`);
    const tensor = this.#tensor(name, { type, shape });
    this.inputs.push(tensor);
    return tensor;
  }

  /** Values stored inside the graph. */
  constant(data: ConstantData, shape: readonly number[]): Tensor {
    const size = shape.reduce((product, dimension) => product * dimension, 1);
    if (size !== data.length)
      throw new EmacError(
        'internal',
        `Graph.constant: ${shapeText(shape)} needs ${size} values, got ${data.length}`,
      );
    const type = data instanceof Float32Array ? 'float32' : data instanceof Int32Array ? 'int32' : 'int64';
    const tensor = this.#tensor(this.#newName('constant'), { type, shape });
    this.initializers.set(tensor.name, { tensor, data });
    return tensor;
  }

  /** One number, shape []; equal numbers share one constant. */
  scalar(value: number, type: 'float32' | 'int64' = 'float32'): Tensor {
    return this.memo(`scalar ${type} ${value}`, () =>
      this.constant(type === 'float32' ? Float32Array.of(value) : BigInt64Array.of(BigInt(value)), []),
    );
  }

  /** A list of integers as an int64 vector (shapes, axes); equal lists share one constant. */
  integers(values: readonly number[]): Tensor {
    return this.memo(`integers ${values.join()}`, () =>
      this.constant(
        BigInt64Array.from(values, (value) => BigInt(value)),
        [values.length],
      ),
    );
  }

  /** A weight used in place from a file; the same name gives the same tensor. */
  external(
    name: string,
    type: DataType,
    place: { readonly shape: readonly number[] } & ExternalData,
  ): Tensor {
    const known = this.initializers.get(name);
    if (known) return known.tensor;
    const tensor = this.#tensor(name, { type, shape: place.shape });
    this.initializers.set(name, {
      tensor,
      data: { file: place.file, offset: place.offset, length: place.length },
    });
    return tensor;
  }

  /** Names a value to be returned by a run. */
  output(name: string, tensor: Tensor): void {
    if (this.outputs.has(name))
      throw new EmacError('internal', `Graph.output: names must be unique, got "${name}" twice`);
    this.outputs.set(name, tensor);
  }

  /** Adds one ONNX node with several outputs (only the first carries the origin). */
  // eslint-disable-next-line max-params -- the parts of an ONNX node, in ONNX's order
  nodeWithOutputs(
    type: string,
    inputs: readonly (Tensor | null)[],
    outputs: readonly NodeOutput[],
    options: NodeOptions = {},
  ): Tensor[] {
    for (const input of inputs)
      if (input && input.graph !== this)
        throw new EmacError(
          'internal',
          `${type}: all inputs must belong to one graph, "${input.name}" does not`,
        );
    const name = this.#newName(type);
    const made = outputs.map((output, position) =>
      this.#tensor(
        position ? `${name}_${position}` : name,
        output,
        position === 0 ? options.origin : undefined,
      ),
    );
    this.nodes.push({
      type,
      domain: options.domain ?? '',
      inputs,
      outputs: made,
      attributes: options.attributes ?? {},
    });
    return made;
  }

  /** Adds one ONNX node with one output. */
  // eslint-disable-next-line max-params -- the parts of an ONNX node, in ONNX's order
  node(
    type: string,
    inputs: readonly (Tensor | null)[],
    output: NodeOutput,
    options: NodeOptions = {},
  ): Tensor {
    return this.nodeWithOutputs(type, inputs, [output], options)[0]!;
  }

  /** The same tensor under another differentiation record (an operator made of several nodes). */
  withOrigin(tensor: Tensor, origin: Origin): Tensor {
    return { ...tensor, origin };
  }

  /** An int64 vector of the run-time sizes of `dimensions`, for Reshape and Expand. */
  shapeVector(dimensions: Shape): Tensor {
    if (dimensions.every((dimension) => typeof dimension === 'number'))
      return this.integers(dimensions as readonly number[]);
    return this.memo(`shape ${dimensions.join()}`, () => {
      const parts = dimensions.map((dimension) =>
        typeof dimension === 'number' ? this.integers([dimension]) : this.#sizeOf(dimension),
      );
      if (parts.length === 1) return parts[0]!;
      return this.node(
        'Concat',
        parts,
        { type: 'int64', shape: [dimensions.length] },
        { attributes: { axis: 0 } },
      );
    });
  }

  /** Makes a value once per key and graph. */
  memo(key: string, make: () => Tensor): Tensor {
    const known = this.#memo.get(key);
    if (known) return known;
    const made = make();
    this.#memo.set(key, made);
    return made;
  }

  #newName(type: string): string {
    let name: string;
    do name = `${type}_${this.#count++}`;
    while (this.#reserved.has(name));
    return name;
  }

  /** The run-time size of a symbol, int64 [1]. */
  #sizeOf(symbol: string): Tensor {
    return this.memo(`size ${symbol}`, () => {
      const source = this.#symbols.get(symbol);
      if (!source) return this.#computedSize(symbol);
      const attributes = { start: source.axis, end: source.axis + 1 };
      return this.node('Shape', [source.tensor], { type: 'int64', shape: [1] }, { attributes });
    });
  }

  /** The size of a sum, product or quotient of symbols, from the sizes of its parts. */
  #computedSize(symbol: string): Tensor {
    const combine = (type: string) => (a: Tensor, b: Tensor) =>
      this.node(type, [a, b], { type: 'int64', shape: [1] });
    const operands = floorOperands(symbol);
    if (operands) return combine('Div')(this.shapeVector([operands[0]]), this.shapeVector([operands[1]]));
    const terms = dimensionTerms(symbol);
    if (terms.some(({ symbols }) => symbols.includes(symbol))) return this.#sizeWithin(symbol);
    return terms
      .map(({ factor, symbols }) =>
        symbols.map((part) => this.#sizeOf(part)).reduce(combine('Mul'), this.integers([factor])),
      )
      .reduce(combine('Add'));
  }

  /** The size of a symbol that occurs only in a sum with a constant, as S in '1+S'. */
  #sizeWithin(symbol: string): Tensor {
    for (const known of this.#symbols.keys()) {
      const added = subtractDimensions(known, symbol);
      if (typeof added !== 'number') continue;
      const operands = [this.#sizeOf(known), this.integers([added])];
      return this.node('Sub', operands, { type: 'int64', shape: [1] });
    }
    throw new EmacError('internal', `Graph: no tensor has a dimension named "${symbol}"`);
  }

  #tensor(name: string, output: NodeOutput, origin?: Origin): Tensor {
    const tensor: Tensor = {
      name,
      type: output.type,
      shape: output.shape,
      graph: this,
      ...(origin ? { origin } : {}),
    };
    output.shape.forEach((dimension: Dimension, axis) => {
      if (typeof dimension === 'string' && !this.#symbols.has(dimension))
        this.#symbols.set(dimension, { tensor, axis });
    });
    return tensor;
  }
}
