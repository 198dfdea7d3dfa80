import { describe, expect, it } from 'vitest';
import { pieces as piecesBy } from '../tiny-model/tokenizer.ts';
import type { Vocabulary } from '../tiny-model/vocabulary.ts';
import { encodeRow, lesson, slotIds, type Row } from './encoded-row.ts';
import { numberAndRest, piecePattern } from './pieces.ts';
import { emptySlot } from './slots.ts';

const pieces = (text: string) => piecesBy(text, piecePattern);

/** Numbers pieces in the order they are met, from 10 on. */
function countingVocabulary(): Vocabulary & { readonly ids: Map<string, number> } {
  const ids = new Map<string, number>();
  const encode = (piece: string) => {
    if (!ids.has(piece)) ids.set(piece, 10 + ids.size);
    return [ids.get(piece)!];
  };
  return { ids, encode, begin: 1, pad: 3 };
}

const row: Row = {
  slots: [['mug', '1', 'hot'], emptySlot],
  initial: 'Your task is to: put a mug in shelf.',
  turns: [
    { command: 'go to shelf 1', observation: 'You arrive at shelf 1.', learned: true, told: 'observation' },
    { command: 'look', observation: 'Nothing happens.', learned: false, told: 'reading' },
  ],
};

describe('pieces', () => {
  it('cut sentences into names and the text between them, without loss', () => {
    const text =
      'Looking around, you see a desk 1, and a bed 2.\nYour task is to: put a clean soapbar in cabinet.\n> go to cabinet 12\nYou arrive at cabinet 12. On the cabinet 12, you see nothing.\n>';
    expect(pieces(text)).toEqual([
      ...['Looking around, you see a', ' desk', ' 1, and a', ' bed', ' 2.'],
      ...['\nYour task is to:', ' put a clean', ' soapbar', ' in', ' cabinet', '.', '\n>'],
      ...[' go to', ' cabinet', ' 12', '\nYou arrive at', ' cabinet', ' 12. On the', ' cabinet'],
      ...[' 12, you see nothing.', '\n>'],
    ]);
    expect(pieces(text).join('')).toBe(text);
  });

  it('are the same for a command alone and inside a history', () => {
    const history = pieces(
      'Your task is to: put a mug in shelf.\n> take mug 1 from desk 2\nNothing happens.\n>',
    );
    expect(history.slice(-7, -2)).toEqual(pieces(' take mug 1 from desk 2'));
    expect(pieces(' take mug 1 from desk 2')).toEqual([' take', ' mug', ' 1 from', ' desk', ' 2']);
  });

  it('of a number and the text after it are distinct', () => {
    expect(numberAndRest(' 12, and a')).toEqual({ number: ' 12', rest: ', and a' });
    expect([' 12', ', and a', ' desk'].map(numberAndRest)).toEqual([null, null, null]);
  });
});

describe('encodeRow', () => {
  it('teaches learned commands and their end, observations, and nothing of mistakes', () => {
    const vocabulary = countingVocabulary();
    const { ids, lessons } = encodeRow(row, vocabulary, 100);
    const names = new Map([...vocabulary.ids].map(([piece, id]) => [id, piece]));
    const told = Array.from(ids, (id, position) => [names.get(id) ?? 'begin', lessons[position]]);
    const { none, observation, action, end } = lesson;
    // a lesson belongs to the position before the token that it teaches
    expect(told).toEqual([
      ['begin', none],
      ...[
        ['Your task is to:', none],
        [' put a', none],
        [' mug', none],
        [' in', none],
        [' shelf', none],
      ],
      ...[
        ['.', observation],
        ['\n>', action],
        [' go to', action],
        [' shelf', action],
        [' 1', end],
      ],
      ...[
        ['\nYou arrive at', observation],
        [' shelf', observation],
        [' 1.', observation],
        ['\n>', none],
        [' look', none],
        ['\nNothing happens.', none],
      ],
    ]);
  });

  it('is cut after the limit', () => {
    expect(encodeRow(row, countingVocabulary(), 7).ids).toHaveLength(7);
  });

  it('gives each slot its words, and an empty one the pad token', () => {
    const vocabulary = countingVocabulary();
    const ids = [' mug', ' 1', ' hot'].map((piece) => vocabulary.encode(piece)[0]);
    const { slots } = encodeRow(row, vocabulary, 100);
    expect([...slots]).toEqual([...ids, 3, -1, -1]);
  });

  it('has no id for an unknown word', () => {
    expect(slotIds(['mug', null, null], countingVocabulary())).toEqual([-1, -1, -1]);
  });
});
