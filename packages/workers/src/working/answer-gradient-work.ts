/** `answers-gradient` jobs: a worker differentiates a shard with the policy it answers with. */
import type { LearnedGradientInput } from '../asking/learned-gradients.ts';
import { computed } from '../asking/shard-jobs.ts';
import type { WorkOf } from '../plan/bench.ts';
import { storeGradient } from '../plan/gradient-file.ts';
import { readShard } from '../plan/shard-file.ts';
import { answererOf } from './answer-work.ts';

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
