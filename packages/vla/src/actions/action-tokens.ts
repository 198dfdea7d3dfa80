/**
 * Actions as tokens (OpenVLA, Kim et al. 2024, section 3.2): each dimension is one of 256 bins over [−1, 1], and a bin one of the last ids of
 * the vocabulary. The numbers are those of the published code, with its two oddities: there are 256 edges and so 255 centres, and the value 1
 * has an id of its own that is read as the last centre.
 */
import { EmacError } from '@emac/core';

const edges = Array.from({ length: 256 }, (_, place) => (place === 255 ? 1 : place * (2 / 255) - 1));
const centres = Array.from({ length: 255 }, (_, place) => (edges[place]! + edges[place + 1]!) / 2);

/** Of LLaMA-2's tokenizer, which OpenVLA has. */
export const openVlaVocabulary = 32000;

/** Where action ids are counted down from: the vocabulary without the rows that only fill its matrix up. Errors: `data`. */
export function actionVocabulary(size: number, padToMultipleOf: number): number {
  const vocabulary = size - padToMultipleOf;
  if (
    Number.isInteger(size) &&
    Number.isInteger(padToMultipleOf) &&
    padToMultipleOf >= 0 &&
    vocabulary >= 256
  )
    return vocabulary;
  throw new EmacError(
    'data',
    `action tokens: vocab_size − pad_to_multiple_of must leave at least 256 ids, got ${size} − ${padToMultipleOf}`,
  );
}

/** An id for each number of a normalized action, which is clipped to [−1, 1]. Errors: `data` for what is no number. */
export function encodeAction(action: readonly number[], vocabulary = openVlaVocabulary): number[] {
  return action.map((value, dimension) => {
    if (Number.isNaN(value)) throw new EmacError('data', `action: dimension ${dimension} is not a number`);
    return vocabulary - binOf(Math.min(Math.max(value, -1), 1));
  });
}

/** The centre of each id's bin; ids outside the 256 are those at their end, as published. */
export function decodeAction(ids: readonly number[], vocabulary = openVlaVocabulary): number[] {
  return ids.map((id) => centres[Math.min(Math.max(vocabulary - id - 1, 0), 254)]!);
}

/** True for the ids that `encodeAction` can give. */
export function isActionToken(id: number, vocabulary = openVlaVocabulary): boolean {
  return id >= vocabulary - 256 && id < vocabulary;
}

/** How many edges lie at or below a value: 1 … 256. */
function binOf(value: number): number {
  // near it by division, then exactly by comparison: edges are rounded
  let bin = Math.min(Math.max(Math.floor((value + 1) * 127.5) + 1, 1), 256);
  while (bin < 256 && edges[bin]! <= value) bin++;
  while (edges[bin - 1]! > value) bin--;
  return bin;
}
