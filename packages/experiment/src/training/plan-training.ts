/**
 * Opens and checks everything that a training run needs before its folder is made: bad input leaves nothing behind. Only
 * the pictures of a dataset are decoded later, each when it is first read.
 */
import { closings, type Host } from '@emac/opening';
import { smallNetworkOf, type TrainConfig } from '@emac/settings';
import { planModel } from './model-plan.ts';
import { planNetwork } from './network-plan.ts';
import type { Continued, TrainingPlan } from './plan.ts';

/** Errors: `usage`, `missing`, `data`, `auth`, `unavailable`. */
export async function planTraining(
  asked: TrainConfig,
  host: Host,
  continued?: Continued,
): Promise<TrainingPlan> {
  const open = closings();
  const plan = smallNetworkOf({ policy: asked.model.path }) ? planNetwork : planModel;
  try {
    return await plan(asked, { host, continued, open });
  } catch (thrown) {
    await open.close();
    throw thrown;
  }
}
