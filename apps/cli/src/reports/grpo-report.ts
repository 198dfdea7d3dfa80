/** Report of a GRPO run: numbers before and after; for the Lewis game the answers to one picture. */
import type { FinishedGrpo, LewisEvaluation } from '@emac/experiment';
import type { EvaluationResult } from '@emac/rollout';
import { counted } from '../terminal/amounts.ts';
import { nothing, stepsText, successText } from './evaluation-report.ts';
import { table } from '../terminal/table.ts';

/** The folder, and the numbers before and after. */
export function grpoReport(run: FinishedGrpo): string {
  const { folder, before, after, outcome } = run;
  return [
    `run: ${folder}`,
    ...(isLewis(before) && isLewis(after) ? lewisLines(run.config, before, after) : playedLines(run)),
    `training: ${counted(outcome.update, 'update')}, ${counted(outcome.answers, 'answer')}, ${counted(outcome.tokens, 'token')}`,
  ].join('\n');
}

/** True also without an evaluation. */
function isLewis(result: EvaluationResult | null): result is LewisEvaluation | null {
  return result === null || 'identification' in result;
}

function lewisLines(
  { game, role }: FinishedGrpo['config'],
  before: LewisEvaluation | null,
  after: LewisEvaluation | null,
): string[] {
  const result = after ?? before;
  if (result === null) return [];
  return [
    table(['', 'before', 'after'], lewisRows([before, after])),
    `lewis, ${counted(result.games.length, 'game')} with held-out concepts and views, ${game.candidates} candidates; recognition: ${pairWords}`,
    ...(role === 'speaker' ? saidBefore(before, after) : []),
  ];
}

function playedLines({ config, before, after }: FinishedGrpo): string[] {
  const episodes = (after ?? before)?.games.length ?? 0;
  return [
    table(
      ['', 'before', 'after'],
      [
        ['success', successText(before), successText(after)],
        ['mean steps', stepsText(before), stepsText(after)],
      ],
    ),
    `${config.env}, ${counted(episodes, 'episode')} of held-out tasks, greedy`,
  ];
}

const pairWords = 'accuracy on matching and on other pairs';

/** A row for each number of the evaluations; either may be missing. */
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
  return [`description of ${one.query_path} before: ${one.description}`, `after: ${other.description}`];
}
