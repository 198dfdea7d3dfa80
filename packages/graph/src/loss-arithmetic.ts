/** The losses' arithmetic on graph nodes: the formulas of @emac/losses become part of a differentiable graph. */
import type { Arithmetic } from '@emac/core';
import type { Graph, Tensor } from './graph.ts';
import * as op from './op/index.ts';

/** Numbers of `scale` and `shift` are inputs [] of the graph, named by call order. */
export function nodesWithInputs(graph: Graph, name: (place: number) => string): Arithmetic<Tensor> {
  let count = 0;
  const input = () => graph.input(name(count++), 'float32', []);
  return {
    add: op.add,
    subtract: op.subtract,
    multiply: op.multiply,
    scale: (a) => op.multiply(a, input()),
    shift: (a) => op.add(a, input()),
    exp: op.exp,
    logSigmoid: op.logSigmoid,
    logComplement: op.logComplement,
    relu: op.relu,
  };
}
