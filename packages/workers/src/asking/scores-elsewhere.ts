/**
 * Evaluations in environments on workers: each episode is a job and returns its score. Such episodes have no watchers.
 */
import type { ActorCritic } from '@emac/core';
import type { Host, Workers } from '@emac/opening';
import { gatherEach, type Job } from '@emac/queue';
import type { ScoredEpisode } from '@emac/rollout';
import { programVersions } from '@emac/settings';
import { forgetAll } from '../jobs/forget-all.ts';
import { requireAgreement } from '../jobs/require-agreement.ts';
import { partName } from '../jobs/run-names.ts';
import { watchForWorkers } from '../jobs/watch-for-workers.ts';
import { storeLearned } from '../plan/learned-version.ts';
import type { Planned } from '../plan/policy-plan.ts';

/** An episode in the form sent to workers. */
export interface SentEpisode {
  readonly number: number;
  /** seed and names of the evaluation's generator */
  readonly random: string;
  readonly blankFrames: boolean;
}

/** The input of a `score` job; the result is a `ScoredEpisode`. */
export interface ScoreInput extends Planned {
  readonly episode: SentEpisode;
}

export interface ScoredElsewhere {
  /** unique among the queue's runs; unchanged on resume */
  readonly run: string;
  /** hashes of the plans workers open */
  readonly plan: string;
  readonly start: string | null;
  readonly task: string;
  readonly actorCritic: Pick<ActorCritic, 'groups'>;
  readonly host: Pick<Host, 'listener' | 'signal'>;
}

export interface AskedScores extends Omit<SentEpisode, 'number'> {
  /** name of the evaluation within the run */
  readonly part: string;
  readonly numbers: readonly number[];
  /** called for each as it arrives */
  readonly ended: (number: number, scored: ScoredEpisode) => void;
}

export interface RunScores {
  /** The score of each episode, by number. Errors: as `gatherEach`, those of queue and folder. */
  scores(asked: AskedScores): Promise<ReadonlyMap<number, ScoredEpisode>>;
  /** Call before reporting the scores. Errors: as `requireAgreement`. */
  agreed(parts: readonly string[]): Promise<void>;
  /** drops the results of these evaluations */
  forget(parts: readonly string[]): Promise<void>;
}

export function runScores(
  { queue, folder }: Workers,
  { run, plan, start, task, actorCritic, host }: ScoredElsewhere,
): RunScores {
  const named = (part: string): string => partName(run, plan, part);
  return {
    async scores({ part, numbers, ended, ...of }) {
      const { policy, value } = actorCritic.groups;
      const version = storeLearned(folder, { groups: [...policy, ...value] });
      const jobs = numbers.map((number): Job => {
        const input = { plan, start, episode: { number, ...of } } satisfies ScoreInput;
        return {
          name: { kind: 'score', run: named(part), policy: version, task, seed: number, shard: 0 },
          input,
        };
      });
      const found = new Map<number, ScoredEpisode>();
      await queue.announce(programVersions());
      const unwatch = await watchForWorkers(queue, host.listener);
      try {
        for await (const [place, result] of gatherEach(queue, jobs, { signal: host.signal })) {
          const scored = result as unknown as ScoredEpisode;
          found.set(numbers[place]!, scored);
          ended(numbers[place]!, scored);
        }
      } finally {
        unwatch();
      }
      return found;
    },
    agreed: (parts) => requireAgreement(queue, { run, parts: parts.map(named) }),
    forget: (parts) => forgetAll(queue, { run, parts: parts.map(named) }, host.listener),
  };
}
