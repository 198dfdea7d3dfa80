/** `gradient` jobs: a worker differentiates a shard with the student it plays episodes with. */
import type { GradientInput } from '../asking/gradients-elsewhere.ts';
import { computed } from '../asking/shard-jobs.ts';
import type { WorkOf } from '../plan/bench.ts';
import { storeGradient } from '../plan/gradient-file.ts';
import { readShard } from '../plan/shard-file.ts';
import { playOf } from './open-play.ts';

export const gradientWork: WorkOf =
  (bench) =>
  async ({ name, input }) => {
    const { folder, did } = bench;
    const { plan, learnt, shard } = input as unknown as GradientInput;
    const student = await (await playOf(bench, plan)).learner(name.policy, learnt);
    const { rows, loss } = await readShard(folder, shard);
    const gradient = storeGradient(folder, await student.gradient(rows, loss));
    did(computed(name));
    return { gradient };
  };
