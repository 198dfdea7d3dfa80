/**
 * Rollouts over workers, as who trains or evaluates sees them: each attempt is a job, named by run, part of it, version of the
 * policy, task and number, so its result counts once however often it is played, and is found again where the run goes on.
 * A job is only ever played with the version that put it, so nothing is stale.
 */
import { EmacError, invariant } from '@emac/core';
import { gatherEach, type Job, type Json } from '@emac/queue';
import type { Attempt, Elsewhere, RecordedEpisode } from '@emac/rollout';
import type { Game } from '@emac/world';
import type { Host } from '../host.ts';
import { carry } from './carried.ts';
import { readEpisode } from './episode-file.ts';
import type { GradientsPlace } from './gradients-elsewhere.ts';
import { storeVersion, type PolicyVersion } from './policy-version.ts';
import { rulesOf, type PlayRules } from './rollout-plan.ts';
import { forgetAll } from './forget-all.ts';
import { forgetting, partName } from './run-names.ts';
import { requireAgreement } from './require-agreement.ts';
import { shardJobs } from './shard-jobs.ts';
import { shareGame, type SharedGame } from './shared-game.ts';
import { watchForWorkers } from './watch-for-workers.ts';
import { workerVersions } from './worker-versions.ts';
import type { Workers } from './workers.ts';

/** An attempt, as it is sent. */
export interface SentAttempt extends Omit<Attempt, 'random'> {
  /** seed and names of its generator */
  readonly random: string;
  readonly game: SharedGame;
}

/** The input of a job of the kind `rollout`; `attempt` is a carried `SentAttempt`. */
export interface RolloutInput {
  readonly plan: string;
  readonly rules: PlayRules;
  readonly attempt: Json;
}

const runParts = ['before', 'probe', 'training', 'after', 'games'] as const;

/** What of a run is played: the evaluations around it, the expert's probe, training; or an evaluation by itself. */
export type RunPart = (typeof runParts)[number];

/** A run whose episodes workers play. */
export interface RunElsewhere {
  /** jobs that are no episodes */
  readonly gradients: GradientsPlace;
  /** plays the attempts of a part, whose numbers are its own; `version` is asked when they begin */
  part(
    name: RunPart,
    of: { readonly games: readonly Game[]; readonly version: () => PolicyVersion },
  ): Elsewhere;
  /** Throws `check-failed` where two workers have given different results for an episode of the run, until that is forgotten. */
  agreed(): Promise<void>;
  /** the run is over: nobody asks for its results any more; a queue that cannot forget them is told of, and spoils nothing */
  forget(): Promise<void>;
}

export interface ElsewhereParts {
  /** of its own among the runs of the queue, and the same where it goes on */
  readonly run: string;
  /** hash of the run's `RolloutPlan` */
  readonly plan: string;
  readonly listener: Host['listener'];
}

/** Has the episodes of a run played by workers. Errors, as it plays: those of queue and folder; `interrupted`, `check-failed` as `gather`. */
export function runElsewhere(workers: Workers, { run, plan, listener }: ElsewhereParts): RunElsewhere {
  const { queue, folder } = workers;
  const named = (part: RunPart): string => partName(run, plan, part);
  const gradients = shardJobs(workers, { kind: 'gradient', run, plan, listener });
  const left = () => ({ run, parts: [...runParts.map(named), ...gradients.left()] });
  const agreed = () => requireAgreement(queue, left());
  const gathered = async (episode: string, task: string): Promise<RecordedEpisode> => {
    try {
      return await readEpisode(folder, episode);
    } catch (thrown) {
      if (!(thrown instanceof EmacError) || thrown.code !== 'missing') throw thrown;
      throw emptied(thrown, { task, run });
    }
  };
  return {
    agreed,
    gradients: { folder, plan, jobs: gradients },
    part(name, { games, version }) {
      const own = named(name);
      const byId = new Map(games.map((game) => [game.id, game]));
      return async function* (setup, attempts) {
        const [policy, rules] = [storeVersion(folder, version()), rulesOf(setup)];
        const jobs = attempts.map((attempt): Job => {
          const { task, number: seed } = attempt;
          const game = byId.get(task.id);
          invariant(game, `workers: ${task.id} is not among the games of the run`);
          const input = { plan, rules, attempt: carry(folder, sentOf(attempt, shareGame(folder, game))) };
          return {
            name: { kind: 'rollout', run: own, policy, task: task.id, seed, shard: 0 },
            input: input satisfies RolloutInput as unknown as Json,
          };
        });
        await queue.announce(workerVersions());
        const unwatch = await watchForWorkers(queue, listener);
        try {
          for await (const [place, result] of gatherEach(queue, jobs, { signal: setup.signal })) {
            const { episode } = result as { readonly episode: string };
            yield [place, await gathered(episode, attempts[place]!.task.id)];
          }
        } catch (thrown) {
          if (thrown instanceof EmacError && thrown.code === 'check-failed') await agreed();
          throw thrown;
        } finally {
          unwatch();
        }
      };
    },
    forget: () => forgetAll(queue, left(), listener),
  };
}

function emptied(
  cause: EmacError,
  { task, run }: { readonly task: string; readonly run: string },
): EmacError {
  return new EmacError(
    'missing',
    `workers: the shared folder must hold every result that the queue has, that of ${task} is gone (${cause.message}); give the folder that was used, or ${forgetting(run)} and start again`,
    { cause },
  );
}

function sentOf({ random, ...attempt }: Attempt, game: SharedGame): SentAttempt {
  return { ...attempt, random: random.path, game };
}
