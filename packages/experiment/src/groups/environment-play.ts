/** Attempts at tasks of any environment: whole episodes, rewarded by the environment. */
import { basename } from 'node:path';
import type { Playing } from '@emac/algorithms';
import type { OpenedKind, Task } from '@emac/core';
import { EmacError } from '@emac/core';
import {
  frameSizeOf,
  openedBy,
  kindEnvironment,
  openKind,
  rewardIn,
  tellSteps,
  wordsNotes,
  type Host,
  type PolicyStart,
} from '@emac/opening';
import { grpoSettingsOf, type GrpoConfig } from '@emac/settings';
import { requireForWorkers } from '@emac/workers';
import { evaluateRun } from '../evaluation/play-in-words.ts';
import { heldOutPlay } from '../evaluation/evaluated-play.ts';
import type { GroupPlay } from './group-play.ts';
import { openGroupPolicy } from './group-policy.ts';
import { environmentWorkers, type EnvironmentWorkers } from './environment-workers.ts';

/** Errors: those of the environment and the model; `usage` for workers beside clients. */
export function openEnvironmentPlay(config: GrpoConfig, start: PolicyStart, host: Host): Promise<GroupPlay> {
  return openedBy(async (open) => {
    const opened = await openedFor(config, host);
    open.add(async () => opened.close?.());
    refuseWorkers(config, opened, host);
    const reward = rewardIn(config.rewards.attempt, host.reward);
    const play = await openKindPlay(config, { opened, reward }, { start, host });
    open.add(play.dispose);
    return { ...play, dispose: () => open.close() };
  });
}

/** An environment that is attempted. */
export interface Attempted {
  readonly opened: OpenedKind;
  readonly reward: NonNullable<Playing['reward']>;
  /** its tasks are questions answered once, which the trainer asks and rewards; workers only answer them. Default false */
  readonly isAskedHere?: boolean;
  /** of an attempt, for logs; default its task's id */
  readonly solutionOf?: (task: Task) => string;
}

/** Learns from attempts in an opened environment, which the caller closes. Errors: those of the model. */
export async function openKindPlay(
  config: GrpoConfig,
  { opened, reward, isAskedHere = false, solutionOf = ({ id }) => id }: Attempted,
  { start, host }: { readonly start: PolicyStart; readonly host: Host },
): Promise<GroupPlay> {
  // refused before there is a folder
  grpoSettingsOf(config, opened.tasks.training.count);
  const policy = await openGroupPolicy(config, opened, { start, host });
  const { learner, form, texts, language } = policy;
  const asked = config.play.parallelEpisodes ?? policy.together;
  const parallel = Math.min(asked, opened.seats?.() ?? asked);
  const anchor = opened.anchor?.bind(opened) ?? policy.anchor;
  let others: EnvironmentWorkers | null = null;
  return {
    policy,
    ...(language && {
      notes: wordsNotes(opened, { name: config.policy, files: language.model.files }),
    }),
    tasks: opened.tasks.training.count,
    heldOut: heldOutPlay(opened, config.evaluation.episodes).tasks().length,
    together: parallel,
    journal: null,
    name: `${language ? config.policy : policy.identity} in ${config.env}`,
    versions: opened.versions ?? {},
    attempts: () => ({
      tasks: opened.tasks.training,
      environment: kindEnvironment(opened, form.text),
      texts,
      maxSteps: form.maxSteps,
      parallel,
      reward,
      invalidCost: config.rewards.invalid,
      admissibleOnly: form.admissibleOnly,
      ...(anchor && { anchor }),
      report: tellSteps(host.listener),
      elsewhere: others?.attempts,
    }),
    solutionOf,
    isRecorded: !isAskedHere,
    evaluate: (when, { most, ...kept }, told) => {
      const subject = { env: opened.id, policy: basename(config.policy), seed: config.seed };
      const played = { policy: learner, texts, form, parallel: asked, elsewhere: others?.evaluation(when) };
      const evaluated = { ...played, play: heldOutPlay(opened, most), trainedOn: [], subject };
      return evaluateRun(evaluated, { when, ...kept }, told);
    },
    workers: (run) =>
      (others = language && environmentWorkers(run, { opened, isAskedHere, config, host, policy: language })),
    dispose: () => policy.dispose(),
  };
}

/** The environment whose tasks are attempted. Errors: those of the kind; `usage`. */
function openedFor(config: GrpoConfig, host: Host): Promise<OpenedKind> {
  const { env, seed, world, games: source, evaluation, play, policy } = config;
  const frameSize = frameSizeOf({ env, policy });
  const asked = { env, maxSteps: play.maxSteps, seed, frameSize, source, heldOut: evaluation.on };
  return openKind(asked, host.environment ?? null, { world, host });
}

/** Errors: `usage`. */
function refuseWorkers(
  { world, env, games }: GrpoConfig,
  { fileOf, taskFiles }: OpenedKind,
  { workers }: Host,
): void {
  if (workers && games !== null && !fileOf && !taskFiles)
    throw new EmacError(
      'usage',
      `--queue: workers play the tasks that ${env} has by itself, not those of --games ${games}; give one of the two`,
    );
  if (workers) requireForWorkers({ world });
}
