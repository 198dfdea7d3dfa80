/** Training on a dataset, from its beginning or from where a checkpoint left it, written into its run. */
import { join } from 'node:path';
import { invariant, type Features } from '@emac/core';
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
import { BadPicture, type Dataset } from './offline-dataset.ts';
import { openFeatureFile, type FeatureFile } from './offline-features.ts';
import { openJudgements } from './offline-judgements.ts';
import { leftOutTexts, openLeftOut, type LeftOutFile, type SetName } from './offline-left-out.ts';
import { datasetPrompt } from './offline-text.ts';
import { publishedLogs } from './published-logs-run.ts';
import { noReplies } from './reply-journal.ts';
import type { Work } from './train-student.ts';

const files = {
  features: `${layout.buffers}/features.bin`,
  judgements: `${layout.buffers}/judgements.bin`,
  leftOut: `${layout.buffers}/left-out.jsonl`,
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
  const left = keptLeftOut(work);
  const reading = { features, left, work };
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
      data: samplesOf('data', data, reading),
      validation: validation && samplesOf('val', validation, reading),
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
  left?.file.close();
}

/** What the run left out so far, and the file for more; null where a bad picture is to end it. */
function keptLeftOut({ plan, run, point, progress: shown }: Work): LeftOutFile | null {
  const { offline, values } = plan;
  invariant(offline !== null, 'keptLeftOut: the plan has no dataset');
  const { leftOut, lengths } = offline;
  if (!point)
    for (const set of ['data', 'val'] as const)
      for (const record of leftOut.records(set)) run.event({ kind: 'left-out', ...record });
  const keep = point?.run.files[files.leftOut];
  // a run that has left records out once goes on so
  if (!values['skip-bad-records'] && !keep) return null;
  const opened = openLeftOut(join(run.folder, files.leftOut), leftOut, keep);
  run.holds(files.leftOut, opened.file);
  if (keep && keep.length > 0) for (const line of leftOutTexts(leftOut, lengths)) shown.note(line);
  return opened;
}

function featureValues({ plan }: Work): number {
  const { config } = plan.model.checkpoint;
  return config.queryTokens * config.qformer.hiddenSize;
}

interface Reading {
  readonly features: FeatureFile;
  /** null where a bad picture is to end the run */
  readonly left: LeftOutFile | null;
  readonly work: Work;
}

function samplesOf(set: SetName, dataset: Dataset, reading: Reading): OfflineData {
  const { student, policy, offline } = reading.work.plan;
  invariant(offline !== null, 'samplesOf: the plan has no dataset');
  const { leftOut, lengths } = offline;
  const tooLong = lengths[set]! - dataset.length;
  return {
    length: dataset.length,
    leftOut: () => leftOut.records(set).length - tooLong,
    async sample(index) {
      if (leftOut.has(set, dataset.number(index))) return null;
      const { text_input, text_output, text_output_neg = null } = dataset.record(index);
      const features = await featuresOf(set, dataset.picture(index), reading);
      return (
        features && {
          features,
          text: datasetPrompt(text_input, policy.text.maxTokens, student),
          output: text_output,
          worse: text_output_neg,
        }
      );
    },
  };
}

/** Null for a picture that cannot be decoded, where such records are left out. */
async function featuresOf(
  set: SetName,
  picture: ReturnType<Dataset['picture']>,
  { features, left, work }: Reading,
): Promise<Features | null> {
  try {
    return await features.of(picture);
  } catch (thrown) {
    if (!(thrown instanceof BadPicture) || !left) throw thrown;
    const { record, reason } = thrown;
    left.add({ set, record, reason });
    work.run.event({ kind: 'left-out', set, record, reason });
    work.progress.note(`left out: ${thrown.message}`);
    return null;
  }
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
