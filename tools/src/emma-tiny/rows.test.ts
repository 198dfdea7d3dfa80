import { Random } from '@emac/core';
import { builtinGame, parseGame } from '@emac/world';
import { describe, expect, it } from 'vitest';
import type { Row } from './encoded-row.ts';
import { playGame, type Play } from './plays.ts';
import { rowsOf } from './rows.ts';
import { slotsOf } from './slots.ts';

const { id, file } = builtinGame('train', 0);
const game = parseGame(file, { id });
const elsewhere = { facing: [], held: null, room: null };

/** Rows of many plays, all in one form, each with its play. */
function rows({
  reading = 0,
  ...others
}: {
  text: number;
  both: number;
  reading?: number;
}): { row: Row; play: Play }[] {
  return Array.from({ length: 40 }, (_, seed) => {
    const random = Random.fromSeed(seed);
    const play = playGame(game, random, { maxSteps: 40 });
    const shares = { ...others, reading };
    return rowsOf(play, random, { shares, framedRows: 3, elsewhere }).map((row) => ({ row, play }));
  }).flat();
}

describe('rowsOf', () => {
  it('with texts alone teaches every command of a play at once', () => {
    for (const { row, play } of rows({ text: 1, both: 0 })) {
      expect(row.turns.map(({ command, learned }) => ({ command, learned }))).toEqual(
        play.turns.map(({ command }) => ({ command, learned: true })),
      );
      expect(row.turns.every(({ told }) => told === 'observation')).toBe(true);
    }
  });

  it("with a frame teaches only the command after that frame, and the frame's content", () => {
    for (const both of [0, 1]) {
      const made = rows({ text: 0, both });
      expect(made.length).toBeGreaterThan(40);
      for (const { row, play } of made) {
        const last = row.turns.length - 1;
        expect(row.slots).toEqual(slotsOf(play.seen[last]!));
        expect(row.turns.map(({ learned }) => learned).indexOf(true)).toBe(last);
        expect(row.turns[last]).toMatchObject({ command: play.turns[last]!.command, observation: '' });
        const told = row.turns.flatMap((turn, index) => (turn.told === 'reading' ? [index] : []));
        expect(told).toEqual(both === 1 && last > 0 ? [last - 1] : []);
      }
    }
  });

  it('with a frame alone has no contents in its text', () => {
    for (const { row } of rows({ text: 0, both: 0 }))
      for (const { observation } of row.turns) expect(observation).not.toMatch(/you see/);
  });

  it('reads a frame aloud', () => {
    const made = rows({ text: 0, both: 0, reading: 1 });
    expect(made.length).toBeGreaterThan(40);
    for (const { row, play } of made) {
      const index = play.turns.findIndex(
        ({ command, observation }, at) =>
          command === row.turns[0]!.command &&
          observation === row.turns[0]!.observation &&
          JSON.stringify(slotsOf(play.seen[at + 1]!)) === JSON.stringify(row.slots),
      );
      expect(index).toBeGreaterThanOrEqual(0);
      expect(row).toMatchObject({ initial: '', turns: [{ learned: false, told: 'reading' }] });
    }
  });
});
