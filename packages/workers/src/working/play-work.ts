/** `rollout` jobs: a worker plays an episode of a game. */
import type { Json } from '@emac/queue';
import type { RolloutInput, SentAttempt } from '../asking/elsewhere.ts';
import type { WorkOf } from '../plan/bench.ts';
import { carried } from '../plan/carried.ts';
import { storeEpisode } from '../plan/episode-file.ts';
import { playOf } from './open-play.ts';

export const playWork: WorkOf =
  (bench) =>
  async ({ name, input }, { signal, report }) => {
    const { plan, rules, attempt } = input as unknown as RolloutInput;
    const { folder, did } = bench;
    const { play } = await playOf(bench, plan);
    const sent = await carried<SentAttempt>(folder, attempt);
    const [episode] = await play(name.policy, [sent], {
      rules,
      parallel: 1,
      signal,
      report: (event) => {
        if (event.kind === 'step') report({ step: event.index + 1, of: rules.maxSteps });
      },
    });
    const result: Json = { episode: await storeEpisode(folder, episode!) };
    did(`played ${name.run} ${name.task}`);
    return result;
  };
