/**
 * Imports exported networks as differentiable parts of a graph. A network is read once and can be applied to tensors of
 * any graph. Shapes follow from those tensors; weights stay in their files, shared by all applications within one
 * graph. All floating types are computed in float32.
 */
import { EmacError, messageOf } from '@emac/core';
import {
  Graph,
  sameDimension,
  shapeText,
  type DataType,
  type Dimension,
  type Shape,
  type Tensor,
} from '@emac/graph';
import { fold } from './fold.ts';
import { valueOfKnown, valueOfTensor, type ImportedValue } from './imported-value.ts';
import { initializerTensor } from './initializer.ts';
import { knownOf } from './known.ts';
import { NodeReader } from './node-reader.ts';
import { operatorFor } from './operators/index.ts';
import { floatValues } from './stored-tensor.ts';
import { readModel, type ModelFile, type ModelNode, type ModelValue } from './read-model.ts';

export interface ImportOptions {
  /** folder of the external weights; default: the folder of the file */
  readonly folder?: string;
}

/** The name, type and shape of an input or output. */
export interface Signature {
  readonly type: DataType;
  /** null if the file does not say */
  readonly shape: Shape | null;
}

export interface OnnxNetwork {
  readonly inputs: Readonly<Record<string, Signature>>;
  readonly outputs: Readonly<Record<string, Signature>>;
  readonly initializers: Readonly<Record<string, Signature>>;
  /**
   * Adds the network to the graph of the given tensors, one for every input. A tensor under the name of an initializer
   * replaces it (so it can be fed and trained). Returns the network's outputs, or the file's values named in `wanted`.
   * Errors: `internal` for tensors that do not fit, `data` for the file.
   */
  apply(feeds: Readonly<Record<string, Tensor>>, wanted?: readonly string[]): Record<string, Tensor>;
  /**
   * Names of the trainable tensors of these values: floating initializers of at least one dimension, except the statistics
   * of batch normalization.
   */
  trainable(wanted: readonly string[]): readonly string[];
  /** A copy of a floating initializer's numbers. Errors: `internal` for an unknown name; `missing`, `io`. */
  numbers(initializer: string): Float32Array;
  /** A new graph with the network's inputs and outputs under their names. */
  toGraph(): ImportedGraph;
}

export interface ImportedGraph {
  readonly graph: Graph;
  readonly inputs: Readonly<Record<string, Tensor>>;
  readonly outputs: Readonly<Record<string, Tensor>>;
  /** the initializers of the outputs: operands for `gradients` */
  readonly initializers: Readonly<Record<string, Tensor>>;
}

/**
 * Reads a network (opset 11 … 23) from an `.onnx` file or its bytes. Errors: `missing`, `io`; `data` with place, rule
 * and value if it is damaged, of another version, or has unsupported operators or types.
 */
export function importOnnx(source: string | Uint8Array, options: ImportOptions = {}): OnnxNetwork {
  const file = readModel(source, options.folder ?? null);
  checkOperators(file);
  const weights = new WeakMap<Graph, Map<string, Tensor>>();
  const weightsIn = (graph: Graph) => {
    const known = weights.get(graph) ?? new Map<string, Tensor>();
    weights.set(graph, known);
    return known;
  };
  const signatures = (values: readonly ModelValue[]) =>
    Object.fromEntries(values.map(({ name, type, shape }) => [name, { type, shape }]));
  return {
    inputs: signatures(file.inputs),
    outputs: signatures(file.outputs),
    initializers: Object.fromEntries(
      [...file.initializers].map(([name, { element, shape }]) => [name, { type: element.type, shape }]),
    ),
    apply: (feeds, wanted = file.outputs.map(({ name }) => name)) => {
      const graph = graphOf(file, feeds);
      return new Application({ file, graph, feeds, weights: weightsIn(graph) }).outputs(wanted);
    },
    trainable: (wanted) => trainableIn(file, wanted),
    numbers: (initializer) => {
      const stored = file.initializers.get(initializer);
      if (stored?.element.type === 'float32') return floatValues(stored);
      throw new EmacError('internal', `${file.label}: has no floating initializer "${initializer}"`);
    },
    toGraph: () => toGraph(file, weightsIn),
  };
}

function toGraph(file: ModelFile, weightsIn: (graph: Graph) => Map<string, Tensor>): ImportedGraph {
  const graph = new Graph();
  graph.reserve([...file.inputs, ...file.outputs].map(({ name }) => name));
  const inputs = Object.fromEntries(
    file.inputs.map(({ name, type, shape }) => {
      if (shape) return [name, graph.input(name, type, shape)];
      throw new EmacError(
        'data',
        `${file.label}: input "${name}" has no rank; export it with a shape, or use apply`,
      );
    }),
  );
  const weights = weightsIn(graph);
  const outputs = new Application({ file, graph, feeds: inputs, weights }).outputs(
    file.outputs.map(({ name }) => name),
  );
  for (const [name, tensor] of Object.entries(outputs)) graph.output(name, tensor);
  return { graph, inputs, outputs, initializers: Object.fromEntries(weights) };
}

/** Nodes needed by the named values, in order. */
function nodesFor(file: ModelFile, wanted: readonly string[]): ModelNode[] {
  const needed = new Set(wanted);
  const found: ModelNode[] = [];
  for (const node of [...file.nodes].reverse()) {
    if (!node.outputs.some((name) => needed.has(name))) continue;
    found.push(node);
    for (const name of node.inputs) needed.add(name);
  }
  return found.reverse();
}

function trainableIn(file: ModelFile, wanted: readonly string[]): string[] {
  const nodes = nodesFor(file, wanted);
  const read = new Set(nodes.flatMap(({ inputs }) => inputs));
  // inputs of BatchNormalization: x, scale, bias, mean, variance
  const statistics = new Set(
    nodes.flatMap(({ type, inputs }) => (type === 'BatchNormalization' ? inputs.slice(3) : [])),
  );
  return [...file.initializers.values()].flatMap(({ name, element, shape }) =>
    read.has(name) && !statistics.has(name) && element.type === 'float32' && shape.length > 0 ? [name] : [],
  );
}

function checkOperators(file: ModelFile): void {
  const nodes = nodesFor(
    file,
    file.outputs.map(({ name }) => name),
  );
  const foreign = nodes.filter(({ domain, type }) => !operatorFor(domain, type));
  if (foreign.length === 0) return;
  const names = [...new Map(foreign.map((node) => [`${node.domain}.${node.type}`, node])).values()].map(
    ({ domain, type, name }) => `${domain === '' ? '' : `${domain}.`}${type} (node "${name}")`,
  );
  throw new EmacError(
    'data',
    `${file.label}: operators that are not supported: ${names.join(', ')}; export the network without them, or only the part before them`,
  );
}

function graphOf(file: ModelFile, feeds: Readonly<Record<string, Tensor>>): Graph {
  const { graph } =
    Object.values(feeds)[0] ??
    (() => {
      throw new EmacError('internal', `${file.label}: apply needs a tensor for every input, got none`);
    })();
  const stranger = Object.entries(feeds).find(([, tensor]) => tensor.graph !== graph);
  if (stranger)
    throw new EmacError(
      'internal',
      `${file.label}: all tensors must be of one graph, "${stranger[0]}" is not`,
    );
  return graph;
}

interface ApplicationParts {
  readonly file: ModelFile;
  readonly graph: Graph;
  readonly feeds: Readonly<Record<string, Tensor>>;
  readonly weights: Map<string, Tensor>;
}

/** One application of a network to tensors. */
class Application {
  readonly #parts: ApplicationParts;
  readonly #values = new Map<string, ImportedValue>();
  /** the file's symbols as dimensions of the given tensors */
  readonly #bindings = new Map<string, Dimension>();

  constructor(parts: ApplicationParts) {
    this.#parts = parts;
    const { file, feeds } = parts;
    for (const name of Object.keys(feeds)) this.#checkName(name);
    for (const input of file.inputs) this.#bind(input, feeds[input.name]);
    for (const [name, { element, shape }] of file.initializers)
      if (feeds[name]) this.#bind({ name, type: element.type, shape }, feeds[name]);
  }

  outputs(wanted: readonly string[]): Record<string, Tensor> {
    const { file } = this.#parts;
    for (const node of nodesFor(file, wanted)) this.#build(node);
    return Object.fromEntries(
      wanted.map((name) => {
        const value = this.#find(name);
        if (value) return [name, value.tensor()];
        throw new EmacError('internal', `${file.label}: has no value "${name}"`);
      }),
    );
  }

  #checkName(name: string): void {
    const { file } = this.#parts;
    if (file.inputs.some((input) => input.name === name) || file.initializers.has(name)) return;
    const names = file.inputs.map((input) => input.name).join(', ');
    throw new EmacError(
      'internal',
      `${file.label}: has no input or initializer "${name}"; its inputs are ${names}`,
    );
  }

  #bind(expected: ModelValue, tensor: Tensor | undefined): void {
    const { file } = this.#parts;
    const { name, type, shape } = expected;
    const wanted = `${type} ${shape ? shapeText(shape) : ''}`;
    if (!tensor) throw new EmacError('internal', `${file.label}: input "${name}" (${wanted}) is missing`);
    const fits =
      tensor.type === type &&
      (!shape ||
        (shape.length === tensor.shape.length &&
          shape.every((dimension, axis) => this.#fits(dimension, tensor.shape[axis]!))));
    if (!fits)
      throw new EmacError(
        'internal',
        `${file.label}: "${name}" must be ${wanted}, got ${tensor.type} ${shapeText(tensor.shape)}`,
      );
    this.#values.set(name, valueOfTensor(tensor));
  }

  #fits(expected: Dimension, dimension: Dimension): boolean {
    if (typeof expected === 'number') return sameDimension(expected, dimension);
    const bound = this.#bindings.get(expected);
    if (bound === undefined) this.#bindings.set(expected, dimension);
    return bound === undefined || sameDimension(bound, dimension);
  }

  #find(name: string): ImportedValue | null {
    const known = this.#values.get(name);
    if (known) return known;
    const { file, graph, weights } = this.#parts;
    const stored = file.initializers.get(name);
    if (!stored) return null;
    const tensor = () => {
      const made = weights.get(name) ?? initializerTensor(stored, graph);
      weights.set(name, made);
      return made;
    };
    const value = { type: stored.element.type, shape: stored.shape, known: knownOf(stored), tensor };
    this.#values.set(name, value);
    return value;
  }

  #build(node: ModelNode): void {
    const { file, graph } = this.#parts;
    const inputs = node.inputs.map((name) => {
      if (name === '') return null;
      const value = this.#find(name);
      if (value) return value;
      throw new EmacError(
        'data',
        `${file.label}, node "${node.name}" (${node.type}): reads "${name}", an output that is not supported`,
      );
    });
    const bound = (shape: Shape) =>
      shape.map((dimension) =>
        typeof dimension === 'string' ? (this.#bindings.get(dimension) ?? dimension) : dimension,
      );
    const reader = new NodeReader({ file, node, graph, inputs, bound });
    const values = this.#valuesOf(reader);
    node.outputs.forEach((name, index) => {
      const value = values[index];
      if (name !== '' && value) this.#values.set(name, value);
    });
  }

  #valuesOf(node: NodeReader): readonly ImportedValue[] {
    try {
      const known = fold(node);
      if (known) return [this.#known(node, known)];
      const { domain, type } = node.node;
      const operator = operatorFor(domain, type);
      if (!operator) throw node.error('is not supported');
      const built = operator(node);
      return (Array.isArray(built) ? (built as readonly Tensor[]) : [built as Tensor]).map(valueOfTensor);
    } catch (thrown) {
      if (thrown instanceof EmacError && thrown.code === 'internal') throw node.error(thrown.message, thrown);
      if (thrown instanceof EmacError) throw thrown;
      throw node.error(`cannot be read (${messageOf(thrown)}); the file is damaged`, thrown);
    }
  }

  /** Identity keeps the tensor, so that gradients find it. */
  #known(node: NodeReader, known: NonNullable<ReturnType<typeof fold>>): ImportedValue {
    return node.node.type === 'Identity' ? node.value(0) : valueOfKnown(known, node.graph);
  }
}
