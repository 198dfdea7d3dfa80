/**
 * How long a run over workers takes, and what it moves: from a few times and sizes that are measured once. Groups of episodes come
 * one after the other: a group is played, each episode is gone through by the one that learns as it comes, then it learns.
 */

/** What a queue takes, beside the work. */
export interface QueueCosts {
  /** milliseconds from asking for a job until its result is there, where nothing else is asked */
  readonly askMs: number;
  /** milliseconds in which Redis takes a result and gives the next job: one worker after the other */
  readonly jobMs: number;
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

/** Milliseconds of a group with so many workers. */
export function groupMs(
  { episodesMs, againMs, updateMs }: GroupWork,
  workers: number,
  costs: QueueCosts,
): number {
  let through = 0;
  for (const at of handedIn(episodesMs, workers, costs)) through = Math.max(through, at) + againMs;
  return costs.askMs + through + updateMs;
}

/** When the result of each episode is there, in order of time: whoever is free first takes the next job, as the queue gives them out. */
function handedIn(episodesMs: readonly number[], workers: number, { jobMs }: QueueCosts): number[] {
  const atWork: number[] = Array(Math.min(workers, episodesMs.length)).fill(0);
  let redis = 0;
  const times = episodesMs.map((ms) => {
    const next = atWork.indexOf(Math.min(...atWork));
    redis = Math.max(redis, atWork[next]!) + jobMs;
    atWork[next] = redis + ms;
    return redis;
  });
  // what the first ones handed in is nothing; the last results follow
  const last = atWork.sort((a, b) => a - b).map((over) => (redis = Math.max(redis, over) + jobMs));
  return [...times.slice(atWork.length), ...last];
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
