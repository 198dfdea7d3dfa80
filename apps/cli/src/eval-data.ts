/** `emac eval --data`: how well a policy answers the prompts of a dataset. */
import { answerDataset, summarizeAnswers, type AnswerSummary, type DatasetResult } from '@emac/trainer';
import type { Student } from '@emac/core';
import { nothing, percent } from './evaluation-table.ts';
import type { Dataset } from './offline-dataset.ts';
import { datasetPrompt } from './offline-text.ts';
import type { Policy } from './policy.ts';
import { policyTexts } from './policy-texts.ts';
import type { Progress } from './progress.ts';
import { table } from './table.ts';

export interface DataEvaluation {
  readonly student: Student;
  readonly policy: Pick<Policy, 'text'>;
  readonly dataset: Dataset;
  readonly checkpoint: string;
  readonly progress: Progress;
}

/** Answers every prompt once. Errors: `data` for a picture that cannot be read. */
export async function evaluateData(evaluation: DataEvaluation): Promise<DatasetResult> {
  const { student, policy, dataset, checkpoint, progress } = evaluation;
  progress.begin('evaluation', dataset.length, { noun: 'sample' });
  const answered = await answerDataset({
    student,
    texts: policyTexts(student, policy.text.maxTokens),
    data: { length: dataset.length, sample: (index) => sampleOf(dataset, index, evaluation) },
    taskType: (index) => dataset.record(index).task_type ?? null,
    onSample: () => progress.advance(),
  });
  return { v: 1, checkpoint, data: dataset.path, ...summarizeAnswers(answered) };
}

async function sampleOf(dataset: Dataset, index: number, { student, policy }: DataEvaluation) {
  const { text_input, text_output } = dataset.record(index);
  return {
    // the student remembers what it has seen: a picture is looked at once
    features: await student.features(await dataset.picture(index).frame()),
    text: datasetPrompt(text_input, policy.text.maxTokens, student),
    output: text_output,
    worse: null,
  };
}

/** The result for people, by task type and in all. */
export function dataText(result: DatasetResult): string {
  const row = (name: string, { samples, exact_match, token_accuracy, bleu, loss }: AnswerSummary) => [
    ...[name, String(samples), share(exact_match), share(token_accuracy)],
    ...[decimal(bleu, 3), decimal(loss, 4)],
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
