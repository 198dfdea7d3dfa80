/** One node during import: its inputs and attributes, with errors that name node and file. */
import { EmacError } from '@emac/core';
import {
  normalizeAxis,
  type Attribute,
  type DataType,
  type Dimension,
  type Graph,
  type Shape,
  type Tensor,
} from '@emac/graph';
import type { ImportedValue } from './imported-value.ts';
import { initializerTensor } from './initializer.ts';
import { knownOf, tensorOf, type Known } from './known.ts';
import type { AttributeValue, ModelFile, ModelNode } from './read-model.ts';
import type { StoredTensor } from './stored-tensor.ts';

export interface NodePlace {
  readonly file: ModelFile;
  readonly node: ModelNode;
  readonly graph: Graph;
  readonly inputs: readonly (ImportedValue | null)[];
  /** a shape of the file with the dimensions of the given tensors */
  readonly bound: (shape: Shape) => Shape;
}

export class NodeReader {
  readonly graph: Graph;
  readonly node: ModelNode;
  readonly inputs: readonly (ImportedValue | null)[];
  readonly bound: (shape: Shape) => Shape;
  readonly #file: ModelFile;

  constructor({ file, node, graph, inputs, bound }: NodePlace) {
    this.#file = file;
    this.bound = bound;
    this.node = node;
    this.graph = graph;
    this.inputs = inputs;
  }

  get opset(): number {
    return this.#file.opset;
  }

  /** The file's statement on one of the node's outputs. */
  declared(output: number): { readonly type: DataType; readonly shape: Shape | null } | null {
    const name = this.node.outputs[output];
    if (name === undefined) return null;
    return this.#file.declared.get(name) ?? this.#file.outputs.find((value) => value.name === name) ?? null;
  }

  error(rule: string, cause?: unknown): EmacError {
    return new EmacError(
      'data',
      `${this.#file.label}, node "${this.node.name}" (${this.node.type}): ${rule}`,
      cause === undefined ? {} : { cause },
    );
  }

  has(input: number): boolean {
    return this.inputs[input] != null;
  }

  value(input: number): ImportedValue {
    const value = this.inputs[input];
    if (!value) throw this.error(`needs input ${input}; the file is damaged`);
    return value;
  }

  /** Null for an omitted input. */
  optional(input: number): Tensor | null {
    return this.inputs[input]?.tensor() ?? null;
  }

  tensor(input: number): Tensor {
    return this.value(input).tensor();
  }

  /** All inputs that are present. */
  tensors(): Tensor[] {
    return this.inputs.flatMap((value) => (value ? [value.tensor()] : []));
  }

  known(input: number): Known {
    const { known } = this.value(input);
    if (!known)
      throw this.error(
        `input ${input} ("${this.node.inputs[input]}") must be known before a run; make it a constant when exporting`,
      );
    return known;
  }

  /** A list of dimensions, symbols included. */
  dimensions(input: number): readonly Dimension[] {
    return this.known(input).values;
  }

  /** A list of numbers known during import. */
  numbers(input: number): readonly number[] {
    const values = this.known(input).values;
    if (values.some((value) => typeof value !== 'number'))
      throw this.error(
        `input ${input} ("${this.node.inputs[input]}") must be numbers, got [${values.join(', ')}]; fix these sizes when exporting`,
      );
    return values as readonly number[];
  }

  /** The one number of an input, or the default if the input is omitted. */
  number(input: number, absent: number): number {
    return this.has(input) ? (this.numbers(input)[0] ?? absent) : absent;
  }

  attribute(name: string): AttributeValue | undefined {
    return this.node.attributes.get(name);
  }

  float(name: string, absent: number): number {
    return this.#attribute(name, 'number', absent);
  }

  integer(name: string, absent: number): number {
    return this.#attribute(name, 'number', absent);
  }

  text(name: string, absent: string): string {
    return this.#attribute(name, 'string', absent);
  }

  integers(name: string): readonly number[] | null {
    const value = this.attribute(name);
    if (value === undefined || Array.isArray(value)) return (value as readonly number[] | undefined) ?? null;
    throw this.error(`attribute ${name} must be a list of numbers; the file is damaged`);
  }

  /** A tensor attribute. */
  stored(name: string): Known | null {
    const value = this.attribute(name);
    if (value === undefined) return null;
    if (typeof value === 'object' && 'element' in value) {
      const known = knownOf(value);
      if (known) return known;
    }
    throw this.error(`attribute ${name} must be a small tensor; make it an initializer`);
  }

  #attribute<T extends number | string>(name: string, type: 'number' | 'string', absent: T): T {
    const value = this.attribute(name);
    if (value === undefined) return absent;
    if (typeof value !== type) throw this.error(`attribute ${name} must be a ${type}; the file is damaged`);
    return value as T;
  }

  axis(axis: number, rank: number): number {
    return normalizeAxis('axis', axis, rank);
  }

  /** Axes from an attribute in older opsets and an input in newer ones; null if the node names none. */
  axes(input: number): readonly number[] | null {
    return this.integers('axes') ?? (this.has(input) ? this.numbers(input) : null);
  }

  /** A known value as a tensor of the graph. */
  constant(known: Known): Tensor {
    return tensorOf(known, this.graph);
  }

  /** A stored tensor as a tensor of the graph. */
  initializer(stored: StoredTensor): Tensor {
    return initializerTensor(stored, this.graph);
  }

  /** Attributes unchanged, for nodes that are copied. */
  plainAttributes(): Record<string, Attribute> {
    const floats = new Set([
      'alpha',
      'beta',
      'gamma',
      'bias',
      'lambd',
      'epsilon',
      'cubic_coeff_a',
      'extrapolation_value',
    ]);
    return Object.fromEntries(
      [...this.node.attributes].map(([name, value]) => {
        if (typeof value === 'number') return [name, floats.has(name) ? { float: value } : value];
        if (typeof value === 'string' || Array.isArray(value)) return [name, value as Attribute];
        throw this.error(`attribute ${name} of this kind is not supported`);
      }),
    );
  }
}
