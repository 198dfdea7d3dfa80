/**
 * Training rows from plays, in the three forms of observing (`prompt`'s `observe`). Text-only rows teach all commands
 * of a play at once. A frame shows one moment, so a row with a frame teaches only the next command: earlier ones could
 * be guessed from the agent's later position. Frame-only rows prefer moments before something is taken, where the frame
 * decides. Rows with text and frame also teach the last observation, which the frame shows. Most about frames is
 * learned from short rows that read one aloud: a command and the observation in the frame, without history.
 */
import type { Random } from '@emac/core';
import { observedHistory } from '@emac/prompt';
import type { VisibleState } from '@emac/world';
import type { Row, RowTurn } from './encoded-row.ts';
import type { Play } from './plays.ts';
import { emptySlot, shownObjects, slotCount, slotsOf, type Slot } from './slots.ts';

export interface RowOptions {
  /**
   * shares of plays with text-only rows, with text and frame, and with a frame read aloud; the others have the frame
   * alone
   */
  readonly shares: { readonly text: number; readonly both: number; readonly reading: number };
  /** rows of one play with a frame */
  readonly framedRows: number;
  /** a visible state of another game */
  readonly elsewhere: VisibleState;
}

/** The rows of one play, in a drawn form. */
export function rowsOf(play: Play, random: Random, { shares, framedRows, elsewhere }: RowOptions): Row[] {
  const form = random.uniform();
  if (form < shares.text) return [textRow(play, random, elsewhere)];
  const drawn = (turns: readonly number[]) => random.shuffle(turns).slice(0, framedRows);
  const framed = form - shares.text - shares.both;
  if (framed >= 0 && framed < shares.reading)
    return drawn(readable(play)).map((turn) => readingRow(play, turn));
  const candidates = play.turns.map((_, index) => index);
  if (framed < 0) return drawn(candidates).map((turn) => bothRow(play, turn));
  const [takes, others] = parted(candidates, (turn) => play.turns[turn]!.command.startsWith('take '));
  return [...takes.filter((turn) => isShown(play, turn)), ...random.shuffle(others)]
    .slice(0, framedRows)
    .map((turn) => imageRow(play, turn));
}

function parted<T>(all: readonly T[], test: (each: T) => boolean): [T[], T[]] {
  return [all.filter(test), all.filter((each) => !test(each))];
}

/** Whether the taken object is among those the slots can show. */
function isShown(play: Play, turn: number): boolean {
  const taken = /^take (.+?) from /.exec(play.turns[turn]!.command)?.[1];
  const { facing } = play.seen[turn]!;
  const contents = facing.flatMap(({ contents }) => contents).slice(0, shownObjects);
  return contents.some(({ name }) => name === taken);
}

/** Turns whose observation names contents and is followed by another turn, with its frame. */
function readable({ turns }: Play): number[] {
  return turns.flatMap(({ observation }, index) =>
    index + 1 < turns.length && observation.includes('you see') ? [index] : [],
  );
}

const empty = new Array<Slot>(slotCount).fill(emptySlot);

/** Most rows have empty slots; some show an unrelated state. */
function textRow(play: Play, random: Random, elsewhere: VisibleState): Row {
  return {
    slots: random.uniform() < 0.8 ? empty : slotsOf(elsewhere),
    initial: play.initial,
    turns: play.turns.map((turn) => ({ ...turn, learned: true, told: 'observation' as const })),
  };
}

/** One command, from the text and frame before it, and the observation in the frame. */
function bothRow(play: Play, last: number): Row {
  return {
    slots: slotsOf(play.seen[last]!),
    initial: play.initial,
    turns: play.turns.slice(0, last + 1).map(({ command, observation }, index): RowTurn => {
      if (index === last) return { command, observation: '', learned: true, told: 'none' };
      return { command, observation, learned: false, told: index === last - 1 ? 'reading' : 'none' };
    }),
  };
}

/** One observation, from the frame after it. */
function readingRow(play: Play, index: number): Row {
  const { command, observation } = play.turns[index]!;
  return {
    slots: slotsOf(play.seen[index + 1]!),
    initial: '',
    turns: [{ command, observation, learned: false, told: 'reading' }],
  };
}

/** One command, from the frame before it and texts without contents. */
function imageRow(play: Play, last: number): Row {
  const { turns } = observedHistory({ initial: play.initial, turns: play.turns.slice(0, last + 1) }, 'image');
  return {
    slots: slotsOf(play.seen[last]!),
    initial: play.initial,
    turns: turns.map(({ command, observation }, index) => ({
      command,
      observation: index === last ? '' : observation,
      learned: index === last,
      told: 'none',
    })),
  };
}
