/**
 * Rows to learn from, made of plays, in the three forms in which a student may observe (`prompt`'s `observe`): with
 * the text alone all commands of a play are learned at once; with a frame beside the text the last observation is also
 * learned, which the frame shows; with the frame alone a row teaches only the command that follows that frame.
 */
import type { Random } from '@emac/core';
import { observedHistory } from '@emac/prompt';
import type { Row, RowTurn } from './encoded-row.ts';
import type { Play, Quality } from './plays.ts';
import { emptySlot, slotCount, slotsOf, type Slot } from './slots.ts';

export interface RowOptions {
  /** rows with the frame alone, of one play in that form */
  readonly imageRows: number;
}

/** The rows of one play, in a form that is drawn. */
export function rowsOf(play: Play, random: Random, { imageRows }: RowOptions): Row[] {
  const form = random.uniform();
  if (form < 0.3) return [textRow(play, random)];
  if (form < 0.55) return [bothRow(play, random)];
  const candidates = play.turns.flatMap(({ learned }, index) => (learned ? [index] : []));
  return random
    .shuffle(candidates)
    .slice(0, imageRows)
    .map((turn) => imageRow(play, turn, random));
}

const empty = new Array<Slot>(slotCount).fill(emptySlot);

/** In most rows the slots are empty, in some they show what has nothing to do with the text. */
function textRow(play: Play, random: Random): Row {
  const slots = random.uniform() < 0.8 ? empty : slotsOf(random.pick(play.seen));
  return {
    slots,
    quality: qualityOf(play.quality, random),
    initial: play.initial,
    turns: play.turns.map((turn) => ({ ...turn, told: 'observation' as const })),
  };
}

/** The play up to some turn, whose observation the frame shows, and the command that follows. */
function bothRow(play: Play, random: Random): Row {
  const last = random.integer(play.turns.length);
  const turns = play.turns.slice(0, last + 1).map((turn, index): RowTurn => {
    if (index === last) return { ...turn, told: 'none' };
    return { ...turn, told: index === last - 1 ? 'reading' : 'observation' };
  });
  return {
    slots: slotsOf(play.seen[last]!),
    quality: qualityOf(play.quality, random),
    initial: play.initial,
    turns: [...turns.slice(0, -1), { ...turns[last]!, observation: '' }],
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
  const strength = 0.5 + random.uniform();
  const share = random.uniform() < 0.6 ? 1 : random.uniform();
  const shares = Array.from({ length: slotCount }, () => (random.uniform() < share ? strength : 0));
  shares[random.integer(slotCount)] = strength;
  return { word: quality, shares };
}
