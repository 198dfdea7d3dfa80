/** `steps` jobs: a worker steps a group of environments with a version of the policy, and returns the answers. */
import { packSteps, type SentSteps, type StepsInput } from '../asking/steps-elsewhere.ts';
import type { WorkOf } from '../plan/bench.ts';
import { carried, carry } from '../plan/carried.ts';
import { playerOf } from './step-player.ts';

export const stepWork: WorkOf =
  (bench) =>
  async ({ name, input }, context) => {
    const { folder, did } = bench;
    const { plan, start, asked } = input as unknown as StepsInput;
    const player = await playerOf(bench, { plan, start, version: name.policy });
    const sent = await carried<SentSteps>(folder, asked);
    const said = await player.play(sent, context);
    did(`stepped ${name.run} ${name.task}, update ${name.seed}, part ${name.shard}`);
    return carry(folder, packSteps(said));
  };
