/** A lowering rule writes one node in other operators. */
import type { Attribute, ConstantData, Node, NodeOutput, Tensor } from './graph.ts';

type Attributes = Readonly<Record<string, Attribute>>;

/** Writes the replacement of a node. */
export interface Writer {
  /** adds an intermediate node; returns its output */
  step(
    type: string,
    inputs: readonly Tensor[],
    output: NodeOutput & { readonly attributes?: Attributes },
  ): Tensor;
  /** adds the last node, with the outputs of the replaced node */
  last(type: string, inputs: readonly Tensor[], attributes?: Attributes): void;
  /** adds a node for one output of a replaced node with several */
  output(
    output: Tensor,
    type: string,
    node: Pick<Node, 'inputs'> & { readonly attributes?: Attributes },
  ): void;
  /** whether any node or output reads a value */
  isRead(tensor: Tensor): boolean;
  /** equal values share one constant */
  constant(data: ConstantData, shape: readonly number[]): Tensor;
  /** a value created by the first node that asks for it, and shared by later ones */
  shared(key: string, make: () => Tensor): Tensor;
  /** the values of a constant; undefined for computed values and values in files */
  valuesOf(tensor: Tensor): ConstantData | undefined;
}

/** Writes a node's replacement, or returns false to leave it as it is. */
export type Rule = (node: Node, write: Writer) => boolean;
