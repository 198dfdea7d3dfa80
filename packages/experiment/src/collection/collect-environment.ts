/**
 * Play in an environment that becomes a dataset for imitation: `train.json` and `val.json`, which share no episode, and a picture of each
 * step in `images`. A prompt is what the policy reads in that environment, an output the JSON with thoughts and action of a scripted player who
 * sees right, or of a language model that sees the same. Episodes have seeds of training, which evaluation never has. The folder appears when it is whole.
 */
import { join } from 'node:path';
import { Random } from '@emac/core';
import { canonicalJson, writeFileAtomic } from '@emac/files';
import {
  collectionSettings,
  environmentCollectionConfig,
  requireFitting,
  type EnvironmentCollectionConfig,
} from '../config/environment-collection-config.ts';
import { openStepTeacher, type SpentOnLabels } from '../expert/step-teacher.ts';
import { timesOf, type Host, type Times } from '../host.ts';
import { plainHost } from '../training/train.ts';
import { playLabelled, type LabelledCounts } from './labelled-steps.ts';
import { inPartFolder, requireFree, type PartFolder } from './part-folder.ts';
import type { PlayedSteps } from './played-steps.ts';
import { isRobotId } from '../reinforcement/robots.ts';
import { playDemonstrations } from './robot-steps.ts';
import { playScripted } from './scripted-steps.ts';

export interface CollectedEnvironment {
  /** paths of the datasets; null where no episode fell to validation */
  readonly dataset: string;
  readonly validation: string | null;
  readonly samples: { readonly training: number; readonly validation: number };
  readonly episodes: number;
  /** labels that are not the scripted player's, on purpose */
  readonly noisyLabels: number;
  /** of the language model that labelled; absent with scripted labels */
  readonly asked?: LabelledCounts & SpentOnLabels;
  readonly spent: Times['spent'];
}

/**
 * Plays and writes; with a language model the same call goes on with play that was stopped, and asks nothing again. Errors: `cannot-create`
 * where the folder is there or another process collects into it, `interrupted`, `usage`, `config`, `io`; of a language model `auth`, `missing` and `data`.
 */
export async function collectEnvironment(
  given: Parameters<typeof environmentCollectionConfig>[0],
  host: Host = plainHost(),
): Promise<CollectedEnvironment> {
  const config = environmentCollectionConfig(given);
  requireFitting(config);
  const times = timesOf(host.now);
  requireFree(config.out);
  const collect = config.expert.kind === 'openai' ? labelled : scripted;
  const collected = await collect(config, { host, times });
  return { ...collected, spent: times.spent };
}

interface Collecting {
  readonly host: Host;
  readonly times: Times;
}

type Made = Omit<CollectedEnvironment, 'spent'>;

function scripted(config: EnvironmentCollectionConfig, { host, times }: Collecting): Promise<Made> {
  const play = isRobotId(config.env) ? playDemonstrations : playScripted;
  return inPartFolder(config, async (part) => {
    const { counts, ...played } = await times.part('playing', () =>
      told(host, [config.samples, 'sample'], () => play(config, { host, ...part })),
    );
    return { ...finished(config, part, { ...played, counts }), ...counts };
  });
}

async function labelled(config: EnvironmentCollectionConfig, { host, times }: Collecting): Promise<Made> {
  const { languageModel } = config.expert;
  const random = Random.fromSeed(config.seed).stream('collect').stream('retries');
  const teacher = await times.part('opening', () => openStepTeacher(languageModel, host, random));
  try {
    return await inPartFolder(config, async (part) => {
      for (const note of teacher.notes) host.listener?.note?.(note);
      teacher.keepReplies(part.replies);
      const played = await times.part('playing', () =>
        told(host, [config.samples, 'step'], () => playLabelled(config, { host, teacher, ...part })),
      );
      const { cost, ...counts } = { ...played.counts, ...teacher.spent() };
      const made = finished(config, part, { ...played, counts });
      return { ...made, noisyLabels: 0, asked: { ...counts, cost } };
    });
  } finally {
    teacher.dispose();
  }
}

async function told<T>(
  { listener }: Host,
  [total, noun]: readonly [total: number, noun: string],
  work: () => Promise<T>,
): Promise<T> {
  listener?.begin?.('collecting', total, { noun });
  try {
    return await work();
  } finally {
    listener?.end?.();
  }
}

const names = { training: 'train.json', validation: 'val.json', facts: 'collection.json' };

/** Writes the datasets and how they were made, and gives the folder its name. */
function finished(
  config: EnvironmentCollectionConfig,
  part: PartFolder,
  { training, validation, episodes, counts }: PlayedSteps<object>,
): Omit<Made, 'noisyLabels'> {
  const { out } = config;
  const write = (name: string, text: string) => writeFileAtomic(join(part.path, name), text);
  const samples = { training: training.length, validation: validation.length };
  write(names.training, textOf(training));
  if (validation.length > 0) write(names.validation, textOf(validation));
  const made = { ...samples, episodes, ...counts };
  write(names.facts, `${canonicalJson({ settings: collectionSettings(config), made }, 2)}\n`);
  part.whole();
  return {
    dataset: join(out, names.training),
    validation: validation.length > 0 ? join(out, names.validation) : null,
    samples,
    episodes,
  };
}

/** A list with a line for each record. */
function textOf(records: readonly object[]): string {
  return `[\n${records.map((record) => JSON.stringify(record)).join(',\n')}\n]\n`;
}
