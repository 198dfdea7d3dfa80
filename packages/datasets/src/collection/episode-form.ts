/** Episodes collected by workers: their settings, and their steps as data, with the bytes of their pictures. */
import { EmacError } from '@emac/core';
import type { EpisodeForm } from '@emac/workers';
import { z } from 'zod';
import { recordSchema } from '../dataset/offline-dataset.ts';
import type { CollectedStep, PlayEpisode } from './collected-steps.ts';
import type { EpisodeSettings } from './collection-settings.ts';
import { playedEpisodes } from './played-episodes.ts';

type Robot = NonNullable<CollectedStep['robot']>;

interface PackedStep extends Omit<CollectedStep, 'picture' | 'robot'> {
  readonly picture: Uint8Array;
  readonly robot?: Pick<Robot, 'instruction' | 'action'> & {
    readonly state: ReturnType<Robot['state']>;
    readonly outcome: Awaited<ReturnType<Robot['outcome']>>;
  };
}

const wholly =
  <Step>(play: PlayEpisode<Step>) =>
  (episode: number) =>
    play(episode, Infinity);

const form = z.object({
  picture: z.instanceof(Uint8Array),
  pictureKey: z.string().optional(),
  texts: recordSchema.omit({ image: true, text_output_neg: true }),
  isNoisy: z.boolean(),
  episode: z.int(),
  shared: z.int(),
  robot: z
    .object({
      instruction: z.string(),
      action: z.array(z.number()),
      state: z.instanceof(Float32Array),
      outcome: z.object({ reward: z.number(), terminated: z.boolean() }),
    })
    .optional(),
});

/** How an environment's episodes are played and transferred. Errors: `usage`. */
export const episodesOf = (settings: EpisodeSettings): EpisodeForm<CollectedStep> => ({
  play: wholly(playedEpisodes(settings)),
  async pack({ picture, robot, ...step }): Promise<PackedStep> {
    const packed = { ...step, picture: Uint8Array.from(await picture()) };
    if (!robot) return packed;
    const { instruction, action, state, outcome } = robot;
    return { ...packed, robot: { instruction, action, state: state(), outcome: await outcome() } };
  },
  unpack(packed) {
    if (!form.safeParse(packed).success)
      throw new EmacError('data', 'a step must have its picture, texts and numbers');
    const { picture, robot, ...step } = packed as PackedStep;
    const unpacked = { ...step, picture: async () => picture };
    if (!robot) return unpacked;
    const { state, outcome } = robot;
    return { ...unpacked, robot: { ...robot, state: () => state, outcome: async () => outcome } };
  },
});
