/**
 * Collects play in an environment as an imitation dataset: `train.json` and `val.json` without common episodes, and a picture of each step in `images`.
 * Prompts are the policy's in that environment. Outputs are JSON with thoughts and action of a scripted player with perfect sight, or of a language model
 * with the same view. Episodes use training seeds, which evaluation never uses. The folder appears when complete.
 */
import { EmacError, Random, type OpenedKind } from '@emac/core';
import {
  closingAfter,
  isWorded,
  openKind,
  openStepTeacher,
  noReplies,
  openTeacher,
  plainHost,
  timesOf,
  type Closings,
  type Host,
  type SpentOnLabels,
  type Teacher,
  type Times,
} from '@emac/opening';
import { expertSchema } from '@emac/settings';
import { firstSteps, recorded, resumable } from './collected-steps.ts';
import { environmentCollectionConfig, type EnvironmentCollectionConfig } from './collection-config.ts';
import { requireFitting, settingsOfEnvironment } from './collection-settings.ts';
import { environmentElsewhere, requireForWorkers } from './environment-elsewhere.ts';
import { playLabelled, type LabelledCounts } from './labelled-steps.ts';
import {
  finished,
  inPartFolder,
  requireFree,
  writeFacts,
  type Collection,
  type Finished,
  type PartFolder,
} from './part-folder.ts';
import { writeDemonstrations } from './rlds-output.ts';
import { playedEpisodes } from './played-episodes.ts';
import { unusableLabels } from './unusable-labels.ts';

/** In RLDS form the dataset's path is the folder. */
export interface CollectedEnvironment extends Finished {
  /** deliberately wrong labels */
  readonly noisyLabels: number;
  /** about the labelling language model; absent with scripted labels */
  readonly asked?: LabelledCounts & SpentOnLabels;
  readonly spent: Times['spent'];
}

/**
 * Plays and writes; with a language model, the same call resumes interrupted play and repeats no request. Errors: `cannot-create` if the folder exists or
 * another process collects into it, `interrupted`, `usage`, `config`, `io`; with a language model also `auth`, `missing` and `data`.
 */
export async function collectEnvironment(
  given: Parameters<typeof environmentCollectionConfig>[0],
  host: Host = plainHost(),
): Promise<CollectedEnvironment> {
  const config = environmentCollectionConfig(given, host.environment ?? null);
  requireFitting(config);
  if (host.workers) requireForWorkers(config);
  const times = timesOf(host.now);
  requireFree(config.out);
  const settings = settingsOfEnvironment(config, host.expert ? { code: host.expert.sha256 } : {});
  const asks = config.expert.kind === 'openai';
  const resumes = asks || config.expert.kind === 'human';
  const collection = { out: config.out, settings, resumes, hasPictures: config.format !== 'rlds' };
  return closingAfter(async (open) => {
    // before a folder is created
    const make = await (asks ? labelled : played)(config, { host, times, collection, open });
    const made = await inPartFolder(collection, (part) => times.part('playing', () => make(part)));
    return { ...made, spent: times.spent };
  });
}

interface Collecting {
  readonly host: Host;
  readonly times: Times;
  readonly collection: Collection;
  readonly open: Closings;
}

type Make = (part: PartFolder) => Promise<Omit<CollectedEnvironment, 'spent'>>;

/** By the scripted player, a file or a person. */
async function played(
  config: EnvironmentCollectionConfig,
  { host, collection, open }: Collecting,
): Promise<Make> {
  const { samples, validation, format, out } = config;
  const { env, maxSteps, seed } = config;
  const asks = { env, maxSteps, seed };
  const isInWords = isWorded(env);
  const isAsked = config.expert.kind !== 'scripted';
  const kind = isInWords || isAsked ? await openKind(asks, host.environment ?? null) : null;
  open.add(() => kind?.close?.());
  const opened = isInWords ? kind : null;
  if (opened?.dialogue) requireMessages(config);
  const teacher = kind && isAsked ? await teacherOf(config, host, kind) : null;
  open.add(() => teacher?.dispose());
  const unusable = unusableLabels(host.listener);
  open.add(() => unusable.tell());
  const players = { ...host, opened, expert: teacher?.expert ?? null, hear: unusable.hear };
  const elsewhere = host.workers
    ? environmentElsewhere(config, { ...host, workers: host.workers }, collection)
    : null;
  const steps = elsewhere?.steps ?? (() => firstSteps(samples, playedEpisodes(config, players)));
  return async (part) => {
    teacher?.keepReplies(part.replies, noReplies);
    host.listener?.begin?.('collecting', samples, { noun: 'sample' });
    open.add(() => host.listener?.end?.());
    if (format === 'rlds') {
      const counts = await writeDemonstrations(config, { host, folder: part.path }, steps);
      writeFacts(part, collection.settings, counts);
      part.whole();
      await elsewhere?.forget();
      const { training, validation: held, ...rest } = counts;
      return { dataset: out, validation: null, samples: { training, validation: held }, ...rest };
    }
    let count = 0;
    const counting = {
      ...host,
      listener: { ...host.listener, advance: () => (count++, host.listener?.advance?.()) },
    };
    const { noisyLabels, ...played } = await recorded(steps(), validation, { host: counting, ...part }).catch(
      (thrown: unknown) => {
        const made = `${count} of ${samples} samples`;
        throw collection.resumes ? resumable(thrown, host, { made, expert: config.expert }) : thrown;
      },
    );
    const made = finished(collection, part, { ...played, counts: { noisyLabels }, form: config.form });
    await elsewhere?.forget();
    return { ...made, noisyLabels };
  };
}

/** Errors: `usage` for records that hold texts alone, where answers call tools. */
function requireMessages({ env, form }: EnvironmentCollectionConfig): void {
  if (form !== 'published') return;
  throw new EmacError(
    'usage',
    `--form: published records hold texts, and ${env} is answered with calls of tools; give --form messages or --form prompt-completion`,
  );
}

/** A file or a person who labels. Errors: `usage` without a person. */
function teacherOf(
  { expert, seed }: EnvironmentCollectionConfig,
  host: Host,
  kind: OpenedKind,
): Promise<Teacher> {
  const random = Random.fromSeed(seed).stream('collect').stream('labels');
  const given = expertSchema.parse({ kind: expert.kind, module: expert.module });
  return openTeacher(given, host, { random, kind });
}

async function labelled(
  config: EnvironmentCollectionConfig,
  { host, times, collection, open }: Collecting,
): Promise<Make> {
  const random = Random.fromSeed(config.seed).stream('collect').stream('retries');
  const { languageModel } = config.expert;
  const teacher = await times.part('opening', () => openStepTeacher(languageModel, host, random));
  open.add(() => teacher.dispose());
  return async (part) => {
    for (const note of teacher.notes) host.listener?.note?.(note);
    teacher.keepReplies(part.replies);
    host.listener?.begin?.('collecting', config.samples, { noun: 'step' });
    open.add(() => host.listener?.end?.());
    const played = await playLabelled(config, { host, teacher, ...part });
    const { cost, ...counts } = { ...played.counts, ...teacher.spent() };
    const made = finished(collection, part, { ...played, counts, form: config.form });
    return { ...made, noisyLabels: 0, asked: { ...counts, cost } };
  };
}
