/** Jobs of the kind `gradient`: a worker differentiates a shard with the student of a run that it plays episodes for. */
import type { WorkOf } from './bench.ts';
import { storeGradient } from './gradient-file.ts';
import type { GradientInput } from './gradients-elsewhere.ts';
import { playOf } from './open-play.ts';
import { readShard } from './shard-file.ts';
import { computed } from './shard-jobs.ts';

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
