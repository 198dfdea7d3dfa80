/**
 * How long a run over workers takes, and what it moves: from a few times and sizes that are measured once. Groups of episodes come
 * one after the other: a group is played, each episode is gone through by the one that learns as it comes, then it learns.
 */

/** What a queue takes, beside the work. */
export interface QueueCosts {
  /** milliseconds from asking for the first job of a group to its being leased, and from a result to who asked */
  readonly askMs: number;
  /** milliseconds between two jobs of a worker, and for each job of who puts them */
  readonly jobMs: number;
  /** milliseconds until one more idle worker has heard that there are jobs: they are woken one after the other */
  readonly wakeMs: number;
}

/** A group of episodes that one version of the policy plays. */
export interface GroupWork {
  /** milliseconds that a worker takes for each, in the order in which they are put */
  readonly episodesMs: readonly number[];
  /** milliseconds that it takes to go through one once more */
  readonly againMs: number;
  /** milliseconds of learning after the last */
  readonly updateMs: number;
}

/** Milliseconds of a group with so many workers: jobs go to whoever is free first, as the queue gives them out. */
export function groupMs(
  { episodesMs, againMs, updateMs }: GroupWork,
  workers: number,
  costs: QueueCosts,
): number {
  const come = finished(episodesMs, workers, costs);
  let through = 0;
  for (const at of come) through = Math.max(through, at) + againMs + costs.jobMs;
  return costs.askMs + through + updateMs;
}

/** When each episode is over, in order of time. */
function finished(episodesMs: readonly number[], workers: number, { jobMs, wakeMs }: QueueCosts): number[] {
  const free = Array.from({ length: workers }, (_, place) => place * wakeMs);
  const over = episodesMs.map((ms) => {
    const next = free.indexOf(Math.min(...free));
    return (free[next] = free[next]! + ms + jobMs);
  });
  return over.sort((a, b) => a - b);
}

export interface RunSizes {
  readonly groups: number;
  readonly episodes: number;
  readonly workers: number;
  /** bytes of the file of a version of the policy */
  readonly versionBytes: number;
  /** bytes of a recorded episode with the pictures that are new */
  readonly episodeBytes: number;
  /** bytes between Redis and the others for one job */
  readonly redisBytes: number;
}

export interface Traffic {
  /** by which the shared folder grows */
  readonly stored: number;
  /** bytes that who learns writes and reads */
  readonly ofTrainer: number;
  /** bytes that all workers together write and read */
  readonly ofWorkers: number;
  readonly ofRedis: number;
}

/** Bytes of a run: versions are written once and read by each worker, episodes are written and read once. */
export function traffic(sizes: RunSizes): Traffic {
  const { groups, episodes, workers, versionBytes, episodeBytes, redisBytes } = sizes;
  const [versions, played] = [groups * versionBytes, groups * episodes * episodeBytes];
  return {
    stored: versions + played,
    ofTrainer: versions + played,
    ofWorkers: Math.min(workers, episodes) * versions + played,
    ofRedis: groups * episodes * redisBytes,
  };
}
