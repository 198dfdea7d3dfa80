/** Values of a graph's adapter inputs. Unadapted projections get zeros. */
import { EmacError } from '@emac/core';
import type { Feeds, Value } from '@emac/graph';

import {
  adapterNames,
  type AdapterForm,
  type AdapterTarget,
  isAdapterWeight,
  adapterTargets,
} from './adapter.ts';
import type { LlamaConfig } from '../files/model-config.ts';

/** An adapter as it is fed to networks. Executions know it by object identity: the same object stands for the same numbers. */
export interface AdapterValues {
  /** `….lora_A.weight` [r, in] and `….lora_B.weight` [out, r], all of one rank */
  readonly parameters: ReadonlyMap<
    string,
    { readonly shape: readonly number[]; readonly data: Float32Array }
  >;
  readonly scale: number;
}

/** Names of the adapted projections of a form, layer by layer. */
export function adaptedModules(layers: number, { targets }: Pick<AdapterForm, 'targets'>): string[] {
  return Array.from({ length: layers }, (_, layer) =>
    adapterTargets.filter((target) => targets.includes(target)).map((target) => moduleName(layer, target)),
  ).flat();
}

function moduleName(layer: number, target: AdapterTarget): string {
  const block = /^(gate|up|down)/.test(target) ? 'mlp' : 'self_attn';
  return `language_model.model.layers.${layer}.${block}.${target}`;
}

/** Inputs and outputs of a projection. */
export function projectionWidths(config: LlamaConfig, module: string): { inWidth: number; outWidth: number } {
  const { hiddenSize, intermediateSize, headSize, heads, keyValueHeads } = config;
  const [queries, keys] = [heads * headSize, keyValueHeads * headSize];
  const widths: Record<AdapterTarget, readonly [number, number]> = {
    q_proj: [hiddenSize, queries],
    k_proj: [hiddenSize, keys],
    v_proj: [hiddenSize, keys],
    o_proj: [queries, hiddenSize],
    gate_proj: [hiddenSize, intermediateSize],
    up_proj: [hiddenSize, intermediateSize],
    down_proj: [intermediateSize, hiddenSize],
  };
  const [inWidth, outWidth] = widths[module.split('.').at(-1) as AdapterTarget];
  return { inWidth, outWidth };
}

/** Feeds of every adapter input except dropout's, for all layers. Errors: `data` if the form has no place for a tensor. */
export function adapterFeeds(
  config: LlamaConfig,
  form: AdapterForm,
  values: AdapterValues | null,
): Record<string, Value> {
  const parameters = values?.parameters ?? new Map<string, never>();
  const rank = parameters.size === 0 ? 1 : [...parameters.values()][0]!.shape[0]!;
  const zeros = new Map<number, Float32Array>();
  const zero = (length: number) =>
    zeros.get(length) ?? zeros.set(length, new Float32Array(length)).get(length)!;
  const feeds: Record<string, Value> = {};
  for (const module of adaptedModules(config.layers, form)) {
    const { inWidth, outWidth } = projectionWidths(config, module);
    const shapes = { [adapterNames.a(module)]: [rank, inWidth], [adapterNames.b(module)]: [outWidth, rank] };
    for (const [name, shape] of Object.entries(shapes)) {
      const data = parameters.get(name)?.data ?? zero(shape[0]! * shape[1]!);
      feeds[name] = { type: 'float32', shape, data };
    }
  }
  for (const name of parameters.keys())
    if (isAdapterWeight(name) && !(name in feeds))
      throw new EmacError(
        'data',
        `adapter: the networks were opened for ${form.targets.join(', ')} of ${config.layers} layers, got ${name}`,
      );
  return { ...feeds, [adapterNames.scale]: scalar(values?.scale ?? 0) };
}

function scalar(value: number): Value {
  return { type: 'float32', shape: [], data: Float32Array.of(value) };
}

/** One layer's adapter feeds, under the names of layer `as`. */
export function adapterFeedsOfLayer(feeds: Feeds, layer: number, as: number): Feeds {
  const place = `.layers.${layer}.`;
  return Object.fromEntries(
    Object.entries(feeds).flatMap(([name, value]) =>
      name.includes('.lora_') && name.includes(place) ? [[name.replace(place, `.layers.${as}.`), value]] : [],
    ),
  );
}
