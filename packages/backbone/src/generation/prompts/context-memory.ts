/**
 * Keys and values of prompts read so far, within a bound of memory. A later prompt that begins alike starts from them: what it shares is
 * found by comparing what stands at every place, its position, the numbers of the visual tokens and the adapter.
 */
import type { KeptValue } from '@emac/graph';

import type { PlacedPrompt } from './prompt-pieces.ts';

/** Keys and values under their names, [1, Hkv, P, d]. */
export type KeptState = Readonly<Record<string, KeptValue>>;

/** Where states are kept: states of one holder are feeds for its sessions alone. */
export interface StateHolder {
  release(state: KeptState): void;
}

/** The state of a prompt's beginning. */
export interface KnownBeginning {
  readonly state: KeptState;
  /** places of the prompt that it covers; the state may have more */
  readonly places: number;
}

export interface ContextMemory {
  /** places of a piece: states are shared up to a multiple of so many */
  readonly pieceLength: number;
  /** The longest known beginning of the prompt, in whole pieces; null if none. Its state stays until the next call of any method. */
  longest(holder: StateHolder, prompt: PlacedPrompt, most: number): KnownBeginning | null;
  /** Takes over the state of a prompt's first places: it is released when newer ones need the room, at once if it is too large. */
  keep(holder: StateHolder, prompt: PlacedPrompt, known: KnownBeginning): void;
  /** Releases all states of a holder, or of all. */
  forget(holder?: StateHolder): void;
  /** bytes of all states kept */
  readonly bytes: () => number;
}

interface Entry extends KnownBeginning {
  readonly holder: StateHolder;
  readonly prompt: Omit<PlacedPrompt, 'visual' | 'deep'>;
  readonly bytes: number;
}

export interface ContextMemoryOptions {
  /** most bytes of all states together */
  readonly limit: number;
  readonly pieceLength: number;
}

/** A memory that drops the least recently used states first. */
export function contextMemory({ limit, pieceLength }: ContextMemoryOptions): ContextMemory {
  // the most recently used one is last
  const entries = new Set<Entry>();
  let held = 0;
  const drop = (entry: Entry): void => {
    entries.delete(entry);
    held -= entry.bytes;
    entry.holder.release(entry.state);
  };
  return {
    pieceLength,
    bytes: () => held,
    longest: (holder, prompt, most) => {
      let best: { readonly entry: Entry; readonly places: number } | null = null;
      for (const entry of entries) {
        if (entry.holder !== holder) continue;
        const shared = Math.min(most, sharedPlaces(entry, prompt));
        const places = Math.floor(shared / pieceLength) * pieceLength;
        if (places > (best?.places ?? 0)) best = { entry, places };
      }
      if (!best) return null;
      const { entry, places } = best;
      entries.delete(entry);
      entries.add(entry);
      return { state: entry.state, places };
    },
    keep: (holder, { places, layout, seen, adapter }, known) => {
      const bytes = bytesOf(known.state);
      if (bytes > limit) return holder.release(known.state);
      const prompt = { places: places.slice(0, known.places), layout, seen, adapter };
      for (const entry of entries)
        if (entry.holder === holder && sharedPlaces(entry, prompt) === entry.places) drop(entry);
      const entry: Entry = { ...known, holder, prompt, bytes };
      entries.add(entry);
      held += entry.bytes;
      for (const oldest of entries) {
        if (held <= limit) return;
        drop(oldest);
      }
    },
    forget: (holder) => {
      for (const entry of entries) if (!holder || entry.holder === holder) drop(entry);
    },
  };
}

/** Length of the longest common beginning of what an entry covers and a prompt. */
function sharedPlaces({ prompt: known, places: length }: Entry, prompt: Entry['prompt']): number {
  if (known.adapter !== prompt.adapter || known.seen !== prompt.seen) return 0;
  const [axes, others] = [known.layout.positions, prompt.layout.positions];
  if (axes.length !== others.length) return 0;
  const most = Math.min(length, prompt.places.length);
  let place = 0;
  while (
    place < most &&
    known.places[place] === prompt.places[place] &&
    axes.every((axis, number) => axis[place] === others[number]![place])
  )
    place++;
  return place;
}

function bytesOf(state: KeptState): number {
  return Object.values(state).reduce(
    (sum, { shape }) => sum + 4 * shape.reduce((product, size) => product * size, 1),
    0,
  );
}
