/** Workers that answer and learn for a run of GRPO. */
import { basename, resolve } from 'node:path';
import type { ShardGradients } from '@emac/algorithms';
import { Random, type Prompt } from '@emac/core';
import { computingOf, modelName, warn, type Host } from '@emac/opening';
import type { GrpoConfig, LewisRole } from '@emac/settings';
import {
  answersElsewhere,
  gradientsElsewhere,
  learnedVersion,
  shareStart,
  storePlan,
  workedRun,
  type Players,
} from '@emac/workers';
import type { GroupWorkers } from '../groups/group-play.ts';
import type { GroupPolicy } from '../groups/group-policy.ts';
import { openLewisPolicy, requirePromptLength } from './lewis-policy.ts';

type PlayedGrpo = GrpoConfig & { readonly role: LewisRole };

export interface AnsweredRun {
  /** its paths as they are here */
  readonly config: PlayedGrpo;
  readonly policy: Pick<GroupPolicy, 'student' | 'model'>;
  /** a run or checkpoint with the policy's parameters; null for none */
  readonly start: { readonly from: string | null };
  readonly host: Host;
}

/** Null without workers. Errors: those of the shared folder and of reading the start. */
export function grpoWorkers(
  { folder }: { readonly folder: string },
  { config, policy: { student, model }, start, host }: AnsweredRun,
): GroupWorkers | null {
  const { workers } = host;
  if (!workers) return null;
  warnOfOneGroup(config, host);
  const run = workedRun({
    workers,
    run: basename(folder),
    plan: storePlan(workers.folder, {
      plays: 'answers',
      config: plannedGrpo(config),
      policy: { identity: model.identity, computing: computingOf(model) },
      host: {},
    }),
    task: `${config.env} ${config.role}`,
    host,
    start: shareStart(workers.folder, start.from),
  });
  const check = (prompt: Prompt) => requirePromptLength(student, prompt, config.speech.maxPromptLength);
  const gradients = gradientsElsewhere<ShardGradients>(run, { version: () => learnedVersion(student) });
  return { elsewhere: answersElsewhere(run, check), gradients, agreed: run.agreed, forget: run.forget };
}

function warnOfOneGroup(
  { play: { promptsPerUpdate, together } }: AnsweredRun['config'],
  { listener }: Host,
): void {
  if (together !== null || promptsPerUpdate <= 1) return;
  warn(
    listener,
    `--queue: one worker answers all ${promptsPerUpdate} prompts of an update, others wait; with --prompts-together each group is a job`,
  );
}

/**
 * Without the trainer's own settings: the other role's player and its pictures. Paths of the configuration must be
 * absolute.
 */
function plannedGrpo(config: PlayedGrpo): PlayedGrpo {
  const path = modelName(config.model.path);
  const { pictures } = config.game;
  const game = { ...config.game, pictures: pictures === 'drawn' ? 'drawn' : resolve(pictures) };
  const sent = { ...config, model: { ...config.model, path }, game, init: null, out: 'runs' };
  return { ...sent, listener: 'model', speaker: 'model' };
}

/** Opens the policy of such a run on a worker. */
export const openAnswering: Players['answering'] = async ({ config, from, model, host }) => {
  const planned = config as PlayedGrpo;
  const here = { ...planned, model: { ...planned.model, path: model ?? planned.model.path } };
  const random = Random.fromSeed(here.seed).stream('start');
  const policy = await openLewisPolicy(here, { random, from }, host);
  return {
    student: policy.student,
    identity: policy.model.identity,
    computing: computingOf(policy.model),
    dispose: () => policy.dispose(),
  };
};
