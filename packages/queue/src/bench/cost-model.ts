/**
 * Predicts a run's duration and traffic on workers, from a few measured times and sizes. Groups of episodes come one
 * after another: workers play a group, the trainer replays each episode as it arrives, then it updates.
 */

/** The queue's own time, without the work. */
export interface QueueCosts {
  /** milliseconds from requesting a job to its result, with no other requests */
  readonly askMs: number;
  /** milliseconds Redis needs to take a result and give the next job, one worker after another */
  readonly jobMs: number;
}

/** A group of episodes played with one version of the policy. */
export interface GroupWork {
  /** a worker's milliseconds per episode, in the order of the jobs */
  readonly episodesMs: readonly number[];
  /** milliseconds to replay one episode */
  readonly againMs: number;
  /** milliseconds to update after the last replay */
  readonly updateMs: number;
}

/** Milliseconds per group with so many workers. */
export function groupMs(
  { episodesMs, againMs, updateMs }: GroupWork,
  workers: number,
  costs: QueueCosts,
): number {
  let through = 0;
  for (const at of handedIn(episodesMs, workers, costs)) through = Math.max(through, at) + againMs;
  return costs.askMs + through + updateMs;
}

/** The times at which results arrive, ascending: the first free worker takes the next job, as in the queue. */
function handedIn(episodesMs: readonly number[], workers: number, { jobMs }: QueueCosts): number[] {
  const atWork: number[] = Array(Math.min(workers, episodesMs.length)).fill(0);
  let redis = 0;
  const times = episodesMs.map((ms) => {
    const next = atWork.indexOf(Math.min(...atWork));
    redis = Math.max(redis, atWork[next]!) + jobMs;
    atWork[next] = redis + ms;
    return redis;
  });
  // the first hand-ins have no result; the last results follow
  const last = atWork.sort((a, b) => a - b).map((over) => (redis = Math.max(redis, over) + jobMs));
  return [...times.slice(atWork.length), ...last];
}

export interface RunSizes {
  readonly groups: number;
  readonly episodes: number;
  readonly workers: number;
  /** file size of a policy version, in bytes */
  readonly versionBytes: number;
  /** bytes of a recorded episode with its new pictures */
  readonly episodeBytes: number;
  /** Redis traffic of one job, in bytes */
  readonly redisBytes: number;
}

export interface Traffic {
  /** growth of the shared folder, in bytes */
  readonly stored: number;
  /** bytes the trainer writes and reads */
  readonly ofTrainer: number;
  /** bytes all workers write and read */
  readonly ofWorkers: number;
  readonly ofRedis: number;
}

/** Bytes of a run: each version is written once and read by every worker; each episode is written and read once. */
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
