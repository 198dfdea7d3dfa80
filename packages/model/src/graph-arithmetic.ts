/** The losses' arithmetic on graph nodes: the formulas of @emac/losses become part of a differentiable graph. */
import { op, type Tensor } from '@emac/graph';
import type { Arithmetic } from '@emac/losses';

export const nodes: Arithmetic<Tensor> = {
  add: op.add,
  subtract: op.subtract,
  multiply: op.multiply,
  scale: op.scale,
  shift: (a, offset) => op.add(a, a.graph.scalar(offset)),
  logSigmoid: op.logSigmoid,
  relu: op.relu,
};
