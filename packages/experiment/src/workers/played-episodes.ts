/**
 * Episodes that are collected from an environment, as workers play them: which those are, and their steps as JSON, with pictures beside it. Numbers of a
 * robot are bytes: JSON has no −0.
 */
import { canonicalJson } from '@emac/files';
import type { Json, SharedFolder, Versions } from '@emac/queue';
import { demonstrator, type DemonstratedStep } from '../collection/demonstrated-steps.ts';
import type { EnvironmentCollectionConfig } from '../collection/environment-collection-config.ts';
import { scripted, type ScriptedStep } from '../collection/scripted-steps.ts';
import { packNumbers, unpackNumbers } from './packed-answers.ts';
import { workerVersions } from './worker-versions.ts';

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

/** What an episode of a number follows from. */
export type EpisodeSettings = Pick<EnvironmentCollectionConfig, (typeof named)[number]>;

/** What a worker has to know to play such episodes. It lies in the shared folder under its hash. */
export interface EpisodePlan {
  readonly v: 1;
  /** of the code: what another has played is not this collection's, also where it lies in the queue still */
  readonly versions: Versions;
  readonly settings: EpisodeSettings;
}

/** Stores the plan; returns its hash. Errors: those of the folder. */
export function storeEpisodePlan(folder: SharedFolder, config: EpisodeSettings): string {
  const settings = Object.fromEntries(named.map((name) => [name, config[name]]));
  const plan = { v: 1, versions: workerVersions(), settings };
  return folder.put(Buffer.from(canonicalJson(plan)));
}

/** How episodes of a kind are played, and how their steps go from process to process. */
export interface EpisodeForm<Step> {
  /** Errors: `usage`. */
  player(settings: EpisodeSettings): (episode: number) => Iterable<Step>;
  /** Errors: those of the folder. */
  pack(folder: SharedFolder, step: Step): Promise<Json>;
  /** The step; its picture is what `read` gives for a hash. */
  unpack(packed: Json, episode: number, read: ReadPicture): Step;
}

/** The bytes of a hash. */
export type ReadPicture = (hash: string) => Promise<Uint8Array>;

interface PackedScripted {
  readonly picture: string;
  readonly input: string;
  readonly output: string;
  readonly type: string;
  readonly game: string;
  readonly isNoisy: boolean;
}

/** Of a scripted player. */
export const scriptedForm: EpisodeForm<ScriptedStep> = {
  player: scripted,
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
};

/** `numbers`: the hand's eight, the action's seven, the reward. */
interface PackedDemonstrated {
  readonly picture: string;
  readonly numbers: string;
  readonly instruction: string;
  readonly start: string;
  readonly isNoisy: boolean;
  readonly terminated: boolean;
}

/** Of a robot's controller. */
export const demonstratedForm: EpisodeForm<DemonstratedStep> = {
  player: demonstrator,
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
};
