/** A vocabulary for encoding tests: numbers pieces in the order they are met, from 10 on. */
import type { TinyVocabulary } from './vocabulary.ts';

export function countingVocabulary() {
  const names = new Map<string, number>();
  const ids = {
    get: (piece: string) => {
      if (!names.has(piece)) names.set(piece, 10 + names.size);
      return names.get(piece);
    },
  };
  const vocabulary = { ids, encode: () => [], begin: 1, pad: 3, tokenizer: { endToken: 2 } };
  const nameOf = (id: number) => [...names].find(([, each]) => each === id)?.[0] ?? id;
  return { vocabulary: vocabulary as unknown as TinyVocabulary, nameOf };
}
