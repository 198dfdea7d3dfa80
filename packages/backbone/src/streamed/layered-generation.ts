/**
 * Generation layer by layer: each run computes one layer, with weights streamed from the files, to read and continue
 * prompts. Keys and values stay on the sessions' device.
 */
import {
  createSessions,
  int8Products,
  segment,
  type Feeds,
  type Graph,
  type KeptValue,
  type Session,
  type SessionOptions,
  type Value,
} from '@emac/graph';

import type { ModelFiles } from '../files/model-files.ts';
import type { ContextMemory } from '../generation/prompts/context-memory.ts';
import { decodeGraph, pieceGraph, prefillGraph } from '../generation/generation-graphs.ts';
import type { PromptExecution } from '../generation/prompts/prompt-reader.ts';
import type { ReadingSession } from '../generation/reading-session.ts';
import { openHeldAdapters, openPieces, sessionExecution } from '../generation/session-execution.ts';
import type { AdapterForm } from '../networks/adapter.ts';
import { adapterFeedsOfLayer } from '../networks/adapter-feeds.ts';
import { checkAlike, twoLayerModel } from './fed-weights.ts';
import { layerInput } from './layer-input.ts';
import { feedsOf, withEmbeddingRows } from './layered-run.ts';
import { streamedSessions, streamWeights } from './weight-stream.ts';

export interface LayeredOptions extends SessionOptions {
  readonly adapter?: AdapterForm | null;
  /** beginnings of prompts that are not read again; default none */
  readonly memory?: ContextMemory | null;
}

/** Opens sessions of one layer each. Errors: those of `createSessions`; `data` if layers are stored in different types. */
export async function createLayeredExecution(
  files: ModelFiles,
  { adapter = null, memory = null, ...options }: LayeredOptions = {},
): Promise<PromptExecution> {
  checkAlike(files);
  const { config, weights } = twoLayerModel(files, adapter);
  const model = { config: config.llama, weights, adapter };
  // read once per prompt, while decoding takes many steps
  const reading = memory ? pieceGraph : prefillGraph;
  const prefill = await openParts(reading(model, { ranked: true }), {
    ...options,
    returnMemory: ['start', 'end'],
  });
  const beside = prefill.sessions.start;
  const decode = await openParts(decodeGraph(model, { ranked: true }), { ...options, beside });
  const held = adapter && { config: files.config.llama, form: adapter };
  return sessionExecution({
    config: files.config.llama,
    adapters: held && (await openHeldAdapters(held, { ...options, beside })),
    ranked: true,
    // every run streams all weights
    runCost: Infinity,
    prefill: readingSession(files, prefill),
    decode: readingSession(files, decode),
    pieces: memory && (await openPieces(files.config.llama, memory, { ...options, beside })),
  });
}

type PartName = 'start' | 'middle' | 'end';

interface Parts {
  /** `start`: tokens to hidden states; `middle`: every layer but the last; `end`: the last layer and the rest */
  readonly graphs: Readonly<Record<PartName, Graph>>;
  readonly sessions: Readonly<Record<PartName, Session>>;
}

/** A network of two layers, cut before each of them. */
async function openParts(graph: Graph, options: SessionOptions): Promise<Parts> {
  const [first, second] = [layerInput(graph, 0), layerInput(graph, 1)];
  const outputs = (isOfFirst: boolean) =>
    Object.fromEntries([...graph.outputs].filter(([name]) => name.endsWith('_0') === isOfFirst));
  const graphs = {
    start: segment(graph, { inputs: {}, outputs: { next_hidden: first } }),
    middle: int8Products(
      segment(graph, { inputs: { hidden: first }, outputs: { next_hidden: second, ...outputs(true) } }),
    ),
    end: int8Products(segment(graph, { inputs: { hidden: second }, outputs: outputs(false) })),
  };
  return { graphs, sessions: await createSessions(graphs, { ...options, ...streamedSessions }) };
}

function readingSession(files: ModelFiles, parts: Parts): ReadingSession {
  const { start } = parts.sessions;
  return {
    release: (kept) => start.release(kept),
    dispose: async () => {
      await Promise.all(Object.values(parts.sessions).map((session) => session.dispose()));
    },
    runKeeping: async (given, keep, skip = []) => {
      const feeds = withEmbeddingRows(files, given);
      const { kept } = await start.runKeeping(feedsOf(parts.graphs.start, feeds), ['next_hidden']);
      const pass: Pass = { ...parts, feeds, keep, skip, hidden: kept['next_hidden']!, values: {}, kept: {} };
      const last = files.config.llama.layers - 1;
      const runs = Array.from({ length: last + 1 }, (_, layer) => {
        const place: Place =
          layer < last ? { part: 'middle', from: 0, layer } : { part: 'end', from: 1, layer };
        return {
          ...place,
          graph: parts.graphs[place.part],
          run: (weights: Feeds) => runLayer(pass, place, weights),
        };
      });
      await streamWeights({ files, session: start }, runs).catch((error: unknown) => {
        start.release([pass.hidden, ...Object.values(pass.kept)]);
        throw error;
      });
      return { values: pass.values, kept: pass.kept };
    },
  };
}

interface Pass extends Parts {
  readonly feeds: Feeds;
  readonly keep: readonly string[];
  readonly skip: readonly string[];
  hidden: KeptValue;
  readonly values: Record<string, Value>;
  readonly kept: Record<string, KeptValue>;
}

interface Place {
  readonly part: PartName;
  /** the layer in the names of the part's inputs and outputs */
  readonly from: number;
  readonly layer: number;
}

async function runLayer(pass: Pass, { part, from, layer }: Place, weights: Feeds): Promise<void> {
  const { feeds, hidden } = pass;
  const ofLayer = Object.keys(feeds).filter((name) => name.endsWith(`_${layer}`));
  const own = Object.fromEntries(ofLayer.map((name) => [renumbered(name, layer, from), feeds[name]!]));
  const keep = pass.keep
    .filter((name) => name.endsWith(`_${layer}`))
    .map((name) => renumbered(name, layer, from));
  const run = await pass.sessions[part].runKeeping(
    feedsOf(pass.graphs[part], {
      ...feeds,
      ...own,
      ...adapterFeedsOfLayer(feeds, layer, from),
      ...weights,
      hidden,
    }),
    part === 'end' ? keep : ['next_hidden', ...keep],
    pass.skip,
  );
  pass.sessions.start.release([hidden]);
  Object.assign(pass.values, run.values);
  for (const [name, value] of Object.entries(run.kept))
    if (name === 'next_hidden') pass.hidden = value;
    else pass.kept[renumbered(name, from, layer)] = value;
}

/** 'key_0' of layer 0 is 'key_7' of layer 7. */
function renumbered(name: string, from: number, to: number): string {
  return name.endsWith(`_${from}`) ? `${name.slice(0, -String(from).length)}${to}` : name;
}
