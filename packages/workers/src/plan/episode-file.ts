/**
 * A recorded episode in the shared folder: JSON, with every picture and array in its own file, stored once if equal.
 */
import type { Frame, Observation, Step } from '@emac/core';
import { decodeImage, encodePng } from '@emac/images';
import type { SharedFolder } from '@emac/queue';
import type { RecordedEpisode, RecordedStep } from '@emac/rollout';
import { exactJson, patiently, storedText } from './carried.ts';
import { readArray, sendArray, type SentArray } from './sent-array.ts';

/** An observation with hashes in place of pictures and arrays. */
export interface SentObservation extends Omit<Observation, 'frames' | 'arrays'> {
  readonly frames: readonly string[];
  readonly arrays?: Readonly<Record<string, SentArray>>;
}

/** Stores pictures and arrays of observations; a picture is hashed once. Errors while sending: those of the folder. */
export function observationSender(folder: SharedFolder): (seen: Observation) => Promise<SentObservation> {
  const hashes = new Map<Frame, string>();
  const hashOf = async (frame: Frame): Promise<string> => {
    const known = hashes.get(frame) ?? folder.put(await encodePng(frame));
    hashes.set(frame, known);
    return known;
  };
  return async ({ frames, arrays, ...rest }) => ({
    ...rest,
    frames: await inTurn(frames, hashOf),
    ...(arrays && { arrays: await eachArray(arrays, (array) => sendArray(folder, array)) }),
  });
}

/** Reads observations that were sent. Errors while reading: `missing`, `data`. */
export function observationReader(folder: SharedFolder): (sent: SentObservation) => Promise<Observation> {
  const frames = new Map<string, Frame>();
  const frameOf = async (name: string): Promise<Frame> => {
    const frame = frames.get(name) ?? (await decodeImage(await patiently(() => folder.get(name))));
    frames.set(name, frame);
    return frame;
  };
  return async ({ frames: names, arrays, ...rest }) => ({
    ...rest,
    frames: await inTurn(names, frameOf),
    ...(arrays && { arrays: await eachArray(arrays, (array) => readArray(folder, array)) }),
  });
}

/**
 * Stores an episode; returns its hash, equal for equal episodes. Errors: those of the folder; `internal` for numbers
 * that JSON cannot express.
 */
export async function storeEpisode(folder: SharedFolder, episode: RecordedEpisode): Promise<string> {
  const sent = observationSender(folder);
  const steps = await inTurn(episode.steps, async ({ result, ...step }) => {
    return { ...step, result: { ...result, observation: await sent(result.observation) } };
  });
  return folder.put(Buffer.from(exactJson({ ...episode, first: await sent(episode.first), steps })));
}

/** Reads an episode by its hash. Errors: `missing`, `data`. */
export async function readEpisode(folder: SharedFolder, hash: string): Promise<RecordedEpisode> {
  const read = observationReader(folder);
  const stored = JSON.parse(await storedText(folder, hash)) as StoredEpisode;
  const steps = await inTurn(stored.steps, async ({ result, ...step }) => {
    return { ...step, result: { ...result, observation: await read(result.observation) } };
  });
  return { ...stored, first: await read(stored.first), steps };
}

interface StoredEpisode extends Omit<RecordedEpisode, 'first' | 'steps'> {
  readonly first: SentObservation;
  readonly steps: readonly (Omit<RecordedStep, 'result'> & {
    readonly result: Omit<Step, 'observation'> & { readonly observation: SentObservation };
  })[];
}

async function eachArray<From, To>(
  arrays: Readonly<Record<string, From>>,
  change: (array: From) => To | Promise<To>,
): Promise<Readonly<Record<string, To>>> {
  const changed = await inTurn(Object.entries(arrays), async ([name, array]) => {
    return [name, await change(array)] as const;
  });
  return Object.fromEntries(changed);
}

async function inTurn<T, U>(values: readonly T[], change: (value: T) => Promise<U>): Promise<U[]> {
  const changed: U[] = [];
  for (const value of values) changed.push(await change(value));
  return changed;
}
