/** Refuses settings without meaning for a small network, whatever the method. */
import { isDeepStrictEqual } from 'node:util';
import { EmacError } from '@emac/core';
import { isWorded, type Host } from '@emac/opening';
import {
  isEnvironmentModule,
  lewisGame,
  usualEnvironment,
  type GrpoConfig,
  type ModelConfig,
  type TrainConfig,
} from '@emac/settings';

/** Settings by flag. */
export type Flags<Config> = Readonly<Record<string, (config: Config) => unknown>>;

interface OfModels {
  readonly model: Omit<ModelConfig, 'rows' | 'path'> & {
    readonly rows?: unknown;
    readonly maxPixels?: unknown;
  };
  readonly trained: TrainConfig['trained'];
  readonly play: { readonly [name: string]: unknown; readonly admissibleOnly?: unknown };
  readonly speech: Pick<TrainConfig['speech'], 'minLength' | 'observe' | 'dialogue'>;
}

/** Settings only of language models. */
export const ofModels: Flags<OfModels> = {
  '--tf-backend': ({ model }) => model.tfBackend,
  '--provider': ({ model }) => model.provider,
  '--layers': ({ model }) => model.layers,
  '--activations': ({ model }) => model.activations,
  '--weights': ({ model }) => model.weights,
  '--rows': ({ model }) => model.rows,
  '--context-memory': ({ model }) => model.contextMemory,
  '--max-pixels': ({ model }) => model.maxPixels,
  '--train': ({ trained }) => trained.parts,
  '--lora-rank': ({ trained }) => trained.rank,
  '--lora-alpha': ({ trained }) => trained.alpha,
  '--lora-dropout': ({ trained }) => trained.dropout,
  '--lora-targets': ({ trained }) => trained.targets,
  '--admissible-only': ({ play }) => play.admissibleOnly,
  '--min-length': ({ speech }) => speech.minLength,
  '--observe': ({ speech }) => speech.observe,
  '--dialogue': ({ speech }) => speech.dialogue,
};

/** The first flag whose setting differs. */
export function changedFlag<Config>(
  flags: Flags<Config>,
  config: Config,
  standard: Config,
): string | undefined {
  return Object.keys(flags).find((name) => !isDeepStrictEqual(flags[name]!(config), flags[name]!(standard)));
}

/** It reads numbers, and chooses among numbered actions, in this process. Errors: `usage`. */
export function requireReadable(
  { env, model, world }: Pick<GrpoConfig, 'env' | 'world'> & { readonly model: { readonly path: string } },
  method: string,
): void {
  const policy = `--policy ${model.path}`;
  const isOfWords = env === lewisGame || env === usualEnvironment;
  if (!isEnvironmentModule(env) && (isOfWords || isWorded(env)))
    throw new EmacError(
      'usage',
      `${policy}: reads arrays or numbers its actions, but actions of ${env} are words; give a vision-language model`,
    );
  if (world.kind !== 'own')
    throw new EmacError(
      'usage',
      `${policy}: plays in this process with --method ${method}, but with --world ${world.kind} clients play; give --method ppo`,
    );
}

/** Errors: `usage` for the first setting of language models that has another value than the standard one. */
export function refuseOfModels<Config>(
  flags: Flags<Config>,
  policy: string,
  { config, standard }: { readonly config: Config; readonly standard: Config },
): void {
  const flag = changedFlag(flags, config, standard);
  if (flag !== undefined)
    throw new EmacError('usage', `${flag}: is for language models, got --policy ${policy}; leave it out`);
}

/** Errors: `usage`. */
export function refuseNetworkWorkers({ workers }: Host): void {
  if (workers)
    throw new EmacError(
      'usage',
      '--queue: a small network plays an episode in less time than a worker needs to get it; leave it out',
    );
}
