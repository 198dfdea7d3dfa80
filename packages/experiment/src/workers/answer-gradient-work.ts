/** Jobs of the kind `answers-gradient`: a worker differentiates a shard with the policy that it answers with. */
import { answererOf } from './answer-work.ts';
import type { WorkOf } from './bench.ts';
import { storeGradient } from './gradient-file.ts';
import type { LearnedGradientInput } from './learned-gradients.ts';
import { readShard } from './shard-file.ts';
import { computed } from './shard-jobs.ts';

export const answerGradientWork: WorkOf =
  (bench) =>
  async ({ name, input }) => {
    const { folder, did } = bench;
    const { plan, start, shard } = input as unknown as LearnedGradientInput;
    const { student } = await answererOf(bench, { plan, start, version: name.policy });
    const { rows, loss } = await readShard(folder, shard);
    const gradient = storeGradient(folder, await student.gradient(rows, loss));
    did(computed(name));
    return { gradient };
  };
