/** A collection of games by workers. */
import { Random } from '@emac/core';
import type { Host, Workers } from '@emac/opening';
import type { Elsewhere } from '@emac/rollout';
import {
  attemptsElsewhere,
  gamesOf,
  storeRolloutPlan,
  versionOf,
  workedRun,
  workersLabel,
  type WorkedRun,
} from '@emac/workers';
import type { CollectConfig } from './collection-config.ts';
import { collectionName } from './collection-settings.ts';
import type { CollectionPlan } from './plan-collection.ts';

interface Collected {
  readonly plan: CollectionPlan;
  /** settings that affect the records */
  readonly settings: object;
  readonly host: Pick<Host, 'listener' | 'signal' | 'environment'>;
  readonly workers: Workers;
}

export interface CollectionWorkers extends Pick<WorkedRun, 'agreed' | 'forget'> {
  readonly episodes: Elsewhere;
}

/** Connects workers to the collection. Errors: those of the shared folder. */
export function collectionElsewhere(
  config: CollectConfig,
  { plan, settings, host, workers }: Collected,
): CollectionWorkers {
  const { policy, play } = plan;
  const { model, student, visionNorm, form } = policy;
  const { text, generation } = form;
  const { kind, noise } = config.expert;
  const labels = workersLabel(config.expert);
  const random = Random.fromSeed(config.seed).stream('collect').stream('retries').path;
  const rollouts = storeRolloutPlan(workers.folder, {
    model,
    config: config.model,
    form: { generation, text, maxSteps: config.maxSteps },
    visionNorm,
    adapters: [student.adapter],
    expert: labels ? { config: { kind, noise, thoughts: text.thoughts }, random } : null,
    host: {},
  });
  const run = collectionName(config.out, settings);
  const worked = workedRun({ workers, run, plan: rollouts, start: null, task: 'games', host });
  const version = () => versionOf(student);
  const attempts = { part: 'collected', gameOf: gamesOf(play.kind!), version, labels, inTurn: true };
  return { ...worked, episodes: attemptsElsewhere(worked, attempts) };
}
