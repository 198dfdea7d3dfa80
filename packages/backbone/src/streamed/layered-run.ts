/** Shared helpers for running a network layer by layer: feeds for a part, by its input names. */
import { EmacError } from '@emac/core';
import type { Feeds, Graph } from '@emac/graph';

import type { ModelFiles } from '../files/model-files.ts';
import { deepFeedsOfAll } from '../networks/deep-stack.ts';
import { kindFeeds } from '../networks/layer-kinds.ts';
import { embeddingRows } from './embedding-rows.ts';
import { embeddingTable } from './fed-weights.ts';

/** The feeds that a graph reads. */
export function feedsOf(graph: Graph, feeds: Feeds): Feeds {
  return Object.fromEntries(
    graph.inputs.flatMap(({ name }) => (name in feeds ? [[name, feeds[name]!]] : [])),
  );
}

/** Feeds of a whole network, with `tokens` and the embedding table reduced to the needed rows, and what differs from layer to layer for each of them. */
export function withEmbeddingRows(files: ModelFiles, feeds: Feeds): Feeds {
  const given = feeds['tokens'];
  if (!given || 'kept' in given) throw new EmacError('internal', 'layered: tokens must be fed as numbers');
  const { table, tokens } = embeddingRows(files, given);
  const { llama } = files.config;
  return { ...deepFeedsOfAll(llama, feeds), ...kindFeeds(llama), tokens, [embeddingTable]: table };
}
