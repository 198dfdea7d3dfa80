/** Expected duration from measurements. */
import { exactly, product, sumOf, type Expected, type Range } from '@emac/opening';
import type { Measured } from './trials.ts';

export interface PartOfTime {
  readonly name: string;
  readonly milliseconds: Range;
}

export interface ExpectedTime {
  readonly parts: readonly PartOfTime[];
  readonly total: Range;
}

/** Bounds of counts times bounds of times. `name`: of the part that plays or trains. */
export function expectedTime(
  { heldOut, measured: probed, played, learned }: Expected,
  { opening, play, learn, measure, evaluate }: Measured,
  name: string,
): ExpectedTime {
  const around = (when: string): PartOfTime[] =>
    heldOut.episodes === 0
      ? []
      : [
          {
            name: `evaluation ${when}`,
            milliseconds: product(heldOut.steps ?? exactly(heldOut.episodes), evaluate),
          },
        ];
  const parts = [
    { name: 'opening', milliseconds: exactly(opening) },
    ...around('before'),
    ...(probed ? [{ name: 'probe', milliseconds: product(probed.samples, exactly(measure)) }] : []),
    { name, milliseconds: sumOf([product(played, play), product(learned ?? played, exactly(learn))]) },
    ...around('after'),
  ];
  return { parts, total: sumOf(parts.map(({ milliseconds }) => milliseconds)) };
}
