/**
 * A differentiable network over the language model, layer by layer: forward through all layers, then backward in
 * reverse, with weights streamed from the files each time. The backward pass uses activations kept from the forward
 * pass (170 KB per token and layer at the published size), or recomputes them from the layer's input.
 */
import {
  createSessions,
  gradients,
  gradientSegments,
  int8Products,
  segment,
  weightProducts,
  type Feeds,
  type Graph,
  type SessionOptions,
  type Tensor,
  type Value,
} from '@emac/graph';

import type { ModelFiles } from '../files/model-files.ts';
import { checkAlike, isFedWeight, twoLayerModel, type NetworkModel } from './fed-weights.ts';
import { adapterGradient, isAdapterWeight, type AdapterForm } from '../networks/adapter.ts';
import { layerInput } from './layer-input.ts';
import { runNetwork, type Trunk } from './layered-pass.ts';
import { streamedSessions } from './weight-stream.ts';

/** How the backward pass gets a layer's activations. */
export type Activations = 'kept' | 'recomputed';

export interface LayeredOptions extends SessionOptions {
  /** default `kept`: no product with a weight is computed twice */
  readonly activations?: Activations;
  /** adapters fed to networks; default none */
  readonly adapter?: AdapterForm | null;
}

/** A network from embeddings to numbers, as its builder returns it. */
export interface Network {
  readonly graph: Graph;
  readonly outputs: Readonly<Record<string, Tensor>>;
  /** the scalar to differentiate; null without gradients */
  readonly loss: Tensor | null;
}

/**
 * Runs a network. With a loss there is also `embedding_gradient`, ∂loss/∂(embeddings) [B, S, D], and `gradient.NAME` for
 * every A or B.
 */
export interface NetworkSession {
  run(feeds: Feeds): Promise<Record<string, Value>>;
  dispose(): Promise<void>;
}

export interface LayeredNetworks {
  /** Opens a network on top of the shared layers. `build` makes the network for a model's configuration and weights. */
  open(build: (model: NetworkModel) => Network): Promise<NetworkSession>;
  dispose(): Promise<void>;
}

/** Errors: `data` if layers are stored in different types; those of `createSessions` when a network is opened. */
export function layeredNetworks(files: ModelFiles, options: LayeredOptions = {}): LayeredNetworks {
  checkAlike(files);
  const { activations = 'kept', adapter = null, ...rest } = options;
  const model = twoLayerModel(files, adapter);
  const sessionOptions = { ...rest, ...streamedSessions };
  let trunk: Promise<Trunk> | undefined;
  return {
    open: async (build) => {
      trunk ??= openTrunk(build(model), { activations, sessionOptions });
      const shared = await trunk;
      const graph = endGraph(build(model));
      const { end } = await createSessions(
        { end: graph },
        // the head in float32 runs once per pass
        { ...sessionOptions, returnMemory: ['end'], beside: shared.start.session },
      );
      return {
        run: (feeds) => runNetwork({ files, trunk: shared, end: { graph, session: end } }, feeds),
        dispose: () => end.dispose(),
      };
    },
    dispose: async () => {
      const opened = await trunk?.catch(() => undefined);
      trunk = undefined;
      if (opened)
        await Promise.all(
          [opened.start, opened.forward, opened.backward].map(({ session }) => session.dispose()),
        );
    },
  };
}

async function openTrunk(
  { graph }: Network,
  { activations, sessionOptions }: { activations: Activations; sessionOptions: SessionOptions },
): Promise<Trunk> {
  const [first, second] = [layerInput(graph, 0), layerInput(graph, 1)];
  const seed = graph.input('next_gradient', 'float32', second.shape);
  // x·Aᵀ is small and kept; the product with B is as large as the projection's output, and cheap
  const isProduct = weightProducts(
    graph,
    graph.inputs.filter(({ name }) => isFedWeight(name) || name.endsWith('.lora_A.weight')),
  );
  const trained = adapterWeightsOf(graph, 0);
  const [gradient, ...others] = gradients([second], [seed], [first, ...trained]);
  const parts = gradientSegments(graph, {
    inputs: { hidden: first },
    outputs: { next_hidden: second },
    gradients: { gradient: gradient!, ...namedGradients(trained, others) },
    isKept: activations === 'kept' ? isProduct : () => false,
  });
  const start = segment(graph, { inputs: {}, outputs: { next_hidden: first } });
  const [forward, backward] = [int8Products(parts.forward), int8Products(parts.backward)];
  const sessions = await createSessions({ start, forward, backward }, sessionOptions);
  return {
    start: { graph: start, session: sessions.start },
    forward: { graph: forward, session: sessions.forward },
    backward: { graph: backward, session: sessions.backward },
    kept: parts.kept,
  };
}

/** The last layer and the rest of the network; with a loss also the gradients in the layer's input and its adapters. */
function endGraph({ graph, outputs, loss }: Network): Graph {
  const hidden = layerInput(graph, 1);
  if (!loss) return int8Products(segment(graph, { inputs: { hidden }, outputs }));
  const trained = adapterWeightsOf(graph, 1);
  const [gradient, ...others] = gradients([loss], [null], [hidden, ...trained]);
  const named = { gradient: gradient!, ...namedGradients(trained, others) };
  return int8Products(segment(graph, { inputs: { hidden }, outputs: { ...outputs, ...named } }));
}

function adapterWeightsOf(graph: Graph, layer: number): Tensor[] {
  return graph.inputs.filter(({ name }) => isAdapterWeight(name) && name.includes(`.layers.${layer}.`));
}

function namedGradients(inputs: readonly Tensor[], values: readonly Tensor[]): Record<string, Tensor> {
  return Object.fromEntries(inputs.map(({ name }, place) => [adapterGradient(name), values[place]!]));
}
