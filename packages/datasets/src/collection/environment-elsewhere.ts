/** A collection of an environment's episodes by workers. */
import { EmacError } from '@emac/core';
import { isWorded, localWorld, type Host } from '@emac/opening';
import { recordsElsewhere, storePlan, workedRun } from '@emac/workers';
import type { EnvironmentCollectionConfig } from './collection-config.ts';
import { collectionName, episodeSettings } from './collection-settings.ts';
import { episodesOf } from './episode-form.ts';
import type { Collection } from './part-folder.ts';

/** Errors: `usage`. */
export function requireForWorkers({ env, expert }: EnvironmentCollectionConfig): void {
  const refuse = (rule: string): never => {
    throw new EmacError('usage', `--queue: ${rule}; leave --queue out`);
  };
  if (isWorded(env))
    refuse(`workers collect in environments with numbered actions only, got ${env}, whose actions are words`);
  if (expert.kind !== 'scripted')
    refuse(`workers cannot ask --expert ${expert.module ?? expert.kind}, whose labels are the actions`);
}

/** Episodes played by workers. */
export function environmentElsewhere(
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
