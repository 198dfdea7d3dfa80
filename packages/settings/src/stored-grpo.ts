/** `config.yaml` of a run of GRPO. */
import { EmacError } from '@emac/core';
import { readConfig } from '@emac/runs';
import { grpoSchema, type GrpoConfig, type LewisRole } from './grpo-config.ts';
import { policyFrom } from './small-networks.ts';
import { pathFrom } from './path-from.ts';
import { checked } from './merged.ts';
import { lewisGame } from './usual-environment.ts';

/** Format of config.yaml. */
const format = 2;

/** One run: of one role in the Lewis game, without a role elsewhere. */
export interface GrpoRunConfig extends GrpoConfig {
  readonly role: LewisRole | null;
}

/** True for a run of the Lewis game. */
export function isLewisRun(config: GrpoRunConfig): config is GrpoRunConfig & { readonly role: LewisRole } {
  return config.role !== null;
}

type TrainedParts = GrpoConfig['trained'];

/**
 * The content of config.yaml. It does not depend on the run's location. A run of a chain also stores the requested
 * adapter settings.
 */
export function storedGrpo({ out: _place, ...config }: GrpoRunConfig, trained: TrainedParts): object {
  const given = config.turn === null ? {} : { given: { trained } };
  return { v: format, command: 'grpo', phase: 'grpo', ...config, ...given };
}

/** As typed. Errors: `config` if it was changed since. */
export function readStoredGrpo(folder: string): {
  readonly config: GrpoRunConfig;
  readonly trained: TrainedParts;
} {
  const stored = readConfig(folder) as Readonly<Record<string, unknown>>;
  const { v, command: _command, phase: _phase, given, ...settings } = stored;
  if (v !== format)
    throw new EmacError(
      'config',
      `${folder}: has a config.yaml of format ${String(v)}, this version reads ${format}; start a new run`,
    );
  const config = ofOneRole(checked(grpoSchema, settings, `${folder}: its config.yaml`));
  return { config, trained: (given as { trained?: TrainedParts } | undefined)?.trained ?? config.trained };
}

/** Errors: `usage` for both roles, which need several runs, and for no role in the Lewis game. */
export function ofOneRole(config: GrpoConfig): GrpoRunConfig {
  const { env, role } = config;
  if (env === lewisGame && role === null)
    throw new EmacError(
      'usage',
      '--role: is required: speaker, listener or both; or give --resume with the folder of a run',
    );
  if (role !== 'both') return { ...config, role };
  throw new EmacError('usage', '--role both: starts a chain of runs, but this run is one of its turns');
}

/** Its paths resolved from where the run began. */
export function grpoFromDirectory(config: GrpoRunConfig, directory: string): GrpoRunConfig {
  const { init, model, games, evaluation, game, listener, speaker } = config;
  const at = (path: string) => pathFrom(path, directory);
  return {
    ...config,
    model: { ...model, path: policyFrom({ policy: model.path }, directory) },
    init: init === null ? null : at(init),
    games: games === null ? null : at(games),
    evaluation: { ...evaluation, on: evaluation.on === null ? null : at(evaluation.on) },
    game: { ...game, pictures: game.pictures === 'drawn' ? 'drawn' : at(game.pictures) },
    listener: at(listener),
    speaker: speaker === 'true' ? speaker : at(speaker),
  };
}
