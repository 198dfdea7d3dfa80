import type { Frame } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { blackjack } from '../blackjack.ts';
import type { Hand } from '../blackjack-hand.ts';
import { numberLine } from '../number-line.ts';
import { ezPoints, points24 } from '../points.ts';
import { plainFrame, paste } from './canvas.ts';
import { cardFrame } from './card.ts';
import { drawText } from './shapes.ts';

const felt = '53,101,77'; // #35654d
const white = '255,255,255';

function pixel({ width, data }: Frame, x: number, y: number): string {
  return data.slice((y * width + x) * 3, (y * width + x) * 3 + 3).join(',');
}

/** The smallest rectangle with all pixels that differ from the first one, edges included. */
function inked(frame: Frame, [from, to]: readonly [number, number] = [0, frame.height]) {
  const { width, data } = frame;
  const first = from * width * 3;
  const edges = { left: width, right: -1, top: to, bottom: -1 };
  for (let y = from; y < to; y++)
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * 3;
      if ([0, 1, 2].every((channel) => data[at + channel] === data[first + channel])) continue;
      edges.left = Math.min(edges.left, x);
      edges.right = Math.max(edges.right, x);
      edges.top = Math.min(edges.top, y);
      edges.bottom = Math.max(edges.bottom, y);
    }
  return edges;
}

const key = ({ data }: Frame): string => Buffer.from(data).toString('latin1');

describe('letters', () => {
  it('are five columns of seven pixels, scaled by a whole number, and clipped at the edge', () => {
    const frame = plainFrame(30, 16, [0, 0, 0]);
    drawText(frame, 'TT', { x: 2, y: 1, scale: 2, colour: [255, 255, 255] });
    // a T fills its cell: 10 × 14 pixels, the next one 12 further
    expect(inked(frame)).toEqual({ left: 2, right: 23, top: 1, bottom: 14 });
    expect([pixel(frame, 2, 1), pixel(frame, 2, 3), pixel(frame, 6, 14), pixel(frame, 12, 1)]).toEqual([
      white,
      '0,0,0',
      white,
      '0,0,0',
    ]);
    expect(() => drawText(frame, 'WWWW', { x: 20, y: 9, scale: 2, colour: [1, 1, 1] })).not.toThrow();
  });
});

describe('the picture of NumberLine', () => {
  const pictures = [0, 1, 2, 3, 4, 5].flatMap((target) =>
    [0, 1, 2, 3, 4, 5].map((current) => numberLine().frame({ target, current, steps: 0 })),
  );

  it('has black letters on white, the first line from (30, 60), the second from (30, 180)', () => {
    const frame = pictures[0]!;
    expect([pixel(frame, 0, 0), frame.width, frame.height]).toEqual([white, 300, 300]);
    // letters are seven rows high; ten letters of six columns, the last without its gap
    expect(inked(frame, [0, 150])).toMatchObject({ left: 30, top: 60, bottom: 60 + 4 * 7 - 1 });
    expect(inked(frame, [150, 300])).toMatchObject({ left: 30, top: 180, right: 30 + 4 * (6 * 10 - 1) - 1 });
  });

  it('differs for every target and every number', () => {
    expect(new Set(pictures.map(key)).size).toBe(36);
  });
});

describe('a card', () => {
  const ranks = ['A', '2', '3', '4', '5', '6', '7', '8', '9', 'T', 'J', 'Q', 'K'];
  const names = ['H', 'S', 'D', 'C'].flatMap((suit) => ranks.map((rank) => suit + rank));

  it.each([
    [67, 93],
    [70, 98],
    [135, 189],
  ])(
    'of %i × %i pixels differs from all others, and is white with the table at its corners',
    (width, height) => {
      const frames = [null, ...names].map((name) => cardFrame(name, { width, height }));
      expect(new Set(frames.map(key)).size).toBe(53);
      for (const frame of frames) {
        expect([pixel(frame, 0, 0), pixel(frame, width - 1, height - 1)]).toEqual([felt, felt]);
        expect(inked(frame)).toEqual({ left: 0, right: width - 1, top: 0, bottom: height - 1 });
      }
      expect(pixel(frames[1]!, width >> 1, 3)).toBe(white);
    },
  );

  it('is the same for a ten by its letter and by its number', () => {
    const size = { width: 70, height: 98 };
    expect(key(cardFrame('CT', size))).toBe(key(cardFrame('C10', size)));
  });
});

/** Whether a card lies with its corner there. */
function lies(
  frame: Frame,
  name: string | null,
  at: { x: number; y: number; width: number; height: number },
): boolean {
  const again = { ...frame, data: frame.data.slice() };
  paste(again, cardFrame(name, at), at);
  return key(again) === key(frame);
}

describe('the pictures of cards in a row', () => {
  it('have two large cards in EZPoints', () => {
    const frame = ezPoints().frame({ cards: ['HQ', 'S2'], numbers: [10, 2], formula: [] });
    // int(300 / 2 × 0.9) = 135, int(135 × 7 / 5) = 189, int((300 - 189) / 2) = 55, 5 + int(135 × 1.1) = 153
    const size = { width: 135, height: 189, y: 55 };
    expect(lies(frame, 'HQ', { ...size, x: 5 })).toBe(true);
    expect(lies(frame, 'S2', { ...size, x: 153 })).toBe(true);
    expect(lies(frame, 'S2', { ...size, x: 152 })).toBe(false);
    expect(pixel(frame, 0, 0)).toBe(felt);
    expect(inked(frame, [250, 300])).toMatchObject({ left: 10, top: 258 });
  });

  it('have four small cards in Points24', () => {
    const cards = ['HA', 'ST', 'DK', 'C9'];
    const frame = points24().frame({ cards, numbers: [1, 10, 10, 9], formula: [] });
    // int(75 × 0.9) = 67, int(67 × 7 / 5) = 93, int(207 / 2) = 103, 5 + int(i × 73.7)
    cards.forEach((card, place) => {
      expect(lies(frame, card, { width: 67, height: 93, x: [5, 78, 152, 226][place]!, y: 103 })).toBe(true);
    });
    expect(inked(frame, [200, 300])).toMatchObject({ left: 10, top: 210 });
  });

  it('show the formula, the longest one too', () => {
    const cards = ['HT', 'ST', 'DT', 'CT'];
    const hand = { cards, numbers: [10, 10, 10, 10] };
    const frames = [[], [10], ['+'], ['-'], ['*'], ['/'], ['('], [')'], [10, '+'], [' ', '+']].map(
      (formula) => points24().frame({ ...hand, formula }),
    );
    expect(new Set(frames.map(key)).size).toBe(10);
    const long = [...Array.from({ length: 17 }, () => '('), 10, 10, 10, 10];
    expect(inked(points24().frame({ ...hand, formula: long }), [236, 300]).right).toBeLessThan(290);
    const six = ezPoints().frame({ ...hand, cards: ['HT', 'H2'], formula: [10, 2, '+', '+', '+', '+'] });
    expect(inked(six, [250, 300])).toMatchObject({ top: 258 });
    expect(inked(six, [250, 300]).right).toBeLessThan(290);
  });
});

describe('the picture of Blackjack', () => {
  const card = (face: string): Hand[number] => [Number(face), face, 'H'];
  const faces = ['2', '3', '4', '5', '6', '7', '8'];
  const frame = (count: number, dealer = ['9', '2']) =>
    blackjack().frame({ player: faces.slice(0, count).map(card), dealer: dealer.map(card) });
  const size = { width: 70, height: 98 };

  it("has the dealer's first card and a back, which stays, and the player's cards from (5, 150)", () => {
    const picture = frame(3);
    expect(lies(picture, 'H9', { ...size, x: 5, y: 25 })).toBe(true);
    expect(lies(picture, null, { ...size, x: 78, y: 25 })).toBe(true);
    [5, 79, 153].forEach((x, place) =>
      expect(lies(picture, `H${faces[place]}`, { ...size, x, y: 150 })).toBe(true),
    );
    expect(key(frame(3, ['9', '8', '7']))).toBe(key(picture));
    expect(inked(picture, [0, 20])).toMatchObject({ left: 5, top: 5 });
    expect(inked(picture, [125, 148])).toMatchObject({ left: 5, top: 130 });
  });

  it('has the fifth card beyond the edge and the sixth in a second row, as published', () => {
    expect(key(frame(5))).toBe(key(frame(4)));
    expect(lies(frame(7), 'H7', { ...size, x: 5, y: 252 })).toBe(true);
    expect(lies(frame(7), 'H8', { ...size, x: 79, y: 252 })).toBe(true);
  });
});
