/**
 * The language model in two single-threaded sessions that hold keys and values. A prompt is read once and all its beams
 * share it; every further step feeds one token per beam. Prompts of similar lengths that are read together take their
 * steps together, so weights are fetched once for all; while one group computes, others choose their tokens.
 */
import { EmacError, lockstep } from '@emac/core';
import {
  createSessions,
  type Feeds,
  type KeepingRun,
  type KeptValue,
  type Session,
  type SessionOptions,
  type Value,
} from '@emac/graph';

import { planSlots, type BeamSlots } from './beam-slots.ts';
import { heldAdapters, holdingGraph, type HeldAdapters } from './held-adapters.ts';
import type { ContextMemory, StateHolder } from './prompts/context-memory.ts';
import { decodeGraph, pieceGraph, prefillGraph, type LlamaModel } from './generation-graphs.ts';
import { joinGraph } from './joined-states.ts';
import { lengthGroups } from './length-groups.ts';
import type { AdapterForm } from '../networks/adapter.ts';
import type { AdapterValues } from '../networks/adapter-feeds.ts';
import type { LlamaConfig } from '../files/model-config.ts';
import { paddedPrompts } from './prompts/padded-prompts.ts';
import { promptsInPieces, stateNames, type BlockRun, type Pieces, type PromptBlock } from './piece-reader.ts';
import type { Prompt, PromptExecution, PromptReader } from './prompts/prompt-reader.ts';
import type { ReadingSession } from './reading-session.ts';
import { beamFeeds, liveRows, visibilityFeeds, type StepSizes } from './step-feeds.ts';
import {
  scoresOf,
  wantedOutputs,
  type StepRequest,
  type StepRequests,
  type StepScores,
} from './step-scores.ts';

/** Up to this many parameters of the language model, decoding keeps a packed copy: 1 GiB of float32. */
const packedParameters = 2 ** 28;

/** Up to this many parameters, one thread is faster than several that wait for each other at every node. */
const loneParameters = 2 ** 22;

/** Whether one thread decodes faster than several, so that several prompts are best given one thread each. */
export function isSmall(config: LlamaConfig): boolean {
  return parameters(config) <= loneParameters;
}

/**
 * Fixed cost of a group of prompts, in positions: about six decoding steps, each fetching all weights once, in the time
 * of reading about forty positions.
 */
const runCost = 250;

export interface ExecutionOptions extends SessionOptions {
  /** beginnings of prompts that are not read again; default none */
  readonly memory?: ContextMemory | null;
}

/** Opens both sessions. Errors: those of `createSessions`. */
export async function createSessionExecution(
  model: LlamaModel,
  { memory = null, ...options }: ExecutionOptions = {},
): Promise<PromptExecution> {
  // on WebGPU ranking is known to give the same tokens only on small vocabularies
  const ranked = options.provider !== 'webgpu';
  const size = parameters(model.config);
  const common = { spin: true, kept: stateNames(model.config), ...options };
  const reading = memory ? pieceGraph : prefillGraph;
  const { prefill } = await createSessions({ prefill: reading(model, { ranked }) }, common);
  const { decode } = await createSessions(
    { decode: decodeGraph(model, { ranked }) },
    {
      ...(isSmall(model.config) && { threads: 1 }),
      ...common,
      packWeights: size <= packedParameters ? ['decode'] : [],
      beside: prefill,
    },
  ).catch(async (error: unknown) => {
    await prefill.dispose();
    throw error;
  });
  const { config, adapter } = model;
  const adapters = adapter
    ? await openHeldAdapters({ config, form: adapter }, { ...options, beside: prefill })
    : null;
  const pieces = memory && (await openPieces(config, memory, { ...options, beside: prefill }));
  return sessionExecution({ config, ranked, runCost, prefill, decode, adapters, pieces });
}

/** Reading in pieces beside open sessions. */
export async function openPieces(
  config: LlamaConfig,
  memory: ContextMemory,
  options: SessionOptions,
): Promise<Pieces> {
  return { memory, ...(await createSessions({ join: joinGraph(config) }, options)) };
}

/** Adapters beside open sessions; `dispose` closes the adapters' own session. */
export async function openHeldAdapters(
  held: { readonly config: LlamaConfig; readonly form: AdapterForm },
  options: SessionOptions,
): Promise<HeldAdapters & Pick<Session, 'dispose'>> {
  const { hold } = await createSessions({ hold: holdingGraph(held.config, held.form) }, options);
  return { ...heldAdapters(hold, held), dispose: () => hold.dispose() };
}

/** An execution over sessions of the two graphs; it disposes of them. */
export function sessionExecution(sessions: Sessions): PromptExecution {
  const holder: StateHolder = { release: (state) => sessions.prefill.release(Object.values(state)) };
  const readTogether = (prompts: readonly Prompt[]) => {
    const readers: PromptReader[] = [];
    for (const places of alike(prompts)) {
      const lengths = places.map((place) => prompts[place]!.tokens.length);
      // prompts read one by one have no padding but in attention
      for (const group of lengthGroups(lengths, sessions.pieces ? Infinity : sessions.runCost)) {
        const together = group.map((index) => prompts[places[index]!]!);
        const block = blockOf(sessions, holder, together);
        const batch = readBatch(sessions, block, together[0]!.adapter ?? null);
        group.forEach((index, row) => (readers[places[index]!] = batch[row]!));
      }
    }
    return readers;
  };
  return {
    read: (prompt) => readTogether([prompt])[0]!,
    readTogether,
    dispose: async () => {
      const { prefill, decode, adapters, pieces } = sessions;
      pieces?.memory.forget(holder);
      await Promise.all([prefill.dispose(), decode.dispose(), adapters?.dispose(), pieces?.join.dispose()]);
    },
  };
}

/** Prompts of one adapter, and how they are read: as one block or each in pieces. */
function blockOf(sessions: Sessions, holder: StateHolder, prompts: readonly Prompt[]): PromptBlock {
  const { config, ranked, prefill, pieces } = sessions;
  if (pieces) return promptsInPieces({ config, ranked, prefill, pieces, holder }, prompts);
  const { count, rows, visualLength, textLength, feeds } = paddedPrompts(prompts, config);
  return {
    count,
    rows,
    length: visualLength + textLength,
    read: async ({ requests, adapted }) => {
      const wanted = wantedOutputs(requests, ranked);
      const run = prefill.runKeeping(
        { ...feeds, ...wanted.count, ...adapted },
        stateNames(config),
        wanted.skip,
      );
      return blockRun(await run);
    },
  };
}

function blockRun({ kept, values }: KeepingRun): BlockRun {
  return { kept, scores: (row, beams) => scoresOf(values, row, beams) };
}

/** Indices of prompts grouped by adapter, in order of first use. */
function alike(prompts: readonly Prompt[]): number[][] {
  const places = new Map<AdapterValues | null, number[]>();
  prompts.forEach(({ adapter = null }, place) => {
    const found = places.get(adapter);
    if (found) found.push(place);
    else places.set(adapter, [place]);
  });
  return [...places.values()];
}

/** Parameters of the layers and the head; the embedding table is only a lookup. */
function parameters(config: LlamaConfig): number {
  const { hiddenSize, intermediateSize, headSize, heads, keyValueHeads, layers, vocabulary } = config;
  const attention = 2 * (heads + keyValueHeads) * headSize;
  return hiddenSize * (layers * (attention + 3 * intermediateSize) + vocabulary);
}

export interface Sessions {
  readonly config: LlamaConfig;
  readonly ranked: boolean;
  /** positions of padding that cost as much as a separate group of prompts; Infinity: always one group */
  readonly runCost: number;
  /** of `prefillGraph`, with pieces of `pieceGraph` */
  readonly prefill: ReadingSession;
  readonly decode: ReadingSession;
  /** none if the graphs have no adapters */
  readonly adapters?: (HeldAdapters & Pick<Session, 'dispose'>) | null;
  /** prompts are read in pieces, from beginnings in a memory; default none */
  readonly pieces?: Pieces | null;
}

/** The state of a batch so far. */
interface Memory {
  ofPrompts: Record<string, KeptValue>;
  own: Record<string, KeptValue>;
  /** R, slots of the batch's own cache */
  slots: number;
  /** by prompt, by beam */
  ofBeams: BeamSlots[][];
  steps: number;
}

function readBatch(sessions: Sessions, prompts: PromptBlock, values: AdapterValues | null): PromptReader[] {
  if (values && !sessions.adapters)
    throw new EmacError('internal', 'generate: the sessions were opened without adapters');
  const adapter = sessions.adapters?.take(values);
  const memory: Memory = {
    ofPrompts: {},
    own: {},
    slots: 0,
    steps: 0,
    ofBeams: Array.from({ length: prompts.count }, () => [[]]),
  };
  const step = async (asked: readonly AskedOfRow[]): Promise<StepScores[]> => {
    const requests: (StepRequest | null)[] = Array<null>(prompts.count).fill(null);
    for (const { row, request } of asked) requests[row] = request;
    const adapted = (await adapter?.feeds) ?? {};
    const run =
      memory.steps === 0
        ? await prompts.read({ requests, adapted })
        : await readBeams(sessions, { prompts, requests, adapted, memory });
    if (memory.steps === 0) memory.ofPrompts = run.kept;
    else {
      sessions.decode.release(Object.values(memory.own));
      memory.own = run.kept;
    }
    memory.steps++;
    return asked.map(({ row, request }) => run.scores(row, request.beams.length));
  };
  const reading = new Set(Array.from({ length: prompts.count }, (_, row) => row));
  const release = (row: number): void => {
    if (!reading.delete(row) || reading.size > 0) return;
    sessions.decode.release([...Object.values(memory.ofPrompts), ...Object.values(memory.own)]);
    adapter?.release();
  };
  return lockstep(prompts.count, step).map(({ ask, leave }, row) => ({
    next: async (beams) => (await ask({ row, request: { beams, count: null } })).logits(),
    ...(sessions.ranked && {
      best: async (beams, count) => (await ask({ row, request: { beams, count } })).best(count),
    }),
    release: () => {
      leave();
      release(row);
    },
  }));
}

/** One prompt's request in a batch. */
interface AskedOfRow {
  readonly row: number;
  readonly request: StepRequest;
}

interface BatchStep {
  readonly prompts: PromptBlock;
  readonly requests: StepRequests;
  /** feeds of the adapter */
  readonly adapted: Feeds;
}

async function readBeams(
  sessions: Sessions,
  { prompts, requests, adapted, memory }: BatchStep & { memory: Memory },
): Promise<BlockRun> {
  const { config, decode } = sessions;
  const { skip, count } = wantedOutputs(requests, sessions.ranked);
  const plans = requests.map((request, row) =>
    planSlots(memory.ofBeams[row]!, request?.beams.map(({ parent }) => parent) ?? []),
  );
  const sizes: StepSizes = {
    beams: Math.max(...requests.map((request) => request?.beams.length ?? 0)),
    prompt: prompts.length,
    kept: Math.max(...plans.map(({ live }) => live.length)),
  };
  const feeds: Feeds = {
    ...beamFeeds(requests, { prompts, sizes, step: memory.steps }),
    live: liveRows(plans, { config, slots: memory.slots, kept: sizes.kept }),
    ...visibilityFeeds(plans, { config, prompts, sizes }),
    ...count,
    ...adapted,
    ...prefixed('prompt_', memory.ofPrompts),
    ...(memory.slots === 0 ? emptyCache(config, prompts.count) : prefixed('past_', memory.own)),
  };
  memory.ofBeams = plans.map(({ earlier }) => earlier.map((slots, beam) => [...slots, sizes.kept + beam]));
  memory.slots = sizes.kept + sizes.beams;
  return blockRun(await decode.runKeeping(feeds, stateNames(config), skip));
}

/** Keys and values of one run, under their names in the next run. */
function prefixed(prefix: string, values: Feeds): Feeds {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`${prefix}${name}`, value]));
}

function emptyCache(config: LlamaConfig, count: number): Feeds {
  const { keyValueHeads, headSize } = config;
  const empty: Value = {
    type: 'float32',
    shape: [count, keyValueHeads, 0, headSize],
    data: new Float32Array(),
  };
  return Object.fromEntries(stateNames(config).map((name) => [`past_${name}`, empty]));
}
