/** One pass forward through a network's layers and, with a gradient, one back. */
import type { Feeds, Graph, KeptValue, Session, Value } from '@emac/graph';

import type { ModelFiles } from '../files/model-files.ts';
import { adapterFeedsOfLayer } from '../networks/adapter-feeds.ts';
import { deepFeedsOfLayer } from '../networks/deep-stack.ts';
import { kindFeedsOfLayer } from '../networks/layer-kinds.ts';
import { inLayer } from './fed-weights.ts';
import { feedsOf, withEmbeddingRows } from './layered-run.ts';
import { streamWeights, type LayerRun } from './weight-stream.ts';

export interface Part {
  readonly graph: Graph;
  readonly session: Session;
}

/** Parts shared by all networks over one language model. */
export interface Trunk {
  /** tokens and visual tokens to embeddings */
  readonly start: Part;
  /** one layer */
  readonly forward: Part;
  readonly backward: Part;
  /** outputs of `forward` that `backward` needs beside the layer's input */
  readonly kept: readonly string[];
}

export interface LayeredNetwork {
  readonly files: ModelFiles;
  readonly trunk: Trunk;
  /** the last layer and the rest; if differentiated, with a `gradient` in the layer's input and its adapters */
  readonly end: Part;
}

type KeptValues = Readonly<Record<string, KeptValue>>;

/** The outputs of `end`; the gradient is in the embeddings, as `embedding_gradient` [B, S, D]. */
export async function runNetwork(network: LayeredNetwork, given: Feeds): Promise<Record<string, Value>> {
  const { files, trunk } = network;
  const held = holder(trunk.start.session);
  const feeds = withEmbeddingRows(files, given);
  try {
    const { graph, session } = trunk.start;
    const { kept } = await session.runKeeping(feedsOf(graph, feeds), ['next_hidden']);
    const pass: Pass = {
      ...network,
      feeds,
      held,
      flowing: held.take(kept)['next_hidden']!,
      layers: [],
      results: {},
    };
    await streamWeights({ files, session }, layerRuns(pass));
    return pass.results;
  } finally {
    held.giveAll();
  }
}

interface Pass extends LayeredNetwork {
  readonly feeds: Feeds;
  readonly held: Holder;
  /** hidden states between two layers, later their gradient */
  flowing: KeptValue;
  /** of each layer its input and its kept activations */
  readonly layers: KeptValues[];
  readonly results: Record<string, Value>;
}

function layerRuns(pass: Pass): LayerRun[] {
  const { trunk, end, files } = pass;
  const last = files.config.llama.layers - 1;
  const below = Array.from({ length: last }, (_, layer) => layer);
  const { forward, backward } = trunk;
  return [
    ...below.map((layer) => ({
      layer,
      from: 0,
      graph: forward.graph,
      run: (weights: Feeds) => runForward(pass, layer, weights),
    })),
    { layer: last, from: 1, graph: end.graph, run: (weights) => runEnd(pass, weights) },
    ...(isDifferentiated(end) ? below.reverse() : []).map((layer) => ({
      layer,
      from: 0,
      graph: backward.graph,
      run: (weights: Feeds) => runBackward(pass, layer, weights),
    })),
  ];
}

const isDifferentiated = ({ graph }: Part): boolean => graph.outputs.has('gradient');

async function runForward(pass: Pass, layer: number, weights: Feeds): Promise<void> {
  const { forward, kept: names } = pass.trunk;
  const input = { hidden: pass.flowing };
  const keeps = isDifferentiated(pass.end);
  const { kept } = await forward.session.runKeeping(
    feedsOf(forward.graph, { ...feedsAt(pass, layer, 0), ...weights, ...input }),
    keeps ? ['next_hidden', ...names] : ['next_hidden'],
    keeps ? [] : names,
  );
  const { next_hidden: next, ...activations } = pass.held.take(kept);
  if (keeps) pass.layers[layer] = { ...activations, ...input };
  else pass.held.give(input);
  pass.flowing = next!;
}

async function runEnd(pass: Pass, weights: Feeds): Promise<void> {
  const { graph, session } = pass.end;
  const input = { hidden: pass.flowing };
  const { values, kept } = await session.runKeeping(
    feedsOf(graph, { ...feedsAt(pass, pass.files.config.llama.layers - 1, 1), ...weights, ...input }),
    isDifferentiated(pass.end) ? ['gradient'] : [],
  );
  pass.held.give(input);
  Object.assign(pass.results, inLayerOf(values, 1, pass.files.config.llama.layers - 1));
  if (kept['gradient']) pass.flowing = pass.held.take(kept)['gradient']!;
}

async function runBackward(pass: Pass, layer: number, weights: Feeds): Promise<void> {
  const { graph, session } = pass.trunk.backward;
  const input = { ...pass.layers[layer], next_gradient: pass.flowing };
  const { values, kept } = await session.runKeeping(
    feedsOf(graph, { ...feedsAt(pass, layer, 0), ...weights, ...input }),
    layer === 0 ? [] : ['gradient'],
  );
  pass.held.give(input);
  const { gradient: ofEmbeddings, ...ofAdapters } = values;
  Object.assign(pass.results, inLayerOf(ofAdapters, 0, layer));
  if (layer === 0) pass.results['embedding_gradient'] = ofEmbeddings!;
  else pass.flowing = pass.held.take(kept)['gradient']!;
}

/** Feeds of a whole network, with a layer's own under the part's names. */
function feedsAt({ feeds }: Pass, layer: number, from: number): Feeds {
  return {
    ...feeds,
    ...adapterFeedsOfLayer(feeds, layer, from),
    ...deepFeedsOfLayer(feeds, layer, from),
    ...kindFeedsOfLayer(feeds, layer, from),
  };
}

/** Gradients of adapters under their own layer's names. */
function inLayerOf<Each>(
  values: Readonly<Record<string, Each>>,
  from: number,
  layer: number,
): Record<string, Each> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [inLayer(name, from, layer), value]),
  );
}

interface Holder {
  take<Kept extends KeptValues>(values: Kept): Kept;
  give(values: KeptValues): void;
  giveAll(): void;
}

/** Tracks kept values, so that all are released. */
function holder(session: Session): Holder {
  const held = new Set<KeptValue>();
  return {
    take: (values) => {
      for (const value of Object.values(values)) held.add(value);
      return values;
    },
    give: (values) => {
      for (const value of Object.values(values)) held.delete(value);
      session.release(Object.values(values));
    },
    giveAll: () => session.release(held),
  };
}
