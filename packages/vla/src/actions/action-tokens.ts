/**
 * Actions as tokens (OpenVLA, Kim et al. 2024, section 3.2): each dimension is one of 256 bins over [−1, 1], and each bin one of the last ids
 * of the vocabulary. Numbers are those of the published code, with its two oddities. 256 edges give only 255 centres, and the value 1 has an
 * id of its own that is decoded as the last centre.
 */
import { EmacError } from '@emac/core';

const edges = Array.from({ length: 256 }, (_, place) => (place === 255 ? 1 : place * (2 / 255) - 1));
const centres = Array.from({ length: 255 }, (_, place) => (edges[place]! + edges[place + 1]!) / 2);

/** The vocabulary size of LLaMA-2's tokenizer, used by OpenVLA. */
export const openVlaVocabulary = 32000;

/** An id for each number of a normalized action, clipped to [−1, 1]. Errors: `data` for invalid numbers. */
export function encodeAction(action: readonly number[], vocabulary = openVlaVocabulary): number[] {
  return action.map((value, dimension) => {
    if (Number.isNaN(value)) throw new EmacError('data', `action: dimension ${dimension} is not a number`);
    return vocabulary - binOf(Math.min(Math.max(value, -1), 1));
  });
}

/** The centre of each id's bin; ids outside the 256 count as the nearest one, as published. */
export function decodeAction(ids: readonly number[], vocabulary = openVlaVocabulary): number[] {
  return ids.map((id) => centres[Math.min(Math.max(vocabulary - id - 1, 0), 254)]!);
}

/** True for ids that `encodeAction` can return. */
export function isActionToken(id: number, vocabulary = openVlaVocabulary): boolean {
  return id >= vocabulary - 256 && id < vocabulary;
}

/** How many edges lie at or below a value: 1 … 256. */
function binOf(value: number): number {
  // close to it by division, then exact by comparison, since edges are rounded
  let bin = Math.min(Math.max(Math.floor((value + 1) * 127.5) + 1, 1), 256);
  while (bin < 256 && edges[bin]! <= value) bin++;
  while (edges[bin - 1]! > value) bin--;
  return bin;
}
