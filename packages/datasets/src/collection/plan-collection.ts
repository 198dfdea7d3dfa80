/** Opens and checks all parts of a games collection. */
import { Random, type Environment } from '@emac/core';
import {
  drawGames,
  expectedPolicy,
  firstTasksOf,
  freeTeacher,
  freeTeacherName,
  heard,
  kindPlay,
  onlyPlay,
  openPlayedOnce,
  openPolicy,
  openTeacher,
  parallelOf,
  refusePlanner,
  remoteTasks,
  shortage,
  shortestOf,
  silent,
  stepsOf,
  taskOf,
  type Closings,
  type EvaluatedPolicy,
  type Expected,
  type Host,
  type RunPlay,
  type Teacher,
} from '@emac/opening';
import type { Rollout } from '@emac/rollout';
import { usualEnvironment } from '@emac/settings';
import { requireForWorkers } from '@emac/workers';
import type { CollectConfig } from './collection-config.ts';
import { expertShareOf } from './collection-settings.ts';
import { requireFree } from './part-folder.ts';

/** Errors: `usage` for settings that need a single process. */
export function requireCollectionForWorkers(config: CollectConfig): void {
  requireForWorkers({ ...config, play: { expertShare: { start: expertShareOf(config) } } });
}

export interface CollectionPlan {
  readonly policy: EvaluatedPolicy;
  readonly play: RunPlay;
  readonly teacher: Teacher;
  readonly notes: readonly (string | null)[];
  readonly environment: Environment;
  readonly rollout: Rollout;
  readonly random: Random;
}

/** Opens and checks all parts of a collection; in a trial its first game. Errors: `cannot-create`, `usage`, `missing`, `data`, `auth`, `unavailable`. */
export async function planCollection(
  config: CollectConfig,
  { host, open }: { readonly host: Host; readonly open: Closings },
): Promise<CollectionPlan> {
  requireFree(config.out);
  if (host.workers) requireCollectionForWorkers(config);
  const random = Random.fromSeed(config.seed).stream('collect');
  const { kind, play: all, notes } = await gamesToPlay(config, host, random.stream('games'));
  const { model: named, speech } = config;
  const place = { ckpt: config.ckpt ?? named.path, model: named, speech, maxSteps: config.maxSteps };
  const asksPolicy = config.phase === 'dpo' || config.actWith !== 'expert';
  const isTold = config.ckpt === null && !asksPolicy;
  const policy = await openPolicy({ ...place, admissibleOnly: null, isTold }, host);
  open.add(() => policy.dispose());
  const { student, form } = policy;
  const thoughts = config.expert.thoughts || form.text.thoughts;
  const expert = { ...config.expert, thoughts };
  const labels = { random: random.stream('retries'), kind };
  const asked = await openTeacher(expert, host, labels);
  open.add(() => asked.dispose());
  const teacher = await freeTeacher(asked, host, { ...labels, thoughts });
  const { stopRepeating, randomActions } = config;
  // a person plays one game after another
  const parallelEpisodes = config.parallelEpisodes ?? (config.expert.kind === 'human' ? 1 : null);
  const { trial } = host;
  trial?.opened(expectedCollection(config, { policy, teacher: asked, play: all }));
  const play = trial ? firstTasksOf(all, 1) : all;
  const maxSteps = Math.min(config.maxSteps, trial?.size ?? Infinity);
  const { environment } = await play.open({ text: { ...form.text, thoughts } });
  return {
    policy: { ...policy, form: { ...form, text: { ...form.text, thoughts } } },
    play,
    teacher,
    environment,
    random: random.stream('playing'),
    notes: [...notes, ...policy.notes, ...teacher.notes],
    rollout: {
      environment,
      policy: asksPolicy ? heard(student, trial) : silent,
      texts: kind.speech(student, form.text),
      sampling: { kind: 'search', beams: form.generation.beams },
      expert: teacher.expert,
      asksPolicy,
      maxSteps,
      stopRepeating,
      ...(randomActions !== undefined && { randomActions }),
      admissibleOnly: form.admissibleOnly,
      policyMemory: false,
      parallel: play.seats(parallelEpisodes ?? parallelOf(student)),
      ...(host.signal && { signal: host.signal }),
    },
  };
}

function expectedCollection(
  { maxSteps, parallelEpisodes, expert }: CollectConfig,
  parts: Pick<CollectionPlan, 'policy' | 'teacher' | 'play'>,
): Expected {
  const { policy, play } = parts;
  const { student, form } = policy;
  const { isPaid, promptTokens } = parts.teacher;
  const steps = stepsOf(shortestOf(play), maxSteps);
  const together = parallelEpisodes ?? parallelOf(student);
  return {
    ...onlyPlay,
    of: `${play.tasks().length} games`,
    policy: expectedPolicy(policy, student),
    noun: 'step',
    size: together,
    together,
    played: steps,
    maxSteps,
    maxTextTokens: form.text.maxTokens,
    labels: { from: isPaid ? freeTeacherName : 'the expert', countAnswerTokens: student.countAnswerTokens },
    expert: { promptTokens, calls: steps, config: expert.languageModel },
  };
}

/** Errors: `usage`, `missing`, `data`, `interrupted`. */
async function gamesToPlay(
  { world, games: source, numGames, expert, maxSteps }: CollectConfig,
  host: Host,
  random: Random,
) {
  if (world.kind === 'http') refusePlanner(expert);
  const asks = { env: usualEnvironment, maxSteps, source };
  const { kind, clients } = await openPlayedOnce(asks, null, { world, host });
  if (clients)
    return { kind, ...(await remoteTasks(world, { flag: '--num-games', count: numGames, random, host })) };
  const list = kind.tasks.training.list!;
  const tasks = drawGames(list, numGames ?? list.games.length, random).map(taskOf);
  return {
    kind,
    play: kindPlay(kind, tasks),
    notes: [list.leftOut, shortage('--num-games', tasks.length, numGames ?? 0)],
  };
}
