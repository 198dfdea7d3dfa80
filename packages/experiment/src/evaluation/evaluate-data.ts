/** How well a policy answers the prompts of a dataset. */
import { EmacError, promptOf } from '@emac/core';
import { datasetPrompt, givenPicture, outputTexts, type Dataset } from '@emac/datasets';
import type { Student } from '@emac/model';
import { stopIfAsked, type Host, type PolicyForm } from '@emac/opening';
import { answerDataset, summarizeAnswers, type DatasetResult } from '@emac/rollout';

export interface DataEvaluation {
  readonly policy: Student;
  readonly form: Pick<PolicyForm, 'text' | 'generation'>;
  readonly dataset: Dataset;
  readonly checkpoint: string;
  /** prompts answered together, at most */
  readonly parallel: number;
  readonly host: Pick<Host, 'listener' | 'signal'>;
}

/** Answers every prompt once. Errors: `interrupted`; `data` for a picture that cannot be read. */
export async function evaluateData(evaluation: DataEvaluation): Promise<DatasetResult> {
  const { policy, form, dataset, checkpoint, parallel, host } = evaluation;
  const { length } = dataset;
  host.listener?.begin?.('evaluation', length, { noun: 'sample' });
  const answered = await answerDataset({
    policy,
    sampling: { kind: 'search', beams: form.generation.beams },
    length,
    sample: (index) => sampleOf(index, evaluation),
    taskType: (index) => dataset.record(index).task_type ?? null,
    parallel,
    onSample: () => host.listener?.advance?.(),
  });
  return { v: 1, checkpoint, data: dataset.path, ...summarizeAnswers(answered) };
}

async function sampleOf(index: number, { policy, form, dataset, host }: DataEvaluation) {
  stopIfAsked(host.signal);
  const record = dataset.record(index);
  if (record.action)
    throw new EmacError(
      'usage',
      `${dataset.path}: record ${dataset.number(index)}: must be text, got a robot's action; evaluate with --env`,
    );
  // the policy caches features, so each picture is encoded once
  const seen = policy.encode
    ? [await policy.encode(await givenPicture(dataset, index, form.text).frame())]
    : [];
  const prompt = promptOf(seen, datasetPrompt(record, form.text, policy));
  return { prompt, output: record.text_output, ...outputTexts(record) };
}
