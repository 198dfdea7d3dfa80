/** Shared parts of dataset collections, for any labeller. */
import type { Host } from '@emac/opening';
import type { DatasetRecord } from '../dataset/offline-dataset.ts';

export interface PlayedSteps<Counts> {
  readonly training: readonly DatasetRecord[];
  readonly validation: readonly DatasetRecord[];
  readonly episodes: number;
  /** further counts to report */
  readonly counts: Counts;
}

export interface Playing {
  readonly host: Host;
  /** Writes a picture, by its path within the dataset's folder. Errors: `io`. */
  readonly keepPicture: (name: string, png: Uint8Array) => void;
}

/** Spreads a share evenly over the numbers from 0: with 0.1 every tenth number, not starting at 0. */
export function isOfShare(number: number, share: number): boolean {
  return Math.floor((number + 1) * share) > Math.floor(number * share);
}

/** The first steps of episodes from number 0 on; truncates the last one. */
export function* stepsOf<Step>(samples: number, play: (episode: number) => Iterable<Step>): Generator<Step> {
  let left = samples;
  for (let episode = 0; left > 0; episode++)
    for (const step of play(episode)) {
      yield step;
      if (--left === 0) break;
    }
}
