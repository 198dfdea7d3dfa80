/**
 * The trainer's side of rollouts on workers. Each attempt is a job, named by run, part, policy version, task and
 * number. So its result counts once however often it is played, and a resumed run finds it again. A job is always
 * played with the policy version in its name, so no result is stale.
 */
import { EmacError, invariant } from '@emac/core';
import type { Host, Workers } from '@emac/opening';
import { gatherEach, type Job, type Json, type SharedFolder } from '@emac/queue';
import type { Attempt, Elsewhere, Rollout } from '@emac/rollout';
import { programVersions } from '@emac/settings';

import { forgetAll } from '../jobs/forget-all.ts';
import { inOrder } from '../jobs/in-order.ts';
import { requireAgreement } from '../jobs/require-agreement.ts';
import { partName } from '../jobs/run-names.ts';
import { stillThere } from '../jobs/still-there.ts';
import { watchForWorkers } from '../jobs/watch-for-workers.ts';
import { carry } from '../plan/carried.ts';
import { readEpisode } from '../plan/episode-file.ts';
import { storeVersion, type PolicyVersion } from '../plan/policy-version.ts';
import { rulesOf, type PlayRules } from '../plan/rollout-plan.ts';
import { shareGame, type GameFile, type SharedGame } from '../plan/shared-game.ts';
import type { GradientsPlace } from './gradients-elsewhere.ts';
import { shardJobs } from './shard-jobs.ts';

/** An attempt in the form sent to workers. */
export interface SentAttempt extends Omit<Attempt, 'random'> {
  /** seed and names of its generator */
  readonly random: string;
  /** null outside ALFWorld: the plan names the environment, and the task id is enough */
  readonly game: SharedGame | null;
}

/** The input of a `rollout` job; `attempt` is a carried `SentAttempt`. */
export interface RolloutInput {
  readonly plan: string;
  readonly rules: PlayRules;
  readonly attempt: Json;
}

const runParts = ['before', 'probe', 'training', 'after', 'games', 'collected'] as const;

/**
 * The parts of a run that play episodes: training, its evaluations and its probe; also a separate evaluation or
 * collection.
 */
export type RunPart = (typeof runParts)[number];

/** A run with episodes on workers. */
export interface RunElsewhere {
  /** jobs that are not episodes */
  readonly gradients: GradientsPlace;
  /** workers label what they play; false: the trainer asks for labels */
  readonly labels: boolean;
  /** plays the attempts of a part; each part numbers its own */
  part(name: RunPart, of: PlayedPart): Elsewhere;
  /**
   * Throws `check-failed` if two workers gave different results for an episode of the run, until the run is forgotten.
   */
  agreed(): Promise<void>;
  /** drops the finished run's results; a queue failure is reported only, not thrown */
  forget(): Promise<void>;
}

export interface PlayedPart {
  /** null for tasks outside ALFWorld */
  readonly games: readonly GameFile[] | null;
  /** called when attempts begin */
  readonly version: () => PolicyVersion;
  /** episodes come in the order of the attempts, each read at its turn; default: as they are played */
  readonly inTurn?: boolean;
}

export interface ElsewhereParts {
  /** unique among the queue's runs; unchanged on resume */
  readonly run: string;
  /** hash of the run's `RolloutPlan` */
  readonly plan: string;
  readonly listener: Host['listener'];
  /** default true */
  readonly labels?: boolean;
}

/**
 * Lets workers play the episodes of a run. Errors while playing: those of queue and folder; `interrupted`,
 * `check-failed` as `gather`.
 */
export function runElsewhere(
  workers: Workers,
  { run, plan, listener, labels = true }: ElsewhereParts,
): RunElsewhere {
  const { queue, folder } = workers;
  const named = (part: RunPart): string => partName(run, plan, part);
  const gradients = shardJobs(workers, { kind: 'gradient', run, plan, listener });
  const left = () => ({ run, parts: [...runParts.map(named), ...gradients.left()] });
  const agreed = () => requireAgreement(queue, left());
  return {
    agreed,
    gradients: { folder, plan, jobs: gradients },
    labels,
    part(name, { games, version, inTurn = false }) {
      const own = named(name);
      const shared = sharingOf(games, folder);
      const jobOf = (setup: Rollout, policy: string, attempt: Attempt): Job => {
        const { task, number: seed } = attempt;
        const rules = { ...rulesOf(setup), isLabelled: labels && setup.expert !== null };
        const sent = sentOf(attempt, { game: shared(task.id), labels });
        return {
          name: { kind: 'rollout', run: own, policy, task: task.id, seed, shard: 0 },
          input: { plan, rules, attempt: carry(folder, sent) } satisfies RolloutInput as unknown as Json,
        };
      };
      async function* play(setup: Rollout, attempts: readonly Attempt[]) {
        const policy = storeVersion(folder, version());
        const jobs = attempts.map((attempt) => jobOf(setup, policy, attempt));
        await queue.announce(programVersions());
        const unwatch = await watchForWorkers(queue, listener);
        try {
          const come = gatherEach(queue, jobs, { signal: setup.signal });
          for await (const [place, result] of inTurn ? inOrder(come) : come) {
            const { episode } = result as { readonly episode: string };
            const what = { task: attempts[place]!.task.id, run };
            yield [place, await stillThere(what, () => readEpisode(folder, episode))] as const;
          }
        } catch (thrown) {
          if (thrown instanceof EmacError && thrown.code === 'check-failed') await agreed();
          throw thrown;
        } finally {
          unwatch();
        }
      }
      return { labels, play };
    },
    forget: () => forgetAll(queue, left(), listener),
  };
}

/** Puts a task's game into the folder. */
function sharingOf(
  games: readonly GameFile[] | null,
  folder: SharedFolder,
): (id: string) => SharedGame | null {
  if (games === null) return () => null;
  const byId = new Map(games.map((game) => [game.id, game]));
  return (id) => {
    const game = byId.get(id);
    invariant(game, `workers: ${id} is not a game of the run`);
    return shareGame(folder, game);
  };
}

interface Sending {
  readonly game: SentAttempt['game'];
  readonly labels: boolean;
}

/** Drops labels made here: no episode depends on them. */
function sentOf({ random, made, ...attempt }: Attempt, { game, labels }: Sending): SentAttempt {
  const sent = labels ? made : made.map((step) => ({ ...step, label: null }));
  return { ...attempt, made: sent, random: random.path, game };
}
