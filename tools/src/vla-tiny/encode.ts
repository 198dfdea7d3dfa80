/** vla-tiny's samples as numbers. */
import type { DatasetStatistics } from '@emac/vla';
import type { TinyVocabulary } from '../tiny-model/vocabulary.ts';
import { encodeWritten, type EncodedSample } from '../tiny-model/encode.ts';
import { actionWords } from './action-words.ts';
import { factsOf, understoodOf } from './facts.ts';
import { piecePattern } from './pieces.ts';
import { actionSteps, type Sample } from './samples.ts';

/** Kinds of answer tokens. */
const kinds = ['x', 'y', 'z', 'turn', 'turn', 'turn', 'gripper'] as const;

/** Neighbouring bins are nearly as good, so this teaches which tokens are similar. */
function neighbours(value: number): [value: number, share: number][] {
  const others = [value - 1 / actionSteps, value + 1 / actionSteps].filter((other) => Math.abs(other) <= 1);
  return [[value, 1 - 0.1 * others.length], ...others.map((other): [number, number] => [other, 0.1])];
}

export function encodeSample(
  { frame, prompt, action, scene }: Sample,
  vocabulary: TinyVocabulary,
  statistics: DatasetStatistics,
): EncodedSample {
  const words = actionWords(action, statistics);
  const choicesAt = (place: number) =>
    neighbours(action[place]!).map(([value, share]): [piece: string, share: number] => {
      const other = action.map((own, at) => (at === place ? value : own));
      return [actionWords(other, statistics)[place]!, share];
    });
  const understood = understoodOf(scene);
  const starts = words.map((_, place) => words.slice(0, place).join('').length);
  return encodeWritten(
    {
      id: 'tabletop/spatial',
      frame,
      prompt,
      answer: words.join(''),
      taught(position) {
        const place = starts.indexOf(position);
        return { kind: kinds[place]!, ...(place < 3 && { choices: choicesAt(place) }) };
      },
      understood: (word) => {
        const said = understood(word);
        return said === null ? null : { piece: said, weight: 1 };
      },
      facts: factsOf(scene),
    },
    { vocabulary, pattern: piecePattern },
  );
}
