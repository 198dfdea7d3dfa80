/** Checks what a custom environment shows. */
import type { Frame, NumberArray, Observation } from '@emac/core';
import { printable } from '@emac/postprocess';
import { isRecord, refused } from './module-faults.ts';

export interface Seen {
  readonly path: string;
  /** source of the answer */
  readonly by: string;
  /** accepted actions if the observation lists none */
  readonly actions: readonly string[] | null;
}

/** Errors: `data` for anything that is no observation. */
export function observationOf({ path, by, actions }: Seen, given: unknown): Observation {
  const { text, frames = [], arrays, admissible } = isRecord(given) ? given : { text: given };
  if (typeof text !== 'string')
    throw refused(path, `${by} must give an observation, a text or { text, frames }, got ${typeof text}`);
  if (!Array.isArray(frames) || !frames.every(isFrame))
    throw refused(
      path,
      `${by} must give frames of width and height, whole numbers from 1, and RGB bytes in data`,
    );
  return {
    text: printable(text),
    frames,
    ...(arrays !== undefined && { arrays: arraysOf({ path, by }, arrays) }),
    admissible: admissible === undefined ? actions : actionsOf(path, admissible),
  };
}

function isFrame(given: unknown): given is Frame {
  if (!isRecord(given)) return false;
  const { width, height, data } = given;
  const sides = [width, height].every((side) => Number.isSafeInteger(side) && Number(side) > 0);
  return sides && data instanceof Uint8Array && data.length === Number(width) * Number(height) * 3;
}

function arraysOf(
  { path, by }: Pick<Seen, 'path' | 'by'>,
  given: unknown,
): Readonly<Record<string, NumberArray>> {
  if (isRecord(given) && Object.values(given).every(isArray)) {
    const arrays = given as Record<string, NumberArray>;
    for (const [name, { data }] of Object.entries(arrays)) {
      const place = data instanceof Float32Array ? data.findIndex((each) => !Number.isFinite(each)) : -1;
      if (place >= 0)
        throw refused(path, `${by} must give finite numbers, ${name} has ${data[place]} at ${place}`);
    }
    return arrays;
  }
  throw refused(
    path,
    `${by} must give arrays by name, each with a shape and as many numbers in data (Float32Array, Int32Array or Uint8Array)`,
  );
}

function isArray(given: unknown): given is NumberArray {
  if (!isRecord(given)) return false;
  const { shape, data } = given;
  if (!Array.isArray(shape) || !shape.every((size) => Number.isSafeInteger(size) && size >= 0)) return false;
  const isTyped = [Float32Array, Int32Array, Uint8Array].some((type) => data instanceof type);
  return (
    isTyped && (data as Uint8Array).length === shape.reduce((product: number, size) => product * size, 1)
  );
}

/** Sorted, each once; null for none. Errors: `data`. */
export function actionsOf(path: string, given: unknown): readonly string[] | null {
  if (given === undefined || given === null) return null;
  if (!Array.isArray(given) || given.length === 0 || !given.every((each) => typeof each === 'string'))
    throw refused(path, 'actions must be a list of texts');
  return [...new Set(given as string[])].sort();
}
