/** How well a policy answered the prompts of a dataset. */
import type { AnswerSummary, DatasetResult } from '@emac/rollout';
import { percent } from '@emac/pages/data';
import { nothing } from './evaluation-report.ts';
import { table } from '../terminal/table.ts';

/** The result for people, by task type and in all. */
export function datasetText(result: DatasetResult): string {
  const row = (name: string, { samples, exact_match, token_accuracy, bleu, loss }: AnswerSummary) => [
    name,
    String(samples),
    share(exact_match),
    share(token_accuracy),
    decimal(bleu, 3),
    decimal(loss, 4),
  ];
  const rows = Object.entries(result.by_task_type).map(([type, summary]) => row(type, summary));
  const head = ['task type', 'samples', 'exact match', 'token accuracy', 'BLEU', 'loss'];
  return table(head, [...rows, row('all', result)]);
}

function share(ratio: number | null): string {
  return ratio === null ? nothing : percent(ratio);
}

function decimal(value: number | null, digits: number): string {
  return value === null ? nothing : value.toFixed(digits);
}
