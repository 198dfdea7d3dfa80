/** Training on a dataset, from its beginning or from where a checkpoint left it, written into its run. */
import { join } from 'node:path';
import { invariant } from '@emac/core';
import { failpoint } from '@emac/files';
import { layout, type ResumePoint } from '@emac/runs';
import {
  trainOffline,
  type MetricsLine,
  type OfflineCheckpoint,
  type OfflineData,
  type OfflineMoment,
  type OfflineState,
} from '@emac/trainer';
import { checkpointContent } from './checkpoint-content.ts';
import type { Dataset } from './offline-dataset.ts';
import { openFeatureFile, type FeatureFile } from './offline-features.ts';
import { openJudgements } from './offline-judgements.ts';
import { datasetPrompt } from './offline-text.ts';
import { publishedLogs } from './published-logs-run.ts';
import { noReplies } from './reply-journal.ts';
import type { Work } from './train-student.ts';

const files = {
  features: `${layout.buffers}/features.bin`,
  judgements: `${layout.buffers}/judgements.bin`,
};

/** Trains; adds the measures of the validation set to `probes`. Errors: `interrupted` after a checkpoint. */
export async function trainOnDataset(work: Work, probes: MetricsLine[]): Promise<void> {
  const { plan, run, point, texts, progress: shown, watch, signal } = work;
  const { student, reference, settings, values, offline } = plan;
  invariant(offline !== null, 'trainOnDataset: the plan has no dataset');
  const { data, validation } = offline;
  const at = (name: string) => join(run.folder, name);
  const features = openFeatureFile(at(files.features), {
    ...{ student, values: featureValues(work), keep: point?.run.files[files.features] },
  });
  run.holds(files.features, features.file);
  const keep = point?.run.files[files.judgements];
  const judged = reference && openJudgements(at(files.judgements), data.length, keep);
  if (judged) run.holds(files.judgements, judged.file);
  const resume = point && trainingAt(point);
  const published = publishedLogs({
    ...{ run, games: [], memories: [], state: null, now: work.now },
    ...{ accumulate: settings.accumulate, student },
  });
  const { epoch = 0, taken = 0 } = resume?.state ?? {};
  shown.begin('training', values.epochs * data.length, { done: epoch * data.length + taken, noun: 'sample' });
  await watch.part('training', () =>
    trainOffline({
      ...{ phase: values.phase, settings, epochs: values.epochs, student, reference, texts, signal },
      data: samplesOf(data, features, work),
      validation: validation && samplesOf(validation, features, work),
      ...(judged && { judgements: judged.judgements }),
      random: plan.random.stream('training'),
      metrics: (line) => run.metrics(line),
      report: (event) => {
        if (event.kind === 'probe') probes.push(event.line);
        shown.offline(event);
        published.event(event);
        failpoint(event.kind === 'update' ? 'updating' : 'measuring');
      },
      checkpoint: (moment) => keepMoment(work, moment),
      checkpointEvery: values['checkpoint-every'],
      ...(resume && { resume }),
    }),
  );
  features.close();
  published.close();
  judged?.file.close();
}

function featureValues({ plan }: Work): number {
  const { config } = plan.model.checkpoint;
  return config.queryTokens * config.qformer.hiddenSize;
}

function samplesOf(dataset: Dataset, features: FeatureFile, { plan }: Work): OfflineData {
  const { student, policy } = plan;
  return {
    length: dataset.length,
    async sample(index) {
      const { text_input, text_output, text_output_neg = null } = dataset.record(index);
      return {
        features: await features.of(dataset.picture(index)),
        text: datasetPrompt(text_input, policy.text.maxTokens, student),
        output: text_output,
        worse: text_output_neg,
      };
    },
  };
}

function keepMoment({ plan, run }: Work, { state, optimizer, loss, isExtra }: OfflineMoment): void {
  const { student, policy, model, trainedOn, visionNorm } = plan;
  const identity = { baseModel: model.identity, games: trainedOn };
  const trained = { student, policy, identity, visionNorm, replies: noReplies };
  run.checkpoint(checkpointContent(state.updates, { state, optimizer }, trained), { loss, isExtra });
}

function trainingAt({ checkpoint }: ResumePoint): OfflineCheckpoint {
  const { training, optimizer } = checkpoint.state as {
    readonly training: OfflineState;
    readonly optimizer: { readonly step: number };
  };
  return { state: training, optimizer: { step: optimizer.step, tensors: checkpoint.optimizer! } };
}
