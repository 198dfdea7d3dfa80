/**
 * Rollouts over workers, as who trains or evaluates sees them: each attempt is a job, named by run, part of it, version of the
 * policy, task and number, so its result counts once however often it is played, and is found again where the run goes on.
 * A job is only ever played with the version that put it, so nothing is stale.
 */
import { invariant } from '@emac/core';
import { gatherEach, type Job, type JobQueue, type Json, type SharedFolder } from '@emac/queue';
import type { Attempt, Elsewhere } from '@emac/rollout';
import type { Game } from '@emac/world';
import type { Host } from '../host.ts';
import { carry } from './carried.ts';
import { readEpisode } from './episode-file.ts';
import { storeVersion, type PolicyVersion } from './policy-version.ts';
import { rulesOf, type PlayRules } from './rollout-plan.ts';
import { shareGame, type SharedGame } from './shared-game.ts';
import { workerVersions } from './worker-versions.ts';

/** Where jobs are put, and what is too large for them. */
export interface Workers {
  readonly queue: JobQueue;
  readonly folder: SharedFolder;
}

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

/** A run whose episodes workers play. */
export interface RunElsewhere {
  /** plays the attempts of a part, whose numbers are its own; `version` is asked when they begin */
  part(
    name: string,
    of: { readonly games: readonly Game[]; readonly version: () => PolicyVersion },
  ): Elsewhere;
  /** the run is over: nobody asks for its results any more */
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
export function runElsewhere(
  { queue, folder }: Workers,
  { run, plan, listener }: ElsewhereParts,
): RunElsewhere {
  const parts = new Set<string>();
  return {
    part(name, { games, version }) {
      const own = `${run}.${plan.slice(0, 12)}.${name}`;
      parts.add(own);
      const byId = new Map(games.map((game) => [game.id, game]));
      return async function* (setup, attempts) {
        await queue.announce(workerVersions());
        if ((await queue.workers()).length === 0)
          listener?.note?.(
            'no worker is there yet: start npx emac worker with the same --queue and --shared',
          );
        const policy = storeVersion(folder, version());
        const rules = rulesOf(setup);
        const jobs = attempts.map((attempt): Job => {
          const game = byId.get(attempt.task.id);
          invariant(game, `workers: ${attempt.task.id} is not among the games of the run`);
          const sent: SentAttempt = {
            ...attempt,
            random: attempt.random.path,
            game: shareGame(folder, game),
          };
          const input = { plan, rules, attempt: carry(folder, sent) } satisfies RolloutInput;
          const { task, number: seed } = attempt;
          return {
            name: { kind: 'rollout', run: own, policy, task: task.id, seed, shard: 0 },
            input: input as unknown as Json,
          };
        });
        for await (const [place, result] of gatherEach(queue, jobs, { signal: setup.signal })) {
          const { episode } = result as { readonly episode: string };
          yield [place, await readEpisode(folder, episode)];
        }
      };
    },
    async forget() {
      for (const own of parts) await queue.forget(own);
    },
  };
}
