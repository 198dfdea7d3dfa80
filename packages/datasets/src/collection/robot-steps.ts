/** Demonstrations of a robot's scripted controller as records, episode by episode. */
import { setImmediate } from 'node:timers/promises';
import { stopIfAsked } from '@emac/opening';
import type { Steps } from '@emac/workers';
import type { DatasetRecord } from '../dataset/offline-dataset.ts';
import { demonstratedSteps, type DemonstratedStep, type Demonstrating } from './demonstrated-steps.ts';
import { isOfShare, type PlayedSteps, type Playing } from './played-steps.ts';
import { robotRecord } from './robot-record.ts';

/** Plays the requested number of steps. Errors: `interrupted`, `usage`, `io`. */
export async function playDemonstrations(
  config: Demonstrating,
  { host, keepPicture }: Playing,
  steps: Steps<DemonstratedStep> = () => demonstratedSteps(config),
): Promise<PlayedSteps<{ readonly noisyLabels: number }>> {
  const sets = { training: [] as DatasetRecord[], validation: [] as DatasetRecord[] };
  let [step, episodes, noisyLabels] = [0, 0, 0];
  for await (const { picture, instruction, action, start, episode, isNoisy } of steps()) {
    stopIfAsked(host.signal);
    const image = `images/${step}.png`;
    keepPicture(image, await picture());
    const record = robotRecord({ image, instruction, action, source: config.env, episode: start });
    sets[isOfShare(episode, config.validation) ? 'validation' : 'training'].push(record);
    episodes = episode + 1;
    if (isNoisy) noisyLabels++;
    host.listener?.advance?.();
    if (++step % 64 === 0) await setImmediate();
  }
  return { ...sets, episodes, counts: { noisyLabels } };
}
