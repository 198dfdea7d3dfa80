/** A run's configuration in `config.yaml`: all settings in use, and the drawn games. */
import { EmacError } from '@emac/core';
import { readConfig } from '@emac/runs';
import { checked } from './merged.ts';
import { pathFrom } from './path-from.ts';
import { policyFrom } from './small-networks.ts';
import {
  trainConfig,
  trainSchema,
  withUpdates,
  type GivenTrainConfig,
  type TrainConfig,
} from './train-config.ts';

/** Format of config.yaml: 2 holds the settings in their groups, 1 (up to version 0.1 of October 2026) held flags. */
const format = 2;

export interface StoredConfig {
  readonly v: typeof format;
  readonly command: 'train';
  /** requested phases in order, from this run's on */
  readonly phases: readonly TrainConfig['phase'][];
  /** the settings that were given, before any preset: a later phase has its own */
  readonly given: GivenSettings;
  /** ids of the drawn games */
  readonly drawn: readonly string[];
}

/** Settings given for every phase. */
export type GivenSettings = Omit<GivenTrainConfig, 'phase'>;

/** The content of config.yaml. It does not depend on the run's location, so `out` is omitted. */
export function storedConfig(
  { out: _place, ...config }: TrainConfig,
  { phases, given: { out: _given, ...given }, drawn }: Pick<StoredConfig, 'phases' | 'given' | 'drawn'>,
): object {
  return { v: format, command: 'train', phases, ...config, given, drawn };
}

export type BegunWith = Pick<StoredConfig, 'phases' | 'given' | 'drawn'> & { readonly config: TrainConfig };

/** The configuration a run began with, as typed. Errors: `config` if it was changed since, or has another format. */
export function readStoredConfig(folder: string): BegunWith {
  const stored = readConfig(folder) as Partial<StoredConfig> | null;
  if (stored?.v !== format)
    throw new EmacError(
      'config',
      `${folder}: was started by an older version of emac; its runs can be evaluated and trained from (--ref, --init) but not resumed; start a new run`,
    );
  const { v: _v, command: _command, phases, given = {}, drawn = [], ...settings } = stored;
  const config = checked(trainSchema, withUpdates(settings), `${folder}: its config.yaml`);
  return { config, phases: phases ?? [config.phase], given, drawn };
}

/** A phase against the run before it, with all other settings as given. */
export function laterConfig(
  given: GivenSettings,
  { phase, ref, out }: Pick<TrainConfig, 'phase' | 'out'> & { readonly ref: string },
): TrainConfig {
  return trainConfig({ ...given, phase, out, start: { ...given.start, ref, init: null } });
}

/** The same with existing paths resolved from that directory; other words stay. */
export function fromDirectory(config: TrainConfig, directory: string): TrainConfig {
  const at = <P extends string | null>(path: P): P =>
    path === null ? path : (pathFrom(path, directory) as P);
  const { model, start, play, expert, dataset, evaluation } = config;
  const { languageModel } = expert;
  return {
    ...config,
    model: { ...model, path: policyFrom({ policy: model.path }, directory) },
    start: { ...start, ref: at(start.ref), init: at(start.init) },
    play: { ...play, games: at(play.games) },
    expert: {
      ...expert,
      module: at(expert.module),
      languageModel: {
        ...languageModel,
        replay: at(languageModel.replay),
        prompts: at(languageModel.prompts),
        reflectionExamples: at(languageModel.reflectionExamples),
      },
    },
    evaluation: { ...evaluation, on: at(evaluation.on) },
    dataset: dataset && {
      ...dataset,
      data: at(dataset.data),
      images: at(dataset.images),
      validation: at(dataset.validation),
    },
  };
}
