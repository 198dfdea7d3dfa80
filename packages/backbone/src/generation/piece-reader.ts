/** Reading prompts piece by piece, from where a known beginning ends (`context-memory.ts`, `prompt-pieces.ts`). */
import type { Feeds, KeptValue, Value } from '@emac/graph';

import type { LlamaConfig } from '../files/model-config.ts';
import type { ContextMemory, KeptState, StateHolder } from './prompts/context-memory.ts';
import { joinedStates } from './joined-states.ts';
import type { PaddedPrompt } from './prompts/padded-prompts.ts';
import { pieceFeeds, placedPrompt, wholePieces, type PlacedPrompt } from './prompts/prompt-pieces.ts';
import type { Prompt } from './prompts/prompt-reader.ts';
import type { ReadingSession } from './reading-session.ts';
import {
  scoresOf,
  wantedOutputs,
  type StepRequest,
  type StepRequests,
  type StepScores,
} from './step-scores.ts';

/** Where and how prompts are read in pieces. */
export interface Pieces {
  readonly memory: ContextMemory;
  /** of `joinGraph` */
  readonly join: ReadingSession;
}

export interface PieceReader {
  readonly config: LlamaConfig;
  readonly ranked: boolean;
  /** of `pieceGraph` */
  readonly prefill: ReadingSession;
  readonly pieces: Pieces;
  readonly holder: StateHolder;
}

/** Prompts as later steps see them, and their reading. */
export interface PromptBlock {
  readonly count: number;
  /** P, places of the longest, with padding */
  readonly length: number;
  readonly rows: readonly PaddedPrompt[];
  read(asked: AskedOfPrompts): Promise<BlockRun>;
}

export interface AskedOfPrompts {
  readonly requests: StepRequests;
  /** feeds of the adapter */
  readonly adapted: Feeds;
}

/** Keys and values of all prompts or beams, and the scores of each prompt's. */
export interface BlockRun {
  readonly kept: Record<string, KeptValue>;
  readonly scores: (row: number, beams: number) => StepScores;
}

/** Each prompt is read alone; padding stands after it. */
export function promptsInPieces(reader: PieceReader, prompts: readonly Prompt[]): PromptBlock {
  const placed = prompts.map((prompt) => placedPrompt(prompt, reader.config));
  const length = Math.max(...placed.map(({ places }) => places.length));
  return {
    count: prompts.length,
    length,
    rows: placed.map(({ places, layout }) => {
      const positions = new Int32Array(length);
      positions.set(layout.positions.at(-1)!);
      return { padding: length - places.length, lead: places.length, positions, next: layout.next };
    }),
    read: async ({ requests, adapted }) => {
      const runs: PromptRun[] = [];
      try {
        for (const [row, prompt] of placed.entries())
          runs.push(await readPrompt(reader, prompt, { request: requests[row] ?? null, adapted }));
      } catch (error) {
        for (const { kept } of runs) reader.prefill.release(Object.values(kept));
        throw error;
      }
      return {
        kept: await joinedStates(
          reader.pieces.join,
          runs.map(({ kept }) => kept),
        ),
        scores: (row, beams) => scoresOf(runs[row]!.values, 0, beams),
      };
    },
  };
}

interface PromptRun {
  readonly values: Record<string, Value>;
  readonly kept: Record<string, KeptValue>;
}

interface Asked {
  readonly request: StepRequest | null;
  readonly adapted: Feeds;
}

/** Between a state's lookup and the run that reads it nothing else may happen, since other readings may drop it. */
async function readPrompt(reader: PieceReader, prompt: PlacedPrompt, asked: Asked): Promise<PromptRun> {
  const { pieces, holder, config, ranked } = reader;
  const { pieceLength } = pieces.memory;
  const whole = wholePieces(prompt, pieceLength);
  const known = pieces.memory.longest(holder, prompt, whole);
  let [start, state] = known ? [known.places, known.state] : [0, null];
  let isOwn = false;
  const give = () => {
    if (isOwn && state) holder.release(state);
  };
  const run = (end: number, request: StepRequest | null, skip: readonly string[]) => {
    const { count } = wantedOutputs([request], ranked);
    const feeds = {
      ...pieceFeeds(prompt, { start, end }, config),
      ...(state ? pastOf(state) : emptyPast(config)),
      ...count,
      ...asked.adapted,
    };
    return reader.prefill.runKeeping(feeds, stateNames(config), skip);
  };
  try {
    while (start < whole) {
      const { kept } = await run(start + pieceLength, null, scoreNames(ranked));
      give();
      [start, state, isOwn] = [start + pieceLength, kept, true];
    }
    const last = run(prompt.places.length, asked.request, wantedOutputs([asked.request], ranked).skip);
    if (isOwn && state) pieces.memory.keep(holder, prompt, { state, places: whole });
    isOwn = false;
    return await last;
  } catch (error) {
    give();
    throw error;
  }
}

function scoreNames(ranked: boolean): string[] {
  return ranked ? ['logits', 'best_tokens', 'best_log_probabilities'] : ['logits'];
}

/** The names of a state's values. */
export function stateNames({ layers }: Pick<LlamaConfig, 'layers'>): string[] {
  return Array.from({ length: layers }, (_, layer) => [`key_${layer}`, `value_${layer}`]).flat();
}

function pastOf(state: KeptState): Feeds {
  return Object.fromEntries(Object.entries(state).map(([name, value]) => [`past_${name}`, value]));
}

function emptyPast(config: LlamaConfig): Feeds {
  const { keyValueHeads, headSize } = config;
  const empty: Value = {
    type: 'float32',
    shape: [1, keyValueHeads, 0, headSize],
    data: new Float32Array(),
  };
  return Object.fromEntries(stateNames(config).map((name) => [`past_${name}`, empty]));
}
