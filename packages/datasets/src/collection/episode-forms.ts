/**
 * Episodes collected by workers: their settings, and their steps as JSON, with pictures beside it. A robot's numbers are bytes, because JSON has no −0.
 */
import { localWorld } from '@emac/opening';
import type { Json } from '@emac/queue';
import { packNumbers, unpackNumbers, type EpisodeForm } from '@emac/workers';
import { demonstrator, type DemonstratedStep } from './demonstrated-steps.ts';
import type { EnvironmentCollectionConfig } from './environment-collection-config.ts';
import { scripted, type ScriptedStep } from './scripted-steps.ts';

const named = [
  'env',
  'seed',
  'maxSteps',
  'palette',
  'randomActions',
  'labelNoise',
  'actionOnly',
  'actionSteps',
] as const;

/** The settings that determine an episode of a number. */
export type EpisodeSettings = Pick<EnvironmentCollectionConfig, (typeof named)[number]>;

/** These settings of a collection, as JSON. */
export function episodeSettings(config: EpisodeSettings): EpisodeSettings {
  return Object.fromEntries(named.map((name) => [name, config[name]])) as unknown as EpisodeSettings;
}

/** How an environment's episodes are played and transferred. Errors: `usage`. */
export function episodesOf(settings: EpisodeSettings): EpisodeForm<unknown> {
  return localWorld(settings.env).moved ? demonstratedForm(settings) : scriptedForm(settings);
}

interface PackedScripted {
  readonly picture: string;
  readonly input: string;
  readonly output: string;
  readonly type: string;
  readonly game: string;
  readonly isNoisy: boolean;
}

/** With a scripted player. Errors: `usage`. */
export const scriptedForm = (settings: EpisodeSettings): EpisodeForm<ScriptedStep> => ({
  play: scripted(settings),
  async pack(folder, { picture, text_input, text_output, task_type, game_id, isNoisy }) {
    const hash = folder.put(await picture());
    const packed: PackedScripted = {
      picture: hash,
      input: text_input,
      output: text_output,
      type: task_type!,
      game: game_id!,
      isNoisy,
    };
    return packed as unknown as Json;
  },
  unpack(packed, episode, read) {
    const { picture, input, output, type, game, isNoisy } = packed as unknown as PackedScripted;
    return {
      picture: () => read(picture),
      text_input: input,
      text_output: output,
      verbatim: true,
      task_type: type,
      game_id: game,
      isNoisy,
      episode,
    };
  },
});

/** `numbers`: eight of the hand, seven of the action, and the reward. */
interface PackedDemonstrated {
  readonly picture: string;
  readonly numbers: string;
  readonly instruction: string;
  readonly start: string;
  readonly isNoisy: boolean;
  readonly terminated: boolean;
}

/** With a robot's controller. Errors: `usage`. */
export const demonstratedForm = (settings: EpisodeSettings): EpisodeForm<DemonstratedStep> => ({
  play: demonstrator(settings),
  async pack(folder, { picture, state, action, instruction, start, isNoisy, outcome }) {
    const [hash, hand] = [folder.put(await picture()), state()];
    const { reward, terminated } = outcome();
    const numbers = packNumbers([...hand, ...action, reward]);
    const packed: PackedDemonstrated = { picture: hash, numbers, instruction, start, isNoisy, terminated };
    return packed as unknown as Json;
  },
  unpack(packed, episode, read) {
    const { picture, numbers, terminated, ...step } = packed as unknown as PackedDemonstrated;
    const all = unpackNumbers(numbers);
    return {
      ...step,
      episode,
      picture: () => read(picture),
      state: () => Float32Array.from(all.subarray(0, 8)),
      action: [...all.subarray(8, 15)],
      outcome: () => ({ reward: all[15]!, terminated }),
    };
  },
});
