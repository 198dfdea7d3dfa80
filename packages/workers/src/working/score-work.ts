/** `score` jobs: a worker plays an episode of an evaluation and returns its score. */
import type { Json } from '@emac/queue';
import type { ScoreInput } from '../asking/scores-elsewhere.ts';
import type { WorkOf } from '../plan/bench.ts';
import { playerOf } from './step-player.ts';

export const scoreWork: WorkOf =
  (bench) =>
  async ({ name, input }, { signal }) => {
    const { plan, start, episode } = input as unknown as ScoreInput;
    const player = await playerOf(bench, { plan, start, version: name.policy });
    const scored = await player.score(episode, { signal });
    bench.did(`played ${name.run} ${name.task}, episode ${name.seed}`);
    return scored as unknown as Json;
  };
