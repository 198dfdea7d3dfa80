/** `config.yaml` of a run of PPO. */
import { resolve } from 'node:path';
import { EmacError } from '@emac/core';
import { readConfig } from '@emac/runs';
import { ppoSchema, type PpoConfig } from './ppo-config.ts';
import { policyFrom } from './small-networks.ts';
import { pathFrom } from './path-from.ts';
import { checked } from './merged.ts';

/** Format of config.yaml. */
const format = 2;

/** The content of config.yaml. It does not depend on the run's location. */
export function storedPpo({ out: _place, ...config }: PpoConfig): object {
  return { v: format, command: 'ppo', phase: 'ppo', ...config };
}

/** As typed. Errors: `config` if it was changed since. */
export function storedPpoConfig(folder: string): PpoConfig {
  const stored = readConfig(folder) as Readonly<Record<string, unknown>>;
  const { v, command: _command, phase: _phase, ...settings } = stored;
  if (v !== format)
    throw new EmacError(
      'config',
      `${folder}: has a config.yaml of format ${String(v)}, this version reads ${format}; start a new run`,
    );
  return checked(ppoSchema, settings, `${folder}: its config.yaml`);
}

/** Its paths resolved from where the run began. */
export function ppoFromDirectory(config: PpoConfig, directory: string): PpoConfig {
  const { init, utilities, inference, games, evaluation } = config;
  const { adapters } = inference;
  return {
    ...config,
    inference: { ...inference, adapters: adapters === null ? null : resolve(directory, adapters) },
    policy: policyFrom(config, directory),
    init: init === null ? null : pathFrom(init, directory),
    games: games === null ? null : pathFrom(games, directory),
    evaluation: { ...evaluation, on: evaluation.on === null ? null : pathFrom(evaluation.on, directory) },
    utilities: utilities === null ? null : pathFrom(utilities, directory),
  };
}
