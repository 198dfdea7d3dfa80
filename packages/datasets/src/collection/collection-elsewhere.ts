/** A collection of games by workers, and its name among the queue's runs. */
import { resolve } from 'node:path';
import { Random } from '@emac/core';
import { canonicalJson, sha256 } from '@emac/files';
import type { Host, Workers } from '@emac/opening';
import { runElsewhere, storePlan, workersLabel, type RunElsewhere } from '@emac/workers';
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
  readonly host: Pick<Host, 'listener'>;
  readonly workers: Workers;
}

/** Connects workers to the collection. Errors: those of the shared folder. */
export function collectionElsewhere(
  config: CollectConfig,
  { plan, settings, host, workers }: Collected,
): RunElsewhere {
  const { model, student, speech, visionNorm } = plan;
  const { text, generation } = speech;
  const { kind, noise } = config.expert;
  const labels = workersLabel(config.expert);
  const random = Random.fromSeed(config.seed).stream('collect').stream('retries').path;
  const rollouts = storePlan(workers.folder, {
    model,
    config: config.model,
    form: { generation, text, maxSteps: config.maxSteps },
    visionNorm,
    adapters: [student.adapter],
    expert: labels ? { config: { kind, noise, thoughts: text.thoughts }, random } : null,
  });
  const run = collectionName(config.out, settings);
  return runElsewhere(workers, { run, plan: rollouts, listener: host.listener, labels });
}
