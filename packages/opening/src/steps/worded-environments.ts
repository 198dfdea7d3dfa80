/**
 * Environments of words for PPO: opened once per run, with one instance per place. They restore an episode by its
 * actions.
 */
import {
  EmacError,
  isWon,
  type OpenedKind,
  type Seed,
  type Steppable,
  type Task,
  type TaskSet,
} from '@emac/core';
import { firstTasks, steppedOf, taskNumber, taskSeeds, type SteppedState } from '@emac/rollout';
import type { PpoConfig } from '@emac/settings';
import { openKind, requireAsked } from '../environments/kind-environment.ts';
import { isDescribedElsewhere, isWorded } from '../environments/kind-of.ts';
import type { Host } from '../host.ts';
import { openClientKind } from '../tasks/client-kind.ts';
import { ownPalette, ppoEnvironment } from './ppo-environments.ts';
import type { PpoPolicy, SteppedKind } from './ppo-policy.ts';
import type { StepAction } from './robots.ts';

/** Tasks of a set that never ends; they are chosen by number. */
const mostTasks = 1024;

/**
 * Opened if clients play the numbered actions; null if they are stepped here. Errors: those of `openClientKind`;
 * `usage` for clients whose actions are texts.
 */
export async function openNumbered(
  { env, play, world }: Pick<PpoConfig, 'env' | 'play' | 'world'>,
  host: Host,
): Promise<SteppedKind | null> {
  if (world.kind === 'own') return null;
  const { maxSteps } = play;
  const opened = await openClientKind({ env, maxSteps, palette: ownPalette(play.palette) }, world, host);
  const { numbered } = opened;
  if (numbered) return { ...opened, numbered };
  throw new EmacError(
    'usage',
    `--env ${env}: the clients number no actions, which a small network needs; let them, or give a vision-language model`,
  );
}

type Worded = Pick<PpoConfig, 'env' | 'seed' | 'play' | 'games' | 'evaluation' | 'world'>;

/**
 * Null for environments stepped by number, or played remotely. Errors: those of the kind, for its settings and sources;
 * `usage` for a module that is not given.
 */
export async function openWorded(
  { env, seed, play, games, evaluation, world }: Worded,
  host: Host,
): Promise<SteppedKind | null> {
  const given = host.environment ?? null;
  requireAsked(env, given);
  if (!isDescribedElsewhere(env) && !isWorded(env)) return null;
  const palette = ownPalette(play.palette);
  const asked = { env, maxSteps: play.maxSteps, seed, palette, source: games, heldOut: evaluation.on };
  return { ...(await openKind(asked, given, { world, host })), numbered: null };
}

/** A new environment as a policy plays it. Errors: those of `ppoEnvironment`; `usage` for a set without tasks. */
export function playedEnvironment(
  config: PpoConfig,
  { kind, texts }: Pick<PpoPolicy, 'kind' | 'texts'>,
  set: TaskSet,
): Steppable<unknown, StepAction> {
  if (kind?.numbered) return kind.numbered.make(texts) as Steppable<unknown, StepAction>;
  if (kind) {
    const { tasks } = kind;
    return set === 'training'
      ? wordedEnvironment(kind, firstTasks(tasks.training, tasks.training.count ?? mostTasks))
      : wordedEnvironment(
          kind,
          firstTasks(tasks.heldOut, config.evaluation.episodes),
          taskSeeds(config.seed),
        );
  }
  return ppoEnvironment(config, set === 'training' ? 'training' : 'evaluation');
}

/** The name of the task that an episode of training attempts, by its seed. */
export function trainingTaskOf(
  { env }: Pick<PpoConfig, 'env'>,
  { kind }: Pick<PpoPolicy, 'kind'>,
  seed: Seed,
): string {
  if (!kind || kind.numbered) return `${env}/${seed}`;
  const { training } = kind.tasks;
  return training.at(taskNumber(seed, training.count ?? mostTasks)).id;
}

/** For one place of a run or an evaluation; half of an episode's seed is its task's number. A robot's numbers are separated by spaces. */
export function wordedEnvironment(
  opened: OpenedKind,
  tasks: readonly Task[],
  seedOf?: (task: Task) => string,
): Steppable<SteppedState, StepAction> {
  const { id, maxSteps } = opened;
  const stepped = steppedOf(opened, {
    tasks,
    maxSteps,
    id,
    ...(seedOf && { seedOf }),
    isWon: (episode) => isWon(opened, episode),
  });
  return { ...stepped, step: (action) => stepped.step([action].flat().join(' ')) };
}
