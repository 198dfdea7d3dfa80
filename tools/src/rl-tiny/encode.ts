/** Samples as numbers: token ids, and for each token of the answer what it is. */
import type { TinyVocabulary } from '../emma-tiny/vocabulary.ts';
import { pieces } from '../emma-tiny/tokenizer.ts';
import { piecePattern } from './pieces.ts';
import type { Sample } from './samples.ts';

/** What a token of an answer is: form, what is read of the frame, whether thoughts go on, the conclusion, the action. */
export const kinds = ['form', 'reading', 'gate', 'conclusion', 'action'] as const;
export type Kind = (typeof kinds)[number];

export interface EncodedSample {
  readonly sample: Sample;
  /** begin token, prompt, answer, end token */
  readonly ids: readonly number[];
  /** of the answer's tokens, the end token being the last */
  readonly kinds: readonly Kind[];
}

export function encodeSample(sample: Sample, vocabulary: TinyVocabulary): EncodedSample {
  const { prompt, answer } = sample;
  const idsOf = (piece: string): readonly number[] => {
    const whole = vocabulary.ids.get(piece);
    return whole === undefined ? vocabulary.encode(piece) : [whole];
  };
  const kindAt = kindsIn(answer);
  const ids = [vocabulary.begin, ...pieces(prompt, piecePattern).flatMap(idsOf)];
  const kinds: Kind[] = [];
  let position = 0;
  for (const piece of pieces(answer, piecePattern)) {
    const own = idsOf(piece);
    ids.push(...own);
    kinds.push(...own.map(() => kindAt(position, piece)));
    position += piece.length;
  }
  return { sample, ids: [...ids, vocabulary.tokenizer.endToken!], kinds: [...kinds, 'form'] };
}

/** What a piece of an answer is, by where it begins. */
function kindsIn(answer: string): (position: number, piece: string) => Kind {
  const action = answer.lastIndexOf('"action": "') + '"action": "'.length;
  const thoughts = /"thoughts": "([^";]*)/.exec(answer);
  const gate = thoughts ? thoughts.index + thoughts[0].length : -1;
  return (position, piece) => {
    if (position === action) return 'action';
    if (position === gate) return 'gate';
    if (!/[a-z\d]/i.test(piece) || /["{}]/.test(piece)) return 'form';
    return gate >= 0 && position > gate ? 'conclusion' : 'reading';
  };
}
