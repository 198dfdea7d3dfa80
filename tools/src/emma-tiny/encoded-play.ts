/**
 * A play as numbers: token ids in order, and for each position what its next-token prediction counts as. After the
 * last token of a command the model must say the end token, although the text goes on with a line break.
 */
import { pieces } from './tokenizer.ts';

/** What predicting the next token at a position is worth. */
export const lesson = { none: 0, observation: 1, action: 2, end: 3 } as const;

export interface Play {
  /** words in the slots before the begin token, the quality word among them */
  readonly slots: readonly string[];
  /** the student's text of the initial observation */
  readonly initial: string;
  readonly turns: readonly PlayTurn[];
}

export interface PlayTurn {
  readonly command: string;
  readonly observation: string;
  /** whether the command is worth learning */
  readonly learned: boolean;
}

export interface EncodedPlay {
  readonly ids: Int32Array;
  readonly lessons: Uint8Array;
}

export interface Vocabulary {
  /** id of a whole piece, if it is a token */
  readonly ids: ReadonlyMap<string, number>;
  /** ids of any other text */
  encode(text: string): readonly number[];
  readonly begin: number;
}

/** Encodes a play, cut after `maxTokens` ids. */
export function encodePlay(play: Play, vocabulary: Vocabulary, maxTokens: number): EncodedPlay {
  const ids: number[] = [];
  const lessons: number[] = [];
  for (const slot of play.slots) for (const id of pieceIds(` ${slot}`, vocabulary)) ids.push(id);
  ids.push(vocabulary.begin);
  const { text, regions } = layOut(play);
  lessons.length = ids.length;
  lessons.fill(lesson.none);
  let position = 0;
  let afterCommand = false;
  for (const piece of pieces(text)) {
    const region = regionAt(regions, position);
    for (const id of pieceIds(piece, vocabulary)) {
      // what follows a command is the end token, whatever the text goes on with
      if (!(region.lesson === lesson.observation && afterCommand)) lessons[ids.length - 1] = region.lesson;
      ids.push(id);
      lessons.push(lesson.none);
      afterCommand = false;
    }
    position += piece.length;
    afterCommand = region.isCommand && position === region.end;
    if (afterCommand && region.lesson === lesson.action) lessons[ids.length - 1] = lesson.end;
  }
  const end = Math.min(ids.length, maxTokens);
  return { ids: Int32Array.from(ids.slice(0, end)), lessons: Uint8Array.from(lessons.slice(0, end)) };
}

interface Region {
  readonly end: number;
  readonly isCommand: boolean;
  readonly lesson: number;
}

function layOut(play: Play): { text: string; regions: Region[] } {
  let text = play.initial;
  const regions: Region[] = [{ end: text.length, lesson: lesson.none, isCommand: false }];
  const append = (part: string, kind: number, isCommand = false) => {
    text += part;
    regions.push({ end: text.length, lesson: kind, isCommand });
  };
  for (const turn of play.turns) {
    append('\n>', lesson.observation);
    append(` ${turn.command}`, turn.learned ? lesson.action : lesson.none, true);
    append(`\n${turn.observation}`, lesson.observation);
  }
  return { text, regions };
}

/** The region that holds a character; regions come in order, so a rising cursor would do, but plays are short. */
function regionAt(regions: readonly Region[], position: number): Region {
  return regions.find((region) => position < region.end)!;
}

function pieceIds(piece: string, vocabulary: Vocabulary): readonly number[] {
  const whole = vocabulary.ids.get(piece);
  return whole === undefined ? vocabulary.encode(piece) : [whole];
}
