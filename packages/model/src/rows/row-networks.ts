/** Row networks ready to run: each as one graph, or layer by layer. */
import {
  layeredNetworks,
  type ModelFiles,
  type LayeredOptions,
  type NetworkModel,
  type NetworkSession,
} from '@emac/backbone';
import { createSession, type SessionOptions, type Value } from '@emac/graph';
import type { Trains } from './policy-parameters.ts';
import { wholeGraph, type RowNetwork } from './row-graphs.ts';

/** Runs return the network's outputs and, with a loss, `visual_gradient` [B, V, D] and the gradients of trained adapters (`adapterGradient`). */
export interface RowNetworks {
  /** Errors: those of `createSession`; `data` if layers cannot be streamed. */
  open(build: (model: NetworkModel) => RowNetwork): Promise<NetworkSession>;
  dispose(): Promise<void>;
}

export function residentNetworks(
  model: NetworkModel,
  { trains, ...options }: SessionOptions & { readonly trains: Trains },
): RowNetworks {
  return {
    open: (build) => createSession(wholeGraph(build(model), trains), options),
    dispose: () => Promise.resolve(),
  };
}

export function streamedNetworks(files: ModelFiles, options: LayeredOptions): RowNetworks {
  const networks = layeredNetworks(files, options);
  return {
    open: async (build) => {
      const { run, dispose } = await networks.open(build);
      return {
        run: async (feeds) => {
          const { embedding_gradient: gradient, ...results } = await run(feeds);
          if (!gradient || !feeds['visual']) return results;
          const places = feeds['visual_places'] as Value | undefined;
          const [, visualLength] = (feeds['visual'] as Value).shape;
          const visual = places ? rowsAt(gradient, places) : firstPositions(gradient, visualLength!);
          return { ...results, visual_gradient: visual };
        },
        dispose,
      };
    },
    dispose: () => networks.dispose(),
  };
}

/** [B, S, D] → [B, V, D], rows of all positions by number. */
function rowsAt({ type, shape, data }: Value, places: Value): Value {
  const width = shape[2]!;
  const numbers = places.data as BigInt64Array;
  const found = new Float32Array(numbers.length * width);
  numbers.forEach((row, index) => {
    const start = Number(row) * width;
    found.set((data as Float32Array).subarray(start, start + width), index * width);
  });
  return { type, shape: [...places.shape, width], data: found };
}

/** [B, S, D] → [B, count, D]. */
function firstPositions({ type, shape, data }: Value, count: number): Value {
  const [batch, length, width] = shape as [number, number, number];
  const first = new Float32Array(batch * count * width);
  for (let row = 0; row < batch; row++) {
    const start = row * length * width;
    first.set((data as Float32Array).subarray(start, start + count * width), row * count * width);
  }
  return { type, shape: [batch, count, width], data: first };
}
