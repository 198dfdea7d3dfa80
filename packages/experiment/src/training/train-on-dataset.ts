/** Trains on a dataset, from the start or a checkpoint, and writes the run. */
import { checkpointDue } from '../life/checkpoint-due.ts';
import { join } from 'node:path';
import {
  trainOffline,
  type MetricsLine,
  type OfflineData,
  type OfflineMoment,
  type OfflineState,
} from '@emac/algorithms';
import { visionOf } from '@emac/backbone';
import { invariant, promptOf, type Features, type Prompt } from '@emac/core';
import {
  actionSpeaker,
  BadPicture,
  datasetPrompt,
  givenPictures,
  leftOutTexts,
  openFeatureFile,
  openJudgements,
  openLeftOut,
  outputTexts,
  saidSample,
  type Dataset,
  type FeatureFile,
  type LeftOutFile,
  type SetName,
} from '@emac/datasets';
import { failpoint } from '@emac/files';
import { closingAfter, noReplies, type Closings } from '@emac/opening';
import { layout } from '@emac/runs';
import { trainingAt } from '../checkpoint/training-state.ts';
import { publishedLogs } from '../logs/published-logs-run.ts';
import { learningPolicy, measuresOf } from './sharded-policy.ts';
import type { Work } from './training-workers.ts';

const files = {
  features: `${layout.buffers}/features.bin`,
  judgements: `${layout.buffers}/judgements.bin`,
  leftOut: `${layout.buffers}/left-out.jsonl`,
};

/** Trains; adds the measures of the validation set to `probes`. Errors: `interrupted` after a checkpoint. */
export function trainOnDataset(work: Work, probes: MetricsLine[]): Promise<OfflineState> {
  return closingAfter((open) => trained(work, probes, open));
}

async function trained(work: Work, probes: MetricsLine[], open: Closings): Promise<OfflineState> {
  const { plan, run, point, host, times } = work;
  const { student, reference, settings, offline, config } = plan;
  invariant(offline && config.dataset, 'trainOnDataset: the plan has no dataset');
  const { data, validation } = offline;
  const { epochs, checkpointEvery } = config.dataset;
  const at = (name: string) => join(run.folder, name);
  const kept = point?.run.files;
  const features = student.encode
    ? openFeatureFile(at(files.features), {
        policy: { encode: student.encode },
        values: featureValues(work),
        keep: kept?.[files.features],
      })
    : null;
  open.add(() => features?.close());
  if (features) run.holds(files.features, features.file);
  const judged = reference && openJudgements(at(files.judgements), data.length, kept?.[files.judgements]);
  if (judged) run.holds(files.judgements, judged.file);
  const left = keptLeftOut(work);
  for (const each of [judged, left]) open.add(() => each?.file.close());
  const reading = { features, left, work };
  const resume = point && trainingAt<OfflineState>(point);
  const published = logsOfUpdates(work);
  open.add(() => published.close());
  const { epoch = 0, taken = 0 } = resume?.state ?? {};
  const done = epoch * data.length + taken;
  host.listener?.begin?.('training', epochs * data.length, { done, noun: 'sample' });
  return times.part('training', () =>
    trainOffline({
      phase: config.phase,
      method: plan.method,
      settings,
      epochs,
      policy: learningPolicy(work),
      reference: reference && reference.policy,
      data: samplesOf('data', data, reading),
      validation: validation && samplesOf('val', validation, reading),
      rows: config.model.rows,
      random: plan.random.stream('training'),
      metrics: measuresOf(work),
      report: (event) => {
        if (event.kind === 'probe') probes.push(event.line);
        host.listener?.offline?.(event);
        published.event(event);
        failpoint(event.kind === 'update' ? 'updating' : 'measuring');
      },
      checkpoint: (moment) => keepMoment(work, moment),
      isDue: checkpointDue(checkpointEvery, host),
      ...(judged && { judgements: judged.judgements }),
      ...(host.signal && { signal: host.signal }),
      ...(resume && { resume }),
    }),
  );
}

/** The published logs of a run that plays no games: its updates alone. */
function logsOfUpdates({ plan, run, host }: Work) {
  const { batchSize } = plan.settings.optimization;
  const microStepsOf = ({ samples }: MetricsLine) => Math.ceil(Number(samples) / batchSize);
  const nothingPlayed = { games: [], memories: [], episodesPerUpdate: 1, state: null };
  return publishedLogs({ ...nothingPlayed, run, microStepsOf, policy: plan.student, now: host.now });
}

/** The run's skipped records so far, and the file for more; null if a bad picture must end it. */
function keptLeftOut({ plan, run, point, host }: Work): LeftOutFile | null {
  const { offline, config } = plan;
  invariant(offline && config.dataset, 'keptLeftOut: the plan has no dataset');
  const { leftOut, lengths } = offline;
  if (!point)
    for (const set of ['data', 'val'] as const)
      for (const record of leftOut.records(set)) run.event({ kind: 'left-out', ...record });
  const keep = point?.run.files[files.leftOut];
  // a run that has skipped records once keeps skipping
  if (!config.dataset.skipBadRecords && !keep) return null;
  const opened = openLeftOut(join(run.folder, files.leftOut), leftOut, keep);
  run.holds(files.leftOut, opened.file);
  if (keep && keep.length > 0) for (const line of leftOutTexts(leftOut, lengths)) host.listener?.note?.(line);
  return opened;
}

function featureValues({ plan }: Work): number | null {
  const { files } = plan.language!.model;
  return visionOf(files).connector(files).featureValues;
}

interface Reading {
  /** null for a model that reads text alone */
  readonly features: FeatureFile | null;
  /** null if a bad picture must end the run */
  readonly left: LeftOutFile | null;
  readonly work: Work;
}

function samplesOf(set: SetName, dataset: Dataset, reading: Reading): OfflineData {
  const { student, form, offline } = reading.work.plan;
  invariant(offline, 'samplesOf: the plan has no dataset');
  const { student: writer } = reading.work.plan.language!;
  const { leftOut, lengths } = offline;
  const tooLong = lengths[set]! - dataset.length;
  const seeing = { ...form.text, needsPicture: writer.needsPicture };
  const spoken = actionSpeaker(reading.work.plan.language!, dataset.path);
  return {
    length: dataset.length,
    begins: dataset.begins,
    leftOut: () => leftOut.records(set).length - tooLong,
    async sample(index) {
      if (leftOut.has(set, dataset.number(index))) return null;
      const record = dataset.record(index);
      const { text_output, text_output_neg = null } = record;
      const { target } = outputTexts(record);
      const seen = await seenOf(set, () => givenPictures(dataset, index, seeing), reading);
      if (record.said) {
        const { label } = record.said;
        if (!seen) return null;
        const how = { turns: offline.turns, limit: offline.limit, pictures: seen.length };
        const { prompt, ...answers } = saidSample(record.said, writer, how);
        return { prompt: [...shown(seen), prompt], ...answers, label };
      }
      return (
        seen && {
          prompt: promptOf(seen, datasetPrompt(record, form.text, student)),
          output: record.action ? spoken(record, record.action) : target(text_output),
          worse: text_output_neg === null ? null : target(text_output_neg),
        }
      );
    },
  };
}

function shown(seen: readonly Features[]): Prompt {
  return seen.map((features) => ({ kind: 'image', features }) as const);
}

/** The model's features of pictures, none for a model that reads text alone; null for an undecodable picture, if such records are skipped. */
async function seenOf(
  set: SetName,
  pictures: () => ReturnType<Dataset['pictures']>,
  { features, left, work }: Reading,
): Promise<readonly Features[] | null> {
  if (!features) return [];
  try {
    const seen: Features[] = [];
    for (const picture of pictures()) seen.push(await features.of(picture));
    return seen;
  } catch (thrown) {
    if (!(thrown instanceof BadPicture) || !left) throw thrown;
    const { record, reason } = thrown;
    left.add({ set, record, reason });
    work.run.event({ kind: 'left-out', set, record, reason });
    work.host.listener?.note?.(`skipped: ${thrown.message}`);
    return null;
  }
}

function keepMoment(work: Work, { state, optimizer, loss, isExtra }: OfflineMoment): void {
  work.run.checkpoint(work.plan.content(state.updates, { state, optimizer }, noReplies), { loss, isExtra });
}
