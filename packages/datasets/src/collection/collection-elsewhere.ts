/** A collection of games by workers, and its name among the queue's runs. */
import { resolve } from 'node:path';
import { Random } from '@emac/core';
import { canonicalJson, sha256 } from '@emac/files';
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
import type { CollectConfig } from './collect-config.ts';
import type { CollectionPlan } from './plan-collection.ts';

/** The same name when the same command resumes, and another one for the same collection into another folder. */
export function collectionName(out: string, settings: object): string {
  return `collect-${sha256(canonicalJson([resolve(out), settings])).slice(0, 16)}`;
}

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
  const { model, student, speech, visionNorm, play } = plan;
  const { text, generation } = speech;
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
  const attempts = { part: 'collected', gameOf: gamesOf(play.games), version, labels, inTurn: true };
  return { ...worked, episodes: attemptsElsewhere(worked, attempts) };
}
