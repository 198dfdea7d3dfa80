/** lewis-tiny's samples as numbers. */
import type { TinyVocabulary } from '../tiny-model/vocabulary.ts';
import { encodeWritten, type EncodedSample, type Taught } from '../tiny-model/encode.ts';
import { piecePattern } from './pieces.ts';
import type { Sample } from './samples.ts';
import { textOf, type Piece } from './speech.ts';
import { vague } from './words.ts';

/** One per visual token; the others are free. */
const factCount = 8;
/** Weight of predicting, after each word of a description, whether it is true so far. */
const understoodWeight = 0.3;

export function encodeSample(sample: Sample, vocabulary: TinyVocabulary): EncodedSample {
  const { kind, frame, prompt, answer, thing } = sample;
  const { shape, colour, pattern, edge } = thing;
  const taughtAt = placesOf(answer);
  const facts = [shape, colour, pattern, edge].map((word) => ` ${word}`);
  const written = {
    id: kind,
    frame,
    prompt,
    answer: textOf(answer),
    taught: (position: number) => taughtAt.get(position)!,
    ...(kind === 'speaker' ? {} : { understood: understanding([...facts, ...notions]) }),
    facts: Array.from({ length: factCount }, (_, place) => facts[place] ?? null),
  };
  return encodeWritten(written, { vocabulary, pattern: piecePattern });
}

const notions = Object.values(vague).map((word) => ` ${word}`);
/** Words of a description that name nothing. */
const others = new Set([' and', ' is', ' with', ' of']);

/** Whether the description is true so far, after each word about the concept. */
function understanding(truths: readonly string[]) {
  let isTrue = true;
  return (piece: string) => {
    if (!/^ [a-z]+$/.test(piece) || others.has(piece)) return null;
    isTrue &&= truths.includes(piece);
    return { piece: isTrue ? 'yes' : 'no', weight: understoodWeight };
  };
}

function placesOf(answer: readonly Piece[]): ReadonlyMap<number, Taught> {
  let position = 0;
  return new Map(
    answer.map((piece) => {
      const place = position;
      position += piece.text.length;
      return [place, piece];
    }),
  );
}
