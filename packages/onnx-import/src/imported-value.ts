/** A value of an imported network during construction: a tensor of the graph, a known value, or both. */
import type { DataType, Graph, Shape, Tensor } from '@emac/graph';
import { tensorOf, type Known } from './known.ts';

export interface ImportedValue {
  readonly type: DataType;
  readonly shape: Shape;
  readonly known: Known | null;
  /** the value in the graph, created on first use */
  readonly tensor: () => Tensor;
}

export const valueOfTensor = (tensor: Tensor): ImportedValue => ({
  type: tensor.type,
  shape: tensor.shape,
  known: null,
  tensor: () => tensor,
});

export const valueOfKnown = (known: Known, graph: Graph): ImportedValue => ({
  type: known.type,
  shape: known.shape,
  known,
  tensor: () => tensorOf(known, graph),
});
