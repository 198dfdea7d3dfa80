/** Samples as numbers: token ids, and what is to be learned of them. */
import { pieces } from '../emma-tiny/tokenizer.ts';
import type { TinyVocabulary } from '../emma-tiny/vocabulary.ts';
import { factsOf } from './facts.ts';
import { piecePattern } from './pieces.ts';
import type { Sample } from './samples.ts';

/** What a token of an answer is: form, what is read of the frame, whether thoughts go on, the conclusion, the action. */
export type Kind = 'form' | 'reading' | 'gate' | 'conclusion' | 'action';

export interface Lesson {
  /** place of the id that is said before */
  readonly after: number;
  readonly label: number;
  readonly weight: number;
  readonly kind: Kind;
}

export interface EncodedSample {
  readonly sample: Sample;
  /** begin token, prompt, answer, end token */
  readonly ids: readonly number[];
  /** where thoughts may go on or end there are two, with the shares of both as weights; else one for each token of the answer */
  readonly lessons: readonly Lesson[];
  /** id that each visual token is to say, the pad token for nothing */
  readonly facts: readonly number[];
}

export function encodeSample(sample: Sample, vocabulary: TinyVocabulary): EncodedSample {
  const { prompt, answer, careful } = sample;
  const idsOf = (piece: string): readonly number[] => {
    const whole = vocabulary.ids.get(piece);
    return whole === undefined ? vocabulary.encode(piece) : [whole];
  };
  const kindAt = kindsIn(answer);
  const ids = [vocabulary.begin, ...pieces(prompt, piecePattern).flatMap(idsOf)];
  const lessons: Lesson[] = [];
  const learn = (label: number, kind: Kind, weight = 1) =>
    lessons.push({ after: ids.length - 1, label, weight, kind });
  let position = 0;
  for (const piece of pieces(answer, piecePattern)) {
    const kind = kindAt(position, piece);
    if (kind === 'gate') {
      learn(vocabulary.ids.get(goingOn)!, kind, careful!);
      learn(vocabulary.ids.get(ending)!, kind, 1 - careful!);
    }
    for (const id of idsOf(piece)) {
      if (kind !== 'gate') learn(id, kind);
      ids.push(id);
    }
    position += piece.length;
  }
  const end = vocabulary.tokenizer.endToken!;
  learn(end, 'form');
  const facts = factsOf(sample.id, sample.reading).map((word) =>
    word === null ? vocabulary.pad : vocabulary.ids.get(word)!,
  );
  return { sample, ids: [...ids, end], lessons, facts };
}

/** The pieces with which thoughts go on or end. */
const [goingOn, ending] = ['; ', '", '];

/** What a piece of an answer is, by where it begins. */
function kindsIn(answer: string): (position: number, piece: string) => Kind {
  const action = answer.lastIndexOf('"action": "') + '"action": "'.length;
  const thoughts = /"thoughts": "([^";]*)/.exec(answer);
  const gate = thoughts ? thoughts.index + thoughts[0].length : -1;
  return (position, piece) => {
    if (position === action) return 'action';
    if (position === gate) return 'gate';
    if (/["{}]/.test(piece)) return 'form';
    if (gate >= 0 && position > gate) return 'conclusion';
    return /[a-z\d]/i.test(piece) ? 'reading' : 'form';
  };
}
