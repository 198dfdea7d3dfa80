/**
 * Low-rank adapters (LoRA; Hu et al., arXiv 2106.09685) of the language model's projections, as graph inputs: y = x·Wᵀ +
 * s·(dropout(x)·Aᵀ)·Bᵀ with A [r, in], B [out, r] and s = α/r. A graph fixes the adapted projections; their numbers, rank
 * and scale included, are fed, so one session serves any adapter of a base, and the base alone.
 */
import { op, type Graph, type Tensor } from '@emac/graph';

import { dropped } from './dropout.ts';

/** Projections of a layer that can have an adapter. */
export const adapterTargets = [
  'q_proj',
  'k_proj',
  'v_proj',
  'o_proj',
  'gate_proj',
  'up_proj',
  'down_proj',
] as const;

export type AdapterTarget = (typeof adapterTargets)[number];

/** The parts of an adapter that are compiled into a graph. */
export interface AdapterForm {
  /** adapted in every layer */
  readonly targets: readonly AdapterTarget[];
  /** the graph drops inputs of A, at a rate that is fed; generation never does */
  readonly dropout: boolean;
}

/**
 * The term that an adapter adds to the output [..., out] of a projection
 * (`language_model.model.layers.0.self_attn.q_proj`); null for none.
 */
export type Adapt = (module: string, x: Tensor, outWidth: number) => Tensor | null;

/** Names of a projection's inputs. */
export const adapterNames = {
  a: (module: string) => `${module}.lora_A.weight`,
  b: (module: string) => `${module}.lora_B.weight`,
  /** [in]: one number for each input of A, see `dropped` */
  dropout: (module: string) => `${module}.lora_dropout`,
  scale: 'adapter_scale',
} as const;

/** True for inputs of a single projection's adapter; false for the base's weights. */
export function isAdapterInput(name: string): boolean {
  return name.includes('.lora_');
}

/** True for A and B, the trainable inputs. */
export function isAdapterWeight(name: string): boolean {
  return /\.lora_[AB]\.weight$/.test(name);
}

/** Adapters as inputs of the graph, created with each adapted projection; without a form there are none. */
export function adapterInputs(graph: Graph, form: AdapterForm | null | undefined): Adapt {
  if (!form) return () => null;
  return (module, x, outWidth) => {
    if (!form.targets.some((target) => module.endsWith(`.${target}`))) return null;
    const inWidth = x.shape.at(-1)!;
    const a = graph.input(adapterNames.a(module), 'float32', ['rank', inWidth]);
    const b = graph.input(adapterNames.b(module), 'float32', [outWidth, 'rank']);
    const scale = graph.memo(adapterNames.scale, () => graph.input(adapterNames.scale, 'float32', []));
    const read = form.dropout
      ? dropped(x, graph.input(adapterNames.dropout(module), 'float32', [inWidth]))
      : x;
    return op.linear(op.multiply(op.linear(read, a), scale), b);
  };
}

/** The output name of the gradient in A or B. */
export const adapterGradient = (name: string): string => `gradient.${name}`;

/** A and B of a graph's adapters. */
export function adapterWeightInputs(graph: Graph): Tensor[] {
  return graph.inputs.filter(({ name }) => isAdapterWeight(name));
}
