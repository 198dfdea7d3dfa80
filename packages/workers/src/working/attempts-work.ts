/** `attempts` jobs: a worker plays attempts that share batches, a few at each task. */
import type { Json } from '@emac/queue';
import type { AttemptsInput } from '../asking/attempts-elsewhere.ts';
import type { SentAttempt } from '../asking/elsewhere.ts';
import type { WorkOf } from '../plan/bench.ts';
import { carried, carry } from '../plan/carried.ts';
import { storeEpisode } from '../plan/episode-file.ts';
import { playOf } from './open-play.ts';

export const attemptsWork: WorkOf =
  (bench) =>
  async ({ name, input }, { signal, report }) => {
    const { plan, rules, parallel, attempts } = input as unknown as AttemptsInput;
    const { folder, did } = bench;
    const { play } = await playOf(bench, plan);
    const sent = await carried<SentAttempt[]>(folder, attempts);
    let over = 0;
    const episodes = await play(name.policy, sent, {
      rules,
      parallel,
      signal,
      report: ({ kind }) => {
        if (kind === 'episode-end') report({ step: ++over, of: sent.length });
      },
    });
    const stored: string[] = [];
    for (const episode of episodes) stored.push(await storeEpisode(folder, episode));
    did(`played ${name.run} ${name.task}, update ${name.seed}, part ${name.shard}`);
    return carry(folder, stored) as Json;
  };
