/**
 * A play as numbers: token ids in order, and the lesson of each position's next-token prediction. After the last token
 * of a command the target is the end token, although the text continues with a line break.
 */
import { pieces } from '../tiny-model/tokenizer.ts';
import { pieceIds, type Vocabulary } from '../tiny-model/vocabulary.ts';
import { piecePattern } from './pieces.ts';
import type { Slot } from './slots.ts';

/** Kinds of lessons for next-token prediction. */
export const lesson = { none: 0, observation: 1, action: 2, end: 3, reading: 4 } as const;

/** The model's input, and its lessons. */
export interface Row {
  /** visual content before the text */
  readonly slots: readonly Slot[];
  /** the student's text of the initial observation */
  readonly initial: string;
  readonly turns: readonly RowTurn[];
}

export interface RowTurn {
  readonly command: string;
  readonly observation: string;
  /** whether the command is worth learning */
  readonly learned: boolean;
  /** weight of predicting the observation: none, little, or as much as a command if the frame shows it */
  readonly told: 'none' | 'observation' | 'reading';
}

export interface EncodedRow {
  /** [slots, 3]: class, number and state of each slot, −1 for none */
  readonly slots: Int32Array;
  /** the begin token and the text */
  readonly ids: Int32Array;
  /** `lesson` of each id's next token */
  readonly lessons: Uint8Array;
}

/** Encodes a row, its text cut after `maxTokens` ids. */
export function encodeRow(row: Row, vocabulary: Vocabulary, maxTokens: number): EncodedRow {
  const { ids, lessons } = encodeText(row, vocabulary);
  const end = Math.min(ids.length, maxTokens);
  return {
    slots: Int32Array.from(row.slots.flatMap((slot) => slotIds(slot, vocabulary))),
    ids: Int32Array.from(ids.slice(0, end)),
    lessons: Uint8Array.from(lessons.slice(0, end)),
  };
}

/** Ids of a slot's words, −1 for none and for a word that is not one token; the pad token stands for an empty slot. */
export function slotIds(slot: Slot, vocabulary: Vocabulary): number[] {
  if (slot.every((word) => word === null)) return [vocabulary.pad, -1, -1];
  return slot.map((word) => (word === null ? -1 : (vocabulary.ids.get(` ${word}`) ?? -1)));
}

function encodeText(row: Row, vocabulary: Vocabulary): { ids: number[]; lessons: number[] } {
  const ids = [vocabulary.begin];
  const lessons: number[] = [lesson.none];
  const { text, regions } = layOut(row);
  let position = 0;
  let at = 0;
  let afterCommand = false;
  for (const piece of pieces(text, piecePattern)) {
    while (position >= regions[at]!.end) at++;
    const region = regions[at]!;
    for (const id of pieceIds(piece, vocabulary)) {
      // the end token follows a command, whatever comes next in the text
      if (!afterCommand) lessons[ids.length - 1] = region.lesson;
      ids.push(id);
      lessons.push(lesson.none);
      afterCommand = false;
    }
    position += piece.length;
    afterCommand = region.isCommand && position === region.end;
    if (afterCommand && region.lesson === lesson.action) lessons[ids.length - 1] = lesson.end;
  }
  return { ids, lessons };
}

interface Region {
  readonly end: number;
  readonly isCommand: boolean;
  readonly lesson: number;
}

function layOut(row: Row): { text: string; regions: Region[] } {
  let text = row.initial;
  const regions: Region[] = [{ end: text.length, lesson: lesson.none, isCommand: false }];
  const append = (part: string, kind: number, isCommand = false) => {
    text += part;
    regions.push({ end: text.length, lesson: kind, isCommand });
  };
  for (const { command, observation, learned, told } of row.turns) {
    append('\n>', told === 'none' ? lesson.none : lesson.observation);
    append(` ${command}`, learned ? lesson.action : lesson.none, true);
    append(`\n${observation}`, lesson[told]);
  }
  return { text, regions };
}
