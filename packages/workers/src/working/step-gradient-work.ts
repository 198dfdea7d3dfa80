/** `steps-gradient` jobs: a worker differentiates a shard with the policy and critic it plays steps with. */
import type { LearnedGradientInput } from '../asking/learned-gradients.ts';
import { computed } from '../asking/shard-jobs.ts';
import type { WorkOf } from '../plan/bench.ts';
import { storeActorGradient } from '../plan/gradient-file.ts';
import { readActorShard } from '../plan/shard-file.ts';
import { playerOf } from './step-player.ts';

export const stepGradientWork: WorkOf =
  (bench) =>
  async ({ name, input }) => {
    const { folder, did } = bench;
    const { plan, start, shard } = input as unknown as LearnedGradientInput;
    const player = await playerOf(bench, { plan, start, version: name.policy });
    const { rows, losses } = await readActorShard(folder, shard);
    const gradient = storeActorGradient(folder, await player.gradient(rows, losses));
    did(computed(name));
    return { gradient };
  };
