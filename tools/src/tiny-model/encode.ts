/** Samples as numbers: token ids, and what is to be learned of them. */
import type { Frame } from '@emac/core';
import { pieces } from './tokenizer.ts';
import { pieceIds, type TinyVocabulary } from './vocabulary.ts';

export interface Lesson {
  /** place of the id that is said before */
  readonly after: number;
  readonly label: number;
  readonly weight: number;
  /** what the token is in its answer, for measuring; `gate` for one of several without the most share, which is not measured */
  readonly kind: string;
}

export interface EncodedSample {
  /** what samples are measured together */
  readonly id: string;
  readonly frame: Frame;
  /** begin token, prompt, answer, end token */
  readonly ids: readonly number[];
  readonly lessons: readonly Lesson[];
  /** id that each visual token is to say, the pad token for nothing */
  readonly facts: readonly number[];
}

/** What is taught where a piece of an answer begins: that piece, or several with shares that sum to 1. */
export interface Taught {
  readonly kind: string;
  readonly choices?: readonly (readonly [piece: string, share: number])[];
}

export interface WrittenSample {
  readonly id: string;
  readonly frame: Frame;
  readonly prompt: string;
  readonly answer: string;
  /** of a piece of the answer, by where it begins */
  readonly taught: (position: number, piece: string) => Taught;
  /** what is to be said after a piece of the prompt, which helps understanding it; null for nothing */
  readonly understood?: (piece: string) => { readonly piece: string; readonly weight: number } | null;
  /** words that visual tokens are to say */
  readonly facts: readonly (string | null)[];
}

export interface Encoding {
  readonly vocabulary: TinyVocabulary;
  /** what is one piece */
  readonly pattern: string;
}

/** Every piece that is a choice must be one token. */
export function encodeWritten(sample: WrittenSample, { vocabulary, pattern }: Encoding): EncodedSample {
  const { id, frame, prompt, answer, taught, understood = () => null } = sample;
  const ids = [vocabulary.begin];
  const lessons: Lesson[] = [];
  const learn = (label: number, kind: string, weight = 1) =>
    lessons.push({ after: ids.length - 1, label, weight, kind });
  for (const piece of pieces(prompt, pattern)) {
    ids.push(...pieceIds(piece, vocabulary));
    const lesson = understood(piece);
    if (lesson) learn(vocabulary.ids.get(lesson.piece)!, 'understood', lesson.weight);
  }
  let position = 0;
  for (const piece of pieces(answer, pattern)) {
    const { kind, choices } = taught(position, piece);
    for (const [choice, share] of choices ?? [])
      learn(vocabulary.ids.get(choice)!, share > 0.5 ? kind : 'gate', share);
    for (const said of pieceIds(piece, vocabulary)) {
      if (!choices) learn(said, kind);
      ids.push(said);
    }
    position += piece.length;
  }
  const end = vocabulary.tokenizer.endToken!;
  learn(end, 'form');
  const facts = sample.facts.map((word) => (word === null ? vocabulary.pad : vocabulary.ids.get(word)!));
  return { id, frame, ids: [...ids, end], lessons, facts };
}
