/** From what was measured to the time that a run is expected to take. */
import type { Measured } from './measure.ts';
import type { PartOfWork } from './expected-work.ts';
import { exactly, product, sumOf, type Range } from './range.ts';

export interface PartOfTime {
  readonly name: string;
  readonly milliseconds: Range;
}

export interface ExpectedTime {
  readonly parts: readonly PartOfTime[];
  readonly total: Range;
}

/**
 * Bounds of counts times bounds of times: least, everything is as short as what was measured on the first steps of a game; most, a
 * decision takes the mean of one at the first step and one at the last that is possible.
 */
export function expectedTime(work: readonly PartOfWork[], measured: Measured): ExpectedTime {
  const { opening, encode, decide, update, score } = measured;
  const rates = {
    decisions: { least: decide.first, most: Math.max(decide.first, (decide.first + decide.last) / 2) },
    pictures: exactly(encode),
    updates: update === null ? exactly(0) : update.each,
    scored: score,
  };
  const parts = work.map((part): PartOfTime => {
    const { decisions, pictures, updates, scored } = part;
    const milliseconds = sumOf([
      product(decisions, rates.decisions),
      product(pictures, rates.pictures),
      product(updates, rates.updates),
      product(scored, rates.scored),
    ]);
    return { name: part.name, milliseconds };
  });
  const all = [{ name: 'opening', milliseconds: exactly(opening) }, ...parts];
  return { parts: all, total: sumOf(all.map(({ milliseconds }) => milliseconds)) };
}
