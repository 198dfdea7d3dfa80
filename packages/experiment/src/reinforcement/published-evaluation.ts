/**
 * A robot evaluation's folder in VLA-RL's form,
 * `EVAL-{suite}-{model}-t-{temperature}-s-{seed}[--note]-{%Y%m%d-%H%M%S}/`: a log of that name with `.txt`, and
 * `rollouts/` with a record and film per episode. The time is the beginning, UTC, also after a resume.
 */
import { readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { EmacError } from '@emac/core';
import { canonicalJson, createFolder, isFolder, isThere, whileReading, writeFileAtomic } from '@emac/files';
import { countedStarts, environmentsWith, kindOf, type StepAction } from '@emac/opening';
import type { EpisodeWatcher } from '@emac/rollout';
import { journalName } from '../evaluation/kept-evaluation.ts';
import { partFolder } from '../evaluation/result-place.ts';
import { subjectOfJournal } from '../evaluation/journal.ts';
import { publishedSuite, pythonFloat } from '../logs/experiment-id.ts';
import type { PpoEvaluation } from './ppo-evaluation.ts';

export interface EvaluationNaming {
  readonly env: string;
  /** the evaluated model; for a path the last part counts */
  readonly model: string;
  readonly temperature: number;
  readonly seed: number;
  /** null for none */
  readonly note: string | null;
}

/**
 * The name without its time. Errors: `usage` for an environment without a robot, and a note that cannot be part of a
 * name.
 */
export function evaluationPrefix({ env, model, temperature, seed, note }: EvaluationNaming): string {
  if (!kindOf(env).robot) {
    const where = environmentsWith(({ robot }) => robot !== undefined);
    throw new EmacError('usage', `--layout published: is for ${where}, got ${env}; leave it out`);
  }
  if (note !== null && !/^[\w.@+-]+$/.test(note))
    throw new EmacError(
      'usage',
      `--note: is part of a folder name, so it must be letters, digits or . _ @ + -, got ${JSON.stringify(note)}`,
    );
  const named = basename(resolve(model)).replace(/[^\w.@+-]/g, '_');
  const noted = note === null ? '' : `--${note}`;
  return `EVAL-${publishedSuite(env)}-${named}-t-${pythonFloat(temperature)}-s-${seed}${noted}`;
}

/**
 * The folder in `parent` for an evaluation: that of the newest identical interrupted one, under its name or as `.part`,
 * else a new one. Errors: those of `evaluationPrefix`.
 */
export function publishedFolder(
  parent: string,
  naming: EvaluationNaming,
  now: Date,
): (subject: string) => string {
  const prefix = evaluationPrefix(naming);
  return (subject) => {
    const left = (isFolder(parent) ? whileReading(parent, () => readdirSync(parent)) : [])
      .filter((name) => name.startsWith(`${prefix}-`))
      .filter((name) => /^\d{8}-\d{6}(-\d+)?(\.part)?$/.test(name.slice(prefix.length + 1)))
      .filter((name) => subjectOfJournal(join(parent, name, journalName)) === subject)
      .map((name) => basename(name, '.part'))
      .sort()
      .at(-1);
    if (left !== undefined) return join(parent, left);
    const name = join(parent, `${prefix}-${stamp(now)}`);
    let attempt = 1;
    const tried = () => (attempt === 1 ? name : `${name}-${attempt}`);
    while ([tried(), partFolder(tried())].some(isThere)) attempt++;
    return tried();
  };
}

/** `%Y%m%d-%H%M%S`, UTC. */
function stamp(now: Date): string {
  const [day, time] = now.toISOString().slice(0, 19).split('T');
  return `${day!.replaceAll('-', '')}-${time!.replaceAll(':', '')}`;
}

/** The log: counts, then metrics under their published keys, with floats in Python's format. */
export function publishedLog({ games }: Pick<PpoEvaluation, 'games'>): string {
  const rate = (of: PpoEvaluation['games']) => of.filter(({ won }) => won).length / of.length;
  const tasks = [...new Set(games.map(({ id }) => taskOf(id)))].sort((one, other) => one - other);
  return [
    `Episodes completed: ${games.length}`,
    `Success rate: ${(100 * rate(games)).toFixed(2)}%`,
    `success_rate/total: ${pythonFloat(rate(games))}`,
    `num_episodes/total: ${games.length}`,
    ...tasks.map((task) => {
      const ofTask = games.filter(({ id }) => taskOf(id) === task);
      return `success_rate/task_${task}: ${pythonFloat(rate(ofTask))}`;
    }),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

/** The number of the task in `tabletop/<suite>/<task>/<state>`. */
function taskOf(id: string): number {
  return Number(id.split('/')[2]);
}

const rollouts = 'rollouts';

/**
 * An episode's path for record and film, without extension: `rollouts/rk=0+epi=3+s=True+task=3+inst=…`, as the
 * published films are named.
 */
export function rolloutPath(env: string, episode: number, won: boolean): string {
  const { id, task } = countedStarts(env, 'heldOut')![episode]!;
  const instruction = task
    .toLowerCase()
    .replace(/[ \n.]/g, '_')
    .slice(0, 50);
  const success = won ? 'True' : 'False';
  return join(rollouts, `rk=0+epi=${episode}+s=${success}+task=${taskOf(id)}+inst=${instruction}`);
}

/** Writes each episode's actions at its end; with its initial state it can be replayed. */
export function rolloutRecords(folder: string, env: string): EpisodeWatcher<StepAction> {
  const starts = countedStarts(env, 'heldOut')!;
  const steps = new Map<number, { readonly action: StepAction | string; readonly reward: number }[]>();
  createFolder(join(folder, rollouts));
  return {
    begun: (episode) => void steps.set(episode, []),
    stepped(episode, { environment, action, outcome }) {
      const said = typeof action === 'number' ? environment.actions[action]! : action;
      steps.get(episode)!.push({ action: said, reward: outcome.reward });
    },
    ended(episode, scored) {
      const made = steps.get(episode)!;
      steps.delete(episode);
      const { id, task } = starts[episode]!;
      const won = scored.return > 0;
      const record = {
        v: 1,
        episode,
        id,
        instruction: task,
        success: won,
        ...scored,
        actions: made.map(({ action }) => action),
        rewards: made.map(({ reward }) => reward),
      };
      writeFileAtomic(join(folder, `${rolloutPath(env, episode, won)}.json`), `${canonicalJson(record)}\n`);
    },
  };
}
