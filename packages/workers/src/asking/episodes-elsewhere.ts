/**
 * Episodes of an environment over workers, as who collects sees them: a few episodes of a row are a job, and their steps are taken in the episodes' order until there
 * are enough. How many episodes that takes is not known before, so jobs are put in turns, each by how long episodes were so far; what is too much is played and
 * left out.
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

/** What a worker has to know to play such episodes. It lies in the shared folder under its hash. */
export interface EpisodePlan {
  readonly v: 1;
  /** of the code: what another has played is not this collection's, also where it lies in the queue still */
  readonly versions: Versions;
  /** what an episode of a number follows from */
  readonly settings: Json;
}

function storePlan(folder: SharedFolder, settings: object): string {
  const plan = { v: 1, versions: programVersions(), settings };
  return folder.put(Buffer.from(canonicalJson(plan)));
}

/** Steps of episode after episode, as many as are asked for, played here or elsewhere; each is read before the next one is asked for. */
export type Steps<Step> = () => Iterable<Step> | AsyncIterable<Step>;

/** The input of a job of the kind `episodes`: `count` episodes from the one of number `first` on. Its result is carried: steps, packed, by episode. */
export interface EpisodesInput {
  readonly plan: string;
  readonly first: number;
  readonly count: number;
}

export interface EpisodesElsewhere {
  /** Errors, as they are played: `usage` for what cannot be; those of queue and folder; `interrupted` as `gather`; `check-failed`, also at the end, as `requireAgreement`. */
  steps<Step>(form: EpisodeForm<Step>): Steps<Step>;
  /** nobody asks for its results any more */
  forget(): Promise<void>;
}

interface Collected {
  /** of its own among the runs of the queue, and the same where the same command starts again */
  readonly run: string;
  /** what an episode of a number follows from, as JSON */
  readonly settings: { readonly env: string };
  /** steps that are asked for */
  readonly samples: number;
  /** episodes of a job, and jobs that are put before it is known how long episodes are */
  readonly sizes: { readonly together: number; readonly firstTurn: number };
  readonly host: Pick<Host, 'listener' | 'signal'>;
}

/** Has the episodes of a collection played by workers. Errors: those of the folder. */
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
    // what cannot be played, or asked for in words, is refused here at its first step, and not by every worker
    play(0)[Symbol.iterator]().next();
    await queue.announce(programVersions());
    const unwatch = await watchForWorkers(queue, host.listener);
    let [given, episode, jobs] = [0, 0, 0];
    try {
      while (given < samples) {
        const turn = given === 0 ? firstTurn : Math.ceil((samples - given) / (given / jobs));
        // all of a turn is waited for, so that no result comes when the collection is over
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
  /** episodes of a job */
  readonly together: number;
}

function jobAt(place: number, { plan, run, task, together: count }: Jobs): Job {
  const input: EpisodesInput = { plan, first: place * count, count };
  const name = { kind: 'episodes', run, policy: 'scripted', task, seed: place, shard: 0 };
  return { name, input: input as unknown as Json };
}
