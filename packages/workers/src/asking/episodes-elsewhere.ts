/**
 * The collector's side of dataset episodes on workers. A few consecutive episodes are a job; steps are taken in episode
 * order until there are enough. The number of episodes is not known beforehand. So jobs come in turns, sized by the
 * episode lengths so far; surplus episodes are dropped.
 */
import { EmacError } from '@emac/core';
import { canonicalJson } from '@emac/files';
import type { Host, Workers } from '@emac/opening';
import { gatherEach, type Job, type Json, type SharedFolder, type Versions } from '@emac/queue';
import { programVersions } from '@emac/settings';
import { forgetAll } from '../jobs/forget-all.ts';
import { inOrder } from '../jobs/in-order.ts';
import { requireAgreement } from '../jobs/require-agreement.ts';
import { partName } from '../jobs/run-names.ts';
import { stillThere } from '../jobs/still-there.ts';
import { watchForWorkers } from '../jobs/watch-for-workers.ts';
import { carried, patiently } from '../plan/carried.ts';
import type { EpisodeForm } from '../plan/players.ts';

/** The data a worker needs to play such episodes. It lies in the shared folder under its hash. */
export interface EpisodePlan {
  readonly v: 1;
  /** of the code: results of another version do not count, even if still in the queue */
  readonly versions: Versions;
  /** everything an episode's content depends on, besides its number */
  readonly settings: Json;
}

function storePlan(folder: SharedFolder, settings: object): string {
  const plan = { v: 1, versions: programVersions(), settings };
  return folder.put(Buffer.from(canonicalJson(plan)));
}

/**
 * Steps of episode after episode, played here or by workers, as many as are read; each is read before the next is
 * requested.
 */
export type Steps<Step> = () => Iterable<Step> | AsyncIterable<Step>;

/**
 * The input of an `episodes` job: `count` episodes from number `first` on. Its result is carried: packed steps, by
 * episode.
 */
export interface EpisodesInput {
  readonly plan: string;
  readonly first: number;
  readonly count: number;
}

export interface EpisodesElsewhere {
  /**
   * Errors while playing: `usage` for impossible settings; those of queue and folder; `interrupted` as `gather`;
   * `check-failed`, also at the end, as `requireAgreement`.
   */
  steps<Step>(form: EpisodeForm<Step>): Steps<Step>;
  /** drops the collection's results */
  forget(): Promise<void>;
}

interface Collected {
  /** unique among the queue's runs; unchanged if the same command restarts */
  readonly run: string;
  /** everything an episode's content depends on besides its number, as JSON */
  readonly settings: { readonly env: string };
  /** steps to collect */
  readonly samples: number;
  /** episodes per job; jobs of the first turn, before episode lengths are known */
  readonly sizes: { readonly together: number; readonly firstTurn: number };
  readonly host: Pick<Host, 'listener' | 'signal'>;
}

/** Lets workers play the episodes of a collection. Errors: those of the folder. */
export function episodesElsewhere(
  { queue, folder }: Workers,
  { run, settings, samples, sizes: { together, firstTurn }, host }: Collected,
): EpisodesElsewhere {
  const plan = storePlan(folder, settings);
  const parts = [partName(run, plan, 'episodes')];
  const agreed = () => requireAgreement(queue, { run, parts });
  const there = <T>(read: () => Promise<T>) => stillThere({ task: settings.env, run }, read);
  const picture = (hash: string) => there(() => patiently(() => folder.get(hash)));
  async function* played(from: number, turn: number): AsyncGenerator<readonly (readonly Json[])[]> {
    const of = { plan, run: parts[0]!, task: settings.env, together };
    const jobs = Array.from({ length: turn }, (_, place) => jobAt(from + place, of));
    for await (const [, result] of inOrder(gatherEach(queue, jobs, { signal: host.signal })))
      yield await there(() => carried<Json[][]>(folder, result));
  }
  async function* steps<Step>({ play, unpack }: EpisodeForm<Step>): AsyncGenerator<Step> {
    // plays one step here, to refuse invalid settings before every worker does
    play(0)[Symbol.iterator]().next();
    await queue.announce(programVersions());
    const unwatch = await watchForWorkers(queue, host.listener);
    let [given, episode, jobs] = [0, 0, 0];
    try {
      while (given < samples) {
        const turn = given === 0 ? firstTurn : Math.ceil((samples - given) / (given / jobs));
        // waits for the whole turn, so no result arrives after the collection
        for await (const episodes of played(jobs, turn))
          for (const packed of episodes) {
            for (const step of packed.slice(0, samples - given)) {
              given++;
              yield unpack(step, episode, picture);
            }
            episode++;
          }
        jobs += turn;
      }
      await agreed();
    } catch (thrown) {
      if (thrown instanceof EmacError && thrown.code === 'check-failed') await agreed();
      throw thrown;
    } finally {
      unwatch();
    }
  }
  return {
    steps: (form) => () => steps(form),
    forget: () => forgetAll(queue, { run, parts }, host.listener),
  };
}

interface Jobs {
  readonly plan: string;
  readonly run: string;
  readonly task: string;
  /** episodes per job */
  readonly together: number;
}

function jobAt(place: number, { plan, run, task, together: count }: Jobs): Job {
  const input: EpisodesInput = { plan, first: place * count, count };
  const name = { kind: 'episodes', run, policy: 'scripted', task, seed: place, shard: 0 };
  return { name, input: input as unknown as Json };
}
