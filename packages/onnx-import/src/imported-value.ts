/** A value of an imported network while it is built: a tensor of the graph, something known already, or both. */
import type { DataType, Graph, Shape, Tensor } from '@emac/graph';
import { tensorOf, type Known } from './known.ts';

export interface ImportedValue {
  readonly type: DataType;
  readonly shape: Shape;
  readonly known: Known | null;
  /** the value in the graph, made when it is first asked for */
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
