/** How well a policy answers the prompts of a dataset. */
import { EmacError, promptOf, type Features, type Policy } from '@emac/core';
import {
  datasetPrompt,
  givenPictures,
  outputTexts,
  requireLengths,
  saidSample,
  type Dataset,
  type SeenPicture,
} from '@emac/datasets';
import { canonicalJson, writeFileAtomic } from '@emac/files';
import type { Student } from '@emac/model';
import { parallelOf, stopIfAsked, type EvaluatedPolicy, type Host } from '@emac/opening';
import { answerDataset, summarizeAnswers, type DatasetResult } from '@emac/rollout';
import type { EvaluationConfig } from '@emac/settings';
import { openResultPlace } from './result-place.ts';

export interface DataEvaluation {
  readonly opened: { readonly student: Student; readonly form: EvaluatedPolicy['form'] };
  readonly dataset: Dataset;
  /** writes first files into a folder */
  readonly prepare?: ((folder: string) => void) | undefined;
  readonly host: Pick<Host, 'listener' | 'signal'>;
}

/** Answers every prompt once. Errors: `interrupted`; `cannot-create`; `data` for a picture that cannot be read or a record that is too long. */
export async function evaluateData(
  config: EvaluationConfig,
  evaluation: DataEvaluation,
): Promise<DatasetResult> {
  const { opened, dataset, prepare, host } = evaluation;
  const { student: policy, form } = opened;
  const out = config.out === null ? null : openResultPlace(config.out);
  try {
    out?.clear();
    await requireLengths(dataset, { policy, ...form, pairs: false, turns: 'last', limit: null });
    if (out?.folder != null) prepare?.(out.folder);
    host.listener?.begin?.('evaluation', dataset.length, { noun: 'sample' });
    const answered = await answerDataset({
      policy,
      sampling: { kind: 'search', beams: form.generation.beams },
      length: dataset.length,
      sample: (index) => sampleOf(index, evaluation),
      taskType: (index) => dataset.record(index).task_type ?? null,
      parallel: config.parallelEpisodes ?? parallelOf(policy),
      onSample: () => host.listener?.advance?.(),
    });
    const result = {
      v: 1,
      checkpoint: config.ckpt,
      data: dataset.path,
      ...summarizeAnswers(answered),
    } as const;
    if (out !== null) writeFileAtomic(out.file, `${canonicalJson(result, 2)}\n`);
    out?.finish();
    return result;
  } catch (thrown) {
    out?.abandon();
    throw thrown;
  }
}

async function sampleOf(index: number, { opened, dataset, host }: DataEvaluation) {
  const { student: policy, form } = opened;
  stopIfAsked(host.signal);
  const record = dataset.record(index);
  if (record.action)
    throw new EmacError(
      'usage',
      `${dataset.path}: record ${dataset.number(index)}: must be text, got a robot's action; evaluate with --env`,
    );
  // the policy caches features, so each picture is encoded once
  const seen = policy.encode
    ? await encoded(givenPictures(dataset, index, { ...form.text, needsPicture: policy.needsPicture }), {
        encode: policy.encode,
      })
    : [];
  if (record.said) {
    if (record.said.before === '' && typeof record.said.after === 'string')
      throw new EmacError(
        'usage',
        `${dataset.path}: record ${dataset.number(index)}: has no prompt to answer, only a text; evaluate on messages, or on prompt and completion`,
      );
    const { prompt, output } = saidSample(record.said, policy, {
      turns: 'last',
      limit: null,
      pictures: seen.length,
    });
    const images = seen.map((features) => ({ kind: 'image', features }) as const);
    return {
      prompt: [...images, prompt],
      scored: output,
      output: record.text_output,
      ...outputTexts(record),
    };
  }
  const prompt = promptOf(seen, datasetPrompt(record, form.text, policy));
  return { prompt, output: record.text_output, ...outputTexts(record) };
}

async function encoded(
  pictures: readonly SeenPicture[],
  { encode }: { readonly encode: NonNullable<Policy['encode']> },
): Promise<Features[]> {
  const seen: Features[] = [];
  for (const { frame } of pictures) seen.push(await encode(await frame()));
  return seen;
}
