/** `config.yaml` of a run of PPO. */
import { EmacError } from '@emac/core';
import { readConfig } from '@emac/runs';
import { requireBegunBy } from '../config/begun-by.ts';
import { ppoSchema, type PpoConfig } from '../config/ppo-config.ts';
import { checked } from '../config/train-config.ts';

/** Format of config.yaml. */
export const ppoConfigFormat = 2;

/** As it was typed. Errors: `config` where it was changed since, or is of another command. */
export function storedPpoConfig(folder: string): PpoConfig {
  requireBegunBy('ppo', folder);
  const stored = readConfig(folder) as Readonly<Record<string, unknown>>;
  const { v, command: _command, phase: _phase, ...settings } = stored;
  if (v !== ppoConfigFormat)
    throw new EmacError(
      'config',
      `${folder}: has a config.yaml of format ${String(v)}, this version reads ${ppoConfigFormat}; begin a new run`,
    );
  return checked(ppoSchema, settings, `${folder}: its config.yaml`);
}
