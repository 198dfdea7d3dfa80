/**
 * The trainer's side of GRPO attempts played by workers: tasks of an update that are answered together form a job; the
 * attempts at a task begin alike.
 */
import type { AttemptsElsewhere } from '@emac/algorithms';
import type { Task } from '@emac/core';
import type { Student } from '@emac/model';
import type { Workers } from '@emac/opening';
import type { Json } from '@emac/queue';
import { groupsOf, type Attempt } from '@emac/rollout';
import { stillThere } from '../jobs/still-there.ts';
import { updateJobs, type UpdateJobs, type UpdateJobsOf } from '../jobs/update-jobs.ts';
import { carried, carry } from '../plan/carried.ts';
import { readEpisode } from '../plan/episode-file.ts';
import { storeVersion, versionOf } from '../plan/policy-version.ts';
import { rulesOf, type PlayRules } from '../plan/rollout-plan.ts';
import { shareGame, type GameFile } from '../plan/shared-game.ts';
import type { SentAttempt } from './elsewhere.ts';

/**
 * The input of an `attempts` job; `attempts` are carried `SentAttempt`s, the result carried hashes of their episodes.
 */
export interface AttemptsInput {
  /** hash of the run's `RolloutPlan` */
  readonly plan: string;
  readonly rules: PlayRules;
  /** attempts per batch; affects the last bits */
  readonly parallel: number;
  readonly attempts: Json;
}

export interface RunAttempts extends Pick<UpdateJobs, 'agreed' | 'forget'> {
  readonly elsewhere: AttemptsElsewhere;
}

export interface RunAttemptsParts extends Omit<UpdateJobsOf, 'kind'> {
  readonly policy: Pick<Student, 'projection' | 'adapter'>;
  /** attempts per task */
  readonly groupSize: number;
  /** tasks per job; null: all of an update */
  readonly together: number | null;
  /** the game of a task; null for tasks outside ALFWorld */
  readonly gameOf: (task: Task) => GameFile | null;
}

/**
 * Lets workers play the attempts of a run. Errors while playing: those of queue and folder; `interrupted`,
 * `check-failed` as `gather`.
 */
export function runAttempts(workers: Workers, parts: RunAttemptsParts): RunAttempts {
  const { folder } = workers;
  const { run, plan, policy, groupSize, together, gameOf } = parts;
  const { done, agreed, forget } = updateJobs(workers, { ...parts, kind: 'attempts' });
  const elsewhere: AttemptsElsewhere = ({ update, draw, parameters }, asking) => ({
    labels: true,
    async *play(setup, attempts) {
      const { parameters: all, adapter } = versionOf(policy);
      // frozen parameters are equal in every version
      const version = storeVersion(folder, { parameters: new Map([...all, ...parameters]), adapter });
      const jobs = groupsOf(attempts.length / groupSize, together).map(({ first, end }) =>
        attempts.slice(first * groupSize, end * groupSize),
      );
      const { parallel } = setup;
      const games = new Map(
        setup.environment.tasks.map((task) => {
          const game = gameOf(task);
          return [task.id, game && shareGame(folder, game)];
        }),
      );
      const sentOf = ({ random, ...attempt }: Attempt): SentAttempt => {
        return { ...attempt, random: random.path, game: games.get(attempt.task.id) ?? null };
      };
      const inputs = jobs.map((some) => {
        const asked = { plan, rules: rulesOf(setup), parallel };
        return { ...asked, attempts: carry(folder, some.map(sentOf)) } satisfies AttemptsInput;
      });
      const results = await done({ update, draw, version, inputs: inputs as unknown as Json[] }, asking);
      const there = <T>(read: () => Promise<T>) => stillThere({ task: `update ${update}`, run }, read);
      let place = 0;
      for (const result of results)
        for (const episode of await there(() => carried<string[]>(folder, result)))
          yield [place++, await there(() => readEpisode(folder, episode))] as const;
    },
  });
  return { elsewhere, agreed, forget };
}
