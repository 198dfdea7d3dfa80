/** What came of a run of the Lewis game: numbers before and after, and what was said of one picture. */
import type { FinishedGrpo, LewisEvaluation } from '@emac/experiment';
import { counted } from './amounts.ts';
import { nothing, successText } from './evaluation-report.ts';
import { table } from './table.ts';

/** The folder, and the numbers before and after. */
export function grpoReport({ folder, config, before, after, outcome }: FinishedGrpo): string {
  const { game, role } = config;
  return [
    `run: ${folder}`,
    ...(after || before
      ? [
          table(['', 'before', 'after'], lewisRows([before, after])),
          `lewis, ${counted((after ?? before)!.games.length, 'game')} with concepts and views that training never has, ${game.candidates} candidates; recognition: ${pairWords}`,
          ...(role === 'speaker' ? saidBefore(before, after) : []),
        ]
      : []),
    `training: ${counted(outcome.update, 'update')}, ${counted(outcome.answers, 'answer')}, ${counted(outcome.tokens, 'token')}`,
  ].join('\n');
}

const pairWords = 'right about pairs that show the same, and about others';

/** A row for each number of evaluations, which may be missing. */
export function lewisRows(results: readonly (LewisEvaluation | null)[]): string[][] {
  const row = (name: string, of: (result: LewisEvaluation) => number | null | undefined, digits: number) => [
    name,
    ...results.map((result) => {
      const value = result && of(result);
      return typeof value === 'number' ? value.toFixed(digits) : nothing;
    }),
  ];
  const { format, length, positive, negative } = numbers;
  return [
    ['accuracy', ...results.map(successText)],
    row('format', format, 3),
    row('length reward', length, 3),
    row('recognition, same', positive, 3),
    row('recognition, other', negative, 3),
  ];
}

const numbers = {
  format: ({ identification }: LewisEvaluation) => identification.metrics.format,
  length: ({ identification }: LewisEvaluation) => identification.metrics.length,
  positive: ({ recognition }: LewisEvaluation) => recognition?.metrics.positive_accuracy,
  negative: ({ recognition }: LewisEvaluation) => recognition?.metrics.negative_accuracy,
};

function saidBefore(before: LewisEvaluation | null, after: LewisEvaluation | null): string[] {
  const [one, other] = [before, after].map((result) => result?.identification.results[0]);
  if (!one || !other) return [];
  return [`of ${one.query_path} it said before: ${one.description}`, `and after: ${other.description}`];
}
