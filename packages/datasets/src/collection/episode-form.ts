/** Episodes collected by workers: their settings, and their steps as JSON, with pictures beside it. A robot's numbers are bytes, because JSON has no −0. */
import type { Json } from '@emac/queue';
import { packNumbers, unpackNumbers, type EpisodeForm } from '@emac/workers';
import type { CollectedStep } from './collected-steps.ts';
import type { EpisodeSettings } from './collection-settings.ts';
import { scriptedEpisodes } from './scripted-episodes.ts';

interface PackedStep extends Omit<CollectedStep, 'picture' | 'robot'> {
  readonly picture: string;
  /** `numbers`: eight of the hand, seven of the action, and the reward */
  readonly robot?: { readonly instruction: string; readonly numbers: string; readonly terminated: boolean };
}

/** How an environment's episodes are played and transferred. Errors: `usage`. */
export const episodesOf = (settings: EpisodeSettings): EpisodeForm<CollectedStep> => ({
  play: scriptedEpisodes(settings),
  async pack(folder, { picture, robot, ...step }) {
    const packed: PackedStep = { ...step, picture: folder.put(await picture()) };
    if (!robot) return packed as unknown as Json;
    const { instruction, action, state, outcome } = robot;
    const hand = state();
    const { reward, terminated } = await outcome();
    const numbers = packNumbers([...hand, ...action, reward]);
    return { ...packed, robot: { instruction, numbers, terminated } } as unknown as Json;
  },
  unpack(json, read) {
    const { picture, robot, ...step } = json as unknown as PackedStep;
    const unpacked = { ...step, picture: () => read(picture) };
    if (!robot) return unpacked;
    const { instruction, numbers, terminated } = robot;
    const all = unpackNumbers(numbers);
    const moved: CollectedStep['robot'] = {
      instruction,
      action: [...all.subarray(8, 15)],
      state: () => Float32Array.from(all.subarray(0, 8)),
      outcome: async () => ({ reward: all[15]!, terminated }),
    };
    return { ...unpacked, robot: moved };
  },
});
