/** What a rule of lowering is: how one node is written in other operators. */
import type { Attribute, ConstantData, Node, NodeOutput, Tensor } from './graph.ts';

type Attributes = Readonly<Record<string, Attribute>>;

/** Writes the nodes that stand for one. */
export interface Writer {
  /** adds a node before the last; gives its output */
  step(
    type: string,
    inputs: readonly Tensor[],
    output: NodeOutput & { readonly attributes?: Attributes },
  ): Tensor;
  /** adds the last node, whose outputs are those of the node that is replaced */
  last(type: string, inputs: readonly Tensor[], attributes?: Attributes): void;
  /** adds the node of one output, where the node that is replaced has several */
  output(
    output: Tensor,
    type: string,
    node: Pick<Node, 'inputs'> & { readonly attributes?: Attributes },
  ): void;
  /** whether any node or output reads a value */
  isRead(tensor: Tensor): boolean;
  /** the same values share one constant */
  constant(data: ConstantData, shape: readonly number[]): Tensor;
  /** a value made by the first node that asks for it, and read by all others that do */
  shared(key: string, make: () => Tensor): Tensor;
  /** what a constant holds; undefined for values that are computed or lie in files */
  valuesOf(tensor: Tensor): ConstantData | undefined;
}

/** Writes what stands for a node, or returns false to leave it as it is. */
export type Rule = (node: Node, write: Writer) => boolean;
