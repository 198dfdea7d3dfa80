/** Charts that grow with a run. */
import { Chart, colourOf } from '@emac/pages';
import type { MetricsLine } from '../tab/messages.ts';

interface Curve {
  readonly title: string;
  /** of a metrics line; null: the line has no such value */
  readonly value: (line: MetricsLine) => number | null;
}

const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);

const curves: readonly Curve[] = [
  {
    title: 'Success in training',
    value: ({ success, won, games }) => numberOf(success) ?? share(won, games),
  },
  { title: 'Mean return', value: ({ mean_return }) => numberOf(mean_return) },
  {
    title: 'Loss',
    value: ({ kind, loss, policy_loss }) =>
      kind === 'update' ? (numberOf(loss) ?? numberOf(policy_loss)) : null,
  },
];

function share(won: unknown, games: unknown): number | null {
  return typeof won === 'number' && typeof games === 'number' ? won / games : null;
}

interface CurvesProps {
  /** folder of the run */
  readonly run: string;
  readonly lines: readonly MetricsLine[];
}

/** A chart for each curve that has a value. */
export function Curves({ run, lines }: CurvesProps) {
  const colour = colourOf(run.split('/').at(-1)!);
  return (
    <section id="charts" aria-label="Charts">
      {curves.flatMap(({ title, value }) => {
        const points = lines.flatMap((line) => {
          const found = value(line);
          return found === null ? [] : [{ update: numberOf(line['update']), found }];
        });
        if (points.length === 0) return [];
        const x = points.map(({ update }, place) => update ?? place);
        const values = points.map(({ found }) => found);
        return [<Chart key={title} title={title} x={x} lines={[{ name: title, colour, values }]} />];
      })}
    </section>
  );
}
