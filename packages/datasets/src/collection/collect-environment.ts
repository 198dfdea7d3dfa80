/**
 * Collects play in an environment as an imitation dataset: `train.json` and `val.json` without common episodes, and a picture of each step in `images`.
 * Prompts are the policy's in that environment. Outputs are JSON with thoughts and action of a scripted player with perfect sight, or of a language model
 * with the same view. Episodes use training seeds, which evaluation never uses. The folder appears when complete.
 */
import { EmacError, Random, type OpenedKind } from '@emac/core';
import {
  closingAfter,
  isWorded,
  localWorld,
  openKind,
  openStepTeacher,
  openTeacher,
  plainHost,
  timesOf,
  type Closings,
  type Host,
  type SpentOnLabels,
  type Times,
} from '@emac/opening';
import { expertSchema } from '@emac/settings';
import { recordsElsewhere, storePlan, workedRun } from '@emac/workers';
import { firstSteps, recorded } from './collected-steps.ts';
import { environmentCollectionConfig, type EnvironmentCollectionConfig } from './collection-config.ts';
import {
  collectionName,
  episodeSettings,
  requireFitting,
  settingsOfEnvironment,
} from './collection-settings.ts';
import { episodesOf } from './episode-form.ts';
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
import { requirePlayer, scriptedEpisodes } from './scripted-episodes.ts';

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
  const collection = { out: config.out, settings, resumes: asks, hasPictures: config.format !== 'rlds' };
  return closingAfter(async (open) => {
    // before a folder is created
    const make = await (asks ? labelled : scripted)(config, { host, times, collection, open });
    const made = await inPartFolder(collection, (part) => times.part('playing', () => make(part)));
    return { ...made, spent: times.spent };
  });
}

/** Errors: `usage`. */
function requireForWorkers({ env, expert }: EnvironmentCollectionConfig): void {
  const refuse = (rule: string): never => {
    throw new EmacError('usage', `--queue: ${rule}; leave --queue out`);
  };
  if (isWorded(env))
    refuse(`workers collect in environments with numbered actions only, got ${env}, whose actions are words`);
  if (expert.kind === 'openai') refuse('workers cannot ask --expert openai, whose labels are the actions');
}

interface Collecting {
  readonly host: Host;
  readonly times: Times;
  readonly collection: Collection;
  readonly open: Closings;
}

type Make = (part: PartFolder) => Promise<Omit<CollectedEnvironment, 'spent'>>;

async function scripted(
  config: EnvironmentCollectionConfig,
  { host, collection, open }: Collecting,
): Promise<Make> {
  const { samples, validation, format, out } = config;
  const { env, maxSteps, seed } = config;
  const asks = { env, maxSteps, seed };
  const kind = isWorded(env) ? await openKind(asks, host.environment ?? null) : null;
  open.add(() => kind?.close?.());
  if (kind?.dialogue) requireMessages(config);
  const opened = kind && (await withPlayer(kind, config, host));
  const elsewhere = host.workers ? elsewhereOf(config, { ...host, workers: host.workers }, collection) : null;
  const steps = elsewhere?.steps ?? (() => firstSteps(samples, scriptedEpisodes(config, opened, host)));
  return async (part) => {
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
    const { noisyLabels, ...played } = await recorded(steps(), validation, { host, ...part });
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

/** The environment with the expert that labels, which is its own player or a file. Errors: `usage` without one. */
async function withPlayer(
  kind: OpenedKind,
  { expert, seed }: EnvironmentCollectionConfig,
  host: Host,
): Promise<OpenedKind> {
  if (expert.kind !== 'module') return { ...kind, player: requirePlayer(kind) };
  const random = Random.fromSeed(seed).stream('collect').stream('labels');
  const given = expertSchema.parse({ kind: expert.kind, module: expert.module });
  return { ...kind, player: (await openTeacher(given, host, { random, kind })).expert };
}

/** Episodes played by workers. */
function elsewhereOf(
  config: EnvironmentCollectionConfig,
  host: Host & { readonly workers: NonNullable<Host['workers']> },
  { out, settings }: Collection,
) {
  const { workers } = host;
  const plan = storePlan(workers.folder, {
    plays: 'records',
    config: episodeSettings(config),
    policy: { identity: null, computing: null },
    host: {},
  });
  const run = collectionName(out, settings);
  const worked = workedRun({ workers, run, plan, start: null, task: config.env, host });
  const asked = { form: episodesOf(config), samples: config.samples, ...sizesOf(config) };
  return { steps: () => recordsElsewhere(worked, asked), forget: worked.forget };
}

/** A robot's episode takes seconds, another's milliseconds. */
function sizesOf({ env, maxSteps, samples }: EnvironmentCollectionConfig) {
  const { moved } = localWorld(env);
  if (moved)
    return { together: 1, firstTurn: Math.ceil(samples / Math.min(maxSteps ?? Infinity, moved.maxSteps)) };
  return { together: 16, firstTurn: Math.min(8, Math.ceil(samples / 256)) };
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
