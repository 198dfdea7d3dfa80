/** Expected duration of a run from measurements. */
import type { Rehearsal } from '@emac/experiment';
import type { MeasuredUpdates } from './measure-updates.ts';
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
 * Bounds of counts times bounds of times. Least: everything is as short as on the first steps of a game. Most: a
 * decision takes the mean of one at the first and one at the last possible step.
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
  return inAll([{ name: 'opening', milliseconds: exactly(opening) }, ...parts]);
}

/** Updates with two evaluations around them; each part takes as long as measured. */
export function updatesTime(
  { updates, size, passes, heldOut }: Rehearsal,
  { opening, play, learn, evaluate }: MeasuredUpdates,
): ExpectedTime {
  const around = (name: string): PartOfTime[] =>
    heldOut === 0 ? [] : [{ name, milliseconds: product(exactly(heldOut), evaluate) }];
  return inAll([
    { name: 'opening', milliseconds: exactly(opening) },
    ...around('evaluation before'),
    {
      name: 'training',
      milliseconds: product(exactly(updates * size), sumOf([play, exactly(passes * learn)])),
    },
    ...around('evaluation after'),
  ]);
}

function inAll(parts: readonly PartOfTime[]): ExpectedTime {
  return { parts, total: sumOf(parts.map(({ milliseconds }) => milliseconds)) };
}
