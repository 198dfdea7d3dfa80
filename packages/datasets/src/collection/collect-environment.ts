/**
 * Collects play in an environment as an imitation dataset: `train.json` and `val.json` without common episodes, and a picture of each step in `images`.
 * Prompts are the policy's in that environment. Outputs are JSON with thoughts and action of a scripted player with perfect sight, or of a language model
 * with the same view. Episodes use training seeds, which evaluation never uses. The folder appears when complete.
 */
import { EmacError, Random } from '@emac/core';
import {
  isWorded,
  kindOf,
  localWorld,
  openStepTeacher,
  plainHost,
  requireAsked,
  timesOf,
  type Host,
  type SpentOnLabels,
  type Times,
} from '@emac/opening';
import { recordsElsewhere, storePlan, workedRun, type EpisodeForm } from '@emac/workers';
import { collectionName } from './collection-elsewhere.ts';
import {
  collectionSettings,
  environmentCollectionConfig,
  requireFitting,
  type EnvironmentCollectionConfig,
} from './environment-collection-config.ts';
import { demonstratedForm, episodeSettings, scriptedForm } from './episode-forms.ts';
import { playLabelled, type LabelledCounts } from './labelled-steps.ts';
import { finished, told } from './finished.ts';
import { inPartFolder, requireFree, type Collection } from './part-folder.ts';
import type { PlayedSteps, Playing } from './played-steps.ts';
import { playerSteps, requirePlayer } from './player-steps.ts';
import { writeDemonstrations } from './robot-episodes.ts';
import { playDemonstrations } from './robot-steps.ts';
import { playScripted } from './scripted-steps.ts';

export interface CollectedEnvironment {
  /** paths of the datasets; in RLDS form the folder; null if no episode is in validation */
  readonly dataset: string;
  readonly validation: string | null;
  readonly samples: { readonly training: number; readonly validation: number };
  readonly episodes: number;
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
  if (host.workers && isWorded(config.env))
    throw new EmacError(
      'usage',
      `--queue: workers collect in environments with numbered actions only, got ${config.env}, whose actions are words; leave --queue out`,
    );
  if (host.workers && config.expert.kind === 'openai')
    throw new EmacError(
      'usage',
      '--queue: workers cannot ask --expert openai, whose labels are the actions; leave --queue out',
    );
  const times = timesOf(host.now);
  requireFree(config.out);
  const collect = makerOf(config);
  const elsewhere = elsewhereOf(config, host);
  const collected = await collect(config, { host, times, elsewhere });
  await elsewhere?.forget();
  return { ...collected, spent: times.spent };
}

/** Chooses the collection method. */
function makerOf({ env, format, expert }: EnvironmentCollectionConfig) {
  if (isWorded(env)) return worded;
  if (format === 'rlds') return demonstrated;
  return expert.kind === 'openai' ? labelled : scripted;
}

interface Collecting {
  readonly host: Host;
  readonly times: Times;
  /** workers that play instead of this process */
  readonly elsewhere: ReturnType<typeof elsewhereOf>;
}

type Made = Omit<CollectedEnvironment, 'spent'>;

/** Episodes played by workers; null if this process plays. */
function elsewhereOf(config: EnvironmentCollectionConfig, host: Host) {
  const { workers } = host;
  if (!workers) return null;
  const plan = storePlan(workers.folder, {
    plays: 'records',
    config: episodeSettings(config),
    policy: { identity: null, computing: null },
    host: {},
  });
  const run = collectionName(config.out, collectionSettings(config));
  const worked = workedRun({ workers, run, plan, start: null, task: config.env, host });
  const asked = { samples: config.samples, ...sizesOf(config) };
  return {
    steps: <Step>(form: EpisodeForm<Step>) => recordsElsewhere(worked, { form, ...asked }),
    forget: worked.forget,
  };
}

/** A robot's episode takes seconds, another's milliseconds. */
function sizesOf({ env, maxSteps, samples }: EnvironmentCollectionConfig) {
  const { moved } = localWorld(env);
  if (moved)
    return { together: 1, firstTurn: Math.ceil(samples / Math.min(maxSteps ?? Infinity, moved.maxSteps)) };
  return { together: 16, firstTurn: Math.min(8, Math.ceil(samples / 256)) };
}

function scripted(
  config: EnvironmentCollectionConfig,
  { host, times, elsewhere }: Collecting,
): Promise<Made> {
  return written(config, { host, times }, (playing) =>
    localWorld(config.env).moved
      ? playDemonstrations(config, playing, elsewhere?.steps(demonstratedForm(config)))
      : playScripted(config, playing, elsewhere?.steps(scriptedForm(config))),
  );
}

/** By the environment's own player, in commands. */
async function worded(config: EnvironmentCollectionConfig, { host, times }: Collecting): Promise<Made> {
  const given = host.environment ?? null;
  requireAsked(config.env, given);
  const { env, maxSteps, seed } = config;
  const opened = await kindOf(env, given).open(env, { maxSteps, seed });
  try {
    // before a folder is created
    requirePlayer(opened);
    return await written(config, { host, times }, (playing) =>
      playScripted(config, playing, () => playerSteps(opened, config)),
    );
  } finally {
    await opened.close?.();
  }
}

function written(
  config: EnvironmentCollectionConfig,
  { host, times }: Pick<Collecting, 'host' | 'times'>,
  play: (playing: Playing) => Promise<PlayedSteps<{ readonly noisyLabels: number }>>,
): Promise<Made> {
  return inPartFolder(collectionOf(config), async (part) => {
    const { counts, ...played } = await times.part('playing', () =>
      told(host, [config.samples, 'sample'], () => play({ host, ...part })),
    );
    return { ...finished(collectionOf(config), part, { ...played, counts }), ...counts };
  });
}

async function labelled(config: EnvironmentCollectionConfig, { host, times }: Collecting): Promise<Made> {
  const { languageModel } = config.expert;
  const random = Random.fromSeed(config.seed).stream('collect').stream('retries');
  const teacher = await times.part('opening', () => openStepTeacher(languageModel, host, random));
  try {
    return await inPartFolder(collectionOf(config), async (part) => {
      for (const note of teacher.notes) host.listener?.note?.(note);
      teacher.keepReplies(part.replies);
      const played = await times.part('playing', () =>
        told(host, [config.samples, 'step'], () => playLabelled(config, { host, teacher, ...part })),
      );
      const { cost, ...counts } = { ...played.counts, ...teacher.spent() };
      const made = finished(collectionOf(config), part, { ...played, counts });
      return { ...made, noisyLabels: 0, asked: { ...counts, cost } };
    });
  } finally {
    teacher.dispose();
  }
}

function demonstrated(
  config: EnvironmentCollectionConfig,
  { host, times, elsewhere }: Collecting,
): Promise<Made> {
  return inPartFolder(collectionOf(config), (part) =>
    times.part('playing', () =>
      told(host, [config.samples, 'sample'], () =>
        writeDemonstrations(config, { host, part }, elsewhere?.steps(demonstratedForm(config))),
      ),
    ),
  );
}

function collectionOf(config: EnvironmentCollectionConfig): Collection {
  return {
    out: config.out,
    settings: collectionSettings(config),
    asks: config.expert.kind === 'openai',
    hasPictures: config.format !== 'rlds',
  };
}
