/**
 * The activation functions of `hidden_act`, as graph nodes: the exact (erf) GELU of EVA-ViT and BERT, its tanh form
 * (`gelu_new`, `gelu_pytorch_tanh`; Hendrycks & Gimpel 2016), `quick_gelu` (x·σ(1.702x), CLIP) and SiLU.
 */
import { op, type Tensor } from '@emac/graph';

const activations = {
  gelu: (x: Tensor) => op.gelu(x),
  gelu_new: (x: Tensor) => tanhGelu(x),
  gelu_pytorch_tanh: (x: Tensor) => tanhGelu(x),
  quick_gelu: (x: Tensor) => op.multiply(x, op.sigmoid(op.multiply(x, x.graph.scalar(1.702)))),
  silu: (x: Tensor) => op.silu(x),
} as const;

export type Activation = keyof typeof activations;

export function isActivation(name: string): name is Activation {
  return Object.hasOwn(activations, name);
}

/** Applies the named function to every element. */
export function activate(name: Activation, x: Tensor): Tensor {
  return activations[name](x);
}

function tanhGelu(x: Tensor): Tensor {
  const { graph } = x;
  const cube = op.multiply(op.multiply(x, x), x);
  const inner = op.multiply(
    op.add(x, op.multiply(cube, graph.scalar(0.044715))),
    graph.scalar(Math.sqrt(2 / Math.PI)),
  );
  return op.multiply(op.multiply(x, graph.scalar(0.5)), op.add(op.tanh(inner), graph.scalar(1)));
}
