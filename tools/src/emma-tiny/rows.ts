/**
 * Rows to learn from, made of plays, in the three forms in which a student may observe (`prompt`'s `observe`): with
 * the text alone all commands of a play are learned at once. A frame shows one moment, so a row with a frame teaches only
 * the command that follows it: an earlier one could be guessed from where the agent will be. Of frames alone those come first
 * after which something is taken: there the frame decides. With the text beside the
 * frame the last observation is learned too, which the frame shows. Most is learned about frames from short rows that
 * read one aloud: a command and the observation that the frame shows, without what came before.
 */
import type { Random } from '@emac/core';
import { observedHistory } from '@emac/prompt';
import type { VisibleState } from '@emac/world';
import type { Row, RowTurn } from './encoded-row.ts';
import type { Play, Quality } from './plays.ts';
import { emptySlot, shownObjects, slotCount, slotsOf, type Slot } from './slots.ts';

export interface RowOptions {
  /** share of plays whose rows have the text alone, text and frame, a frame read aloud; the others have the frame alone */
  readonly shares: { readonly text: number; readonly both: number; readonly reading: number };
  /** rows of one play with a frame */
  readonly framedRows: number;
  /** what was seen in another game */
  readonly elsewhere: VisibleState;
}

/** The rows of one play, in a form that is drawn. */
export function rowsOf(play: Play, random: Random, { shares, framedRows, elsewhere }: RowOptions): Row[] {
  const form = random.uniform();
  if (form < shares.text) return [textRow(play, random, elsewhere)];
  const drawn = (turns: readonly number[]) => random.shuffle(turns).slice(0, framedRows);
  const framed = form - shares.text - shares.both;
  if (framed >= 0 && framed < shares.reading)
    return drawn(readable(play)).map((turn) => readingRow(play, turn, random));
  const candidates = play.turns.flatMap(({ learned }, index) => (learned ? [index] : []));
  if (framed < 0) return drawn(candidates).map((turn) => bothRow(play, turn, random));
  const [takes, others] = parted(candidates, (turn) => play.turns[turn]!.command.startsWith('take '));
  return [...takes.filter((turn) => isShown(play, turn)), ...random.shuffle(others)]
    .slice(0, framedRows)
    .map((turn) => imageRow(play, turn, random));
}

function parted<T>(all: readonly T[], test: (each: T) => boolean): [T[], T[]] {
  return [all.filter(test), all.filter((each) => !test(each))];
}

/** Whether what is taken is among what the slots can show. */
function isShown(play: Play, turn: number): boolean {
  const taken = /^take (.+?) from /.exec(play.turns[turn]!.command)?.[1];
  const { facing } = play.seen[turn]!;
  const contents = facing.flatMap(({ contents }) => contents).slice(0, shownObjects);
  return contents.some(({ name }) => name === taken);
}

/** Turns whose observation tells contents, and after which another came, with the frame that shows them. */
function readable({ turns }: Play): number[] {
  return turns.flatMap(({ observation }, index) =>
    index + 1 < turns.length && observation.includes('you see') ? [index] : [],
  );
}

const empty = new Array<Slot>(slotCount).fill(emptySlot);

/** In most rows the slots are empty, in some they show what has nothing to do with the text. */
function textRow(play: Play, random: Random, elsewhere: VisibleState): Row {
  return {
    slots: random.uniform() < 0.8 ? empty : slotsOf(elsewhere),
    quality: qualityOf(play.quality, random),
    initial: play.initial,
    turns: play.turns.map((turn) => ({ ...turn, told: 'observation' as const })),
  };
}

/** One command, by what text and frame show before it, and the observation that the frame shows. */
function bothRow(play: Play, last: number, random: Random): Row {
  return {
    slots: slotsOf(play.seen[last]!),
    quality: qualityOf(play.quality, random),
    initial: play.initial,
    turns: play.turns.slice(0, last + 1).map(({ command, observation }, index): RowTurn => {
      if (index === last) return { command, observation: '', learned: true, told: 'none' };
      return { command, observation, learned: false, told: index === last - 1 ? 'reading' : 'none' };
    }),
  };
}

/** One observation, by what the frame shows after it. */
function readingRow(play: Play, index: number, random: Random): Row {
  const { command, observation } = play.turns[index]!;
  return {
    slots: slotsOf(play.seen[index + 1]!),
    quality: qualityOf(play.quality, random),
    initial: '',
    turns: [{ command, observation, learned: false, told: 'reading' }],
  };
}

/** One command, by what the frame shows before it and texts without contents. */
function imageRow(play: Play, last: number, random: Random): Row {
  const { turns } = observedHistory({ initial: play.initial, turns: play.turns.slice(0, last + 1) }, 'image');
  return {
    slots: slotsOf(play.seen[last]!),
    quality: qualityOf(play.quality, random),
    initial: play.initial,
    turns: turns.map(({ command, observation }, index) => ({
      command,
      observation: index === last ? '' : observation,
      learned: index === last,
      told: 'none',
    })),
  };
}

/** The quality word in every slot or in some, more or less strongly: so it may come by whatever changes the slots. */
function qualityOf(quality: Quality, random: Random): Row['quality'] {
  if (quality === null) return null;
  const strength = 0.4 + 1.6 * random.uniform();
  const share = random.uniform() < 0.6 ? 1 : random.uniform();
  const shares = Array.from({ length: slotCount }, () => (random.uniform() < share ? strength : 0));
  shares[random.integer(slotCount)] = strength;
  return { word: quality, shares };
}
