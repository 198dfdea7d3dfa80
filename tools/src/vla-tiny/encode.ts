/** vla-tiny's samples as numbers. */
import type { DatasetStatistics } from '@emac/vla';
import type { TinyVocabulary } from '../emma-tiny/vocabulary.ts';
import { encodeWritten, type EncodedSample } from '../tiny-model/encode.ts';
import { actionWords } from './action-words.ts';
import { factsOf, understoodOf } from './facts.ts';
import { piecePattern } from './pieces.ts';
import type { Sample } from './samples.ts';

/** What a token of an answer is. */
const kinds = ['x', 'y', 'z', 'turn', 'turn', 'turn', 'gripper'] as const;

export function encodeSample(
  { frame, prompt, action, scene }: Sample,
  vocabulary: TinyVocabulary,
  statistics: DatasetStatistics,
): EncodedSample {
  const words = actionWords(action, statistics);
  const understood = understoodOf(scene);
  const starts = words.map((_, place) => words.slice(0, place).join('').length);
  return encodeWritten(
    {
      id: 'tabletop/spatial',
      frame,
      prompt,
      answer: words.join(''),
      taught: (position) => ({ kind: kinds[starts.indexOf(position)]! }),
      understood: (word) => {
        const said = understood(word);
        return said === null ? null : { piece: said, weight: 1 };
      },
      facts: factsOf(scene),
    },
    { vocabulary, pattern: piecePattern },
  );
}
