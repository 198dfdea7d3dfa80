/** Samples as numbers: token ids and lessons. */
import type { Frame } from '@emac/core';
import { pieces } from './tokenizer.ts';
import { pieceIds, type TinyVocabulary } from './vocabulary.ts';

export interface Lesson {
  /** index of the preceding id */
  readonly after: number;
  readonly label: number;
  readonly weight: number;
  /**
   * kind of the token, for measuring; `gate` for one of several with less than the largest share, which is not measured
   */
  readonly kind: string;
}

export interface EncodedSample {
  /** key for grouping measurements */
  readonly id: string;
  readonly frame: Frame;
  /** begin token, prompt, answer, end token */
  readonly ids: readonly number[];
  readonly lessons: readonly Lesson[];
  /** id that each visual token is to say, the pad token for nothing */
  readonly facts: readonly number[];
}

/** The lesson at the start of a piece: that piece, or several with shares that sum to 1. */
export interface Taught {
  readonly kind: string;
  readonly choices?: readonly (readonly [piece: string, share: number])[];
}

export interface WrittenSample {
  readonly id: string;
  readonly frame: Frame;
  readonly prompt: string;
  readonly answer: string;
  /** of an answer's piece, by its position */
  readonly taught: (position: number, piece: string) => Taught;
  /** target after a piece of the prompt, which helps to understand it; null for none */
  readonly understood?: (piece: string) => { readonly piece: string; readonly weight: number } | null;
  /** words that visual tokens are to say */
  readonly facts: readonly (string | null)[];
}

export interface Encoding {
  readonly vocabulary: TinyVocabulary;
  /** pattern of one piece */
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
