/**
 * Reverse-mode differentiation of a graph: adds the nodes that compute the vector–Jacobian product and returns its
 * values. Only nodes between the wanted inputs and the outputs are visited, so frozen weights cost nothing.
 */
import { EmacError } from '@emac/core';
import { add } from './op/elementwise.ts';
import type { Tensor } from './graph.ts';
import { sameShape, shapeText } from './shape.ts';

/**
 * ∂(Σ seeds·outputs)/∂input for each input. A null seed stands for ones and needs a scalar output []. An input that no
 * output depends on is an error that names it.
 */
export function gradients(
  outputs: readonly Tensor[],
  seeds: readonly (Tensor | null)[],
  inputs: readonly Tensor[],
): Tensor[] {
  const order = sortedBetween(outputs, inputs);
  const accumulated = new Map<string, Tensor>();
  outputs.forEach((output, index) => accumulate(accumulated, output, seedOf(output, seeds[index] ?? null)));
  for (const tensor of order.reverse()) {
    const gradient = accumulated.get(tensor.name);
    if (!gradient || !tensor.origin) continue;
    const wanted = tensor.origin.inputs.map((input) => order.includesName(input.name));
    if (!wanted.some(Boolean)) continue;
    tensor.origin.vjp(gradient).forEach((share, index) => {
      if (share && wanted[index]) accumulate(accumulated, tensor.origin!.inputs[index]!, share);
    });
  }
  return inputs.map((input) => {
    const gradient = accumulated.get(input.name);
    if (!gradient)
      throw new EmacError(
        'internal',
        `gradients: no output depends on "${input.name}" through differentiable operators`,
      );
    return gradient;
  });
}

function seedOf(output: Tensor, seed: Tensor | null): Tensor {
  if (seed === null) {
    if (output.shape.length === 0) return output.graph.scalar(1);
    throw new EmacError(
      'internal',
      `gradients: an output of shape ${shapeText(output.shape)} needs a seed of that shape`,
    );
  }
  if (!sameShape(seed.shape, output.shape))
    throw new EmacError(
      'internal',
      `gradients: seed and output must agree, got ${shapeText(seed.shape)} and ${shapeText(output.shape)}`,
    );
  return seed;
}

function accumulate(accumulated: Map<string, Tensor>, tensor: Tensor, share: Tensor): void {
  if (!sameShape(tensor.shape, share.shape))
    throw new EmacError(
      'internal',
      `gradients: "${tensor.name}" is ${shapeText(tensor.shape)}, its gradient ${shapeText(share.shape)}`,
    );
  const known = accumulated.get(tensor.name);
  accumulated.set(tensor.name, known ? add(known, share) : share);
}

class Order {
  readonly #tensors: Tensor[];
  readonly #names: ReadonlySet<string>;
  constructor(tensors: Tensor[]) {
    this.#tensors = tensors;
    this.#names = new Set(tensors.map((tensor) => tensor.name));
  }
  reverse(): Tensor[] {
    return [...this.#tensors].reverse();
  }
  includesName(name: string): boolean {
    return this.#names.has(name);
  }
}

/** Tensors on a path from an input to an output, each after its operands (iterative depth-first search). */
function sortedBetween(outputs: readonly Tensor[], inputs: readonly Tensor[]): Order {
  const targets = new Set(inputs.map((input) => input.name));
  const leads = new Map<string, boolean>();
  const sorted: Tensor[] = [];
  const stack: { tensor: Tensor; entered: boolean }[] = outputs.map((tensor) => ({ tensor, entered: false }));
  while (stack.length > 0) {
    const { tensor, entered } = stack.pop()!;
    if (leads.has(tensor.name)) continue;
    const sources = tensor.origin?.inputs ?? [];
    if (!entered) {
      stack.push({ tensor, entered: true });
      for (const source of sources)
        if (!leads.has(source.name)) stack.push({ tensor: source, entered: false });
      continue;
    }
    const onPath = targets.has(tensor.name) || sources.some((source) => leads.get(source.name));
    leads.set(tensor.name, onPath);
    if (onPath) sorted.push(tensor);
  }
  return new Order(sorted);
}
