/** What a collection has of a step, whoever plays, and how steps become the records of its datasets. */
import { setImmediate } from 'node:timers/promises';
import { EmacError, type MovedEnvironment } from '@emac/core';
import { stopIfAsked, type Host } from '@emac/opening';
import { pictureFormat } from '@emac/rlds';
import { vlaPrompt } from '@emac/vla';
import type { PublishedRecord } from '../dataset/offline-dataset.ts';

export type RecordTexts = Omit<PublishedRecord, 'image' | 'text_output_neg'>;

export interface CollectedStep {
  /** PNG or JPEG, rendered on request; call it before the outcome and before the next step */
  readonly picture: () => Promise<Uint8Array>;
  /** equal for equal pictures, which are stored once; absent: like no other */
  readonly pictureKey?: string;
  readonly texts: RecordTexts;
  /** whether the label is deliberately not the best action */
  readonly isNoisy: boolean;
  /** the episode's number */
  readonly episode: number;
  /** decides whether it is held out: the same number for every repeat of a task */
  readonly shared: number;
  /** absent: no robot, or one whose data are converted */
  readonly robot?: RobotStep;
}

/** What a robot's data has besides the texts. */
export interface RobotStep {
  readonly instruction: string;
  /** the label */
  readonly action: readonly number[];
  /** the hand's eight numbers before the action; call it before the outcome */
  readonly state: () => Float32Array;
  /** of the label, or of a distracting random action */
  readonly outcome: () => Promise<Pick<ReturnType<MovedEnvironment['step']>, 'reward' | 'terminated'>>;
}

export interface PlayedSteps {
  readonly training: readonly PublishedRecord[];
  readonly validation: readonly PublishedRecord[];
  readonly episodes: number;
  /** deliberately wrong labels */
  readonly noisyLabels: number;
}

export interface Playing {
  readonly host: Host;
  /** Writes a picture, by its path within the dataset's folder. Errors: `io`. */
  readonly keepPicture: (name: string, picture: Uint8Array) => void;
}

/** Adds to an interruption on request, or by a person who says nothing more, how to resume; other errors, such as a spent budget's, already say so. */
export function resumable(
  thrown: unknown,
  { signal }: Pick<Host, 'signal'>,
  { made, expert }: { readonly made: string; readonly expert: { readonly kind: string } },
): unknown {
  const isStop = signal?.aborted || expert.kind === 'human';
  if (!(thrown instanceof EmacError) || thrown.code !== 'interrupted' || !isStop) return thrown;
  const [how, why] = signal?.aborted ? [' on request', ''] : ['', ': nothing more was said'];
  const message = `collect: stopped${how} after ${made}${why}; run the same command again to resume`;
  return new EmacError('interrupted', message);
}

/** Spreads a share evenly over the numbers from 0: with 0.1 every tenth number, not starting at 0. */
export function isOfShare(number: number, share: number): boolean {
  return Math.floor((number + 1) * share) > Math.floor(number * share);
}

/** The episode of a number; no more than `most` of its steps are needed. */
export type PlayEpisode<Step> = (episode: number, most: number) => AsyncIterable<Step>;

/** episodes in a row without a label, after which more of them are hopeless */
const unlabelled = 16;

/** The first steps of episodes from number 0 on; truncates the last one. Errors: `data` where episodes in a row have no label. */
export async function* firstSteps<Step>(samples: number, play: PlayEpisode<Step>): AsyncGenerator<Step> {
  let [left, empty] = [samples, 0];
  for (let episode = 0; left > 0; episode++) {
    if (empty++ === unlabelled)
      throw new EmacError(
        'data',
        `collect: the expert has no command of this environment for the first step of ${unlabelled} episodes in a row; give another --expert`,
      );
    for await (const step of play(episode, left)) {
      empty = 0;
      yield step;
      if (--left === 0) break;
    }
  }
}

/** Stores the pictures of steps and makes their records. Errors: `interrupted`, `io`; those of the steps. */
export async function recorded(
  steps: AsyncIterable<CollectedStep>,
  validation: number,
  { host, keepPicture }: Playing,
): Promise<PlayedSteps> {
  const sets = { training: [] as PublishedRecord[], validation: [] as PublishedRecord[] };
  const [pictures, episodes] = [new Map<string, string>(), new Set<string>()];
  let [count, noisyLabels] = [0, 0];
  for await (const { picture, pictureKey = `${count}`, texts, isNoisy, episode, shared } of steps) {
    stopIfAsked(host.signal);
    let image = pictures.get(pictureKey);
    if (image === undefined) {
      const bytes = await picture();
      image = `images/${pictures.size}.${pictureFormat(bytes) === 'jpeg' ? 'jpg' : 'png'}`;
      keepPicture(image, bytes);
      pictures.set(pictureKey, image);
    }
    sets[isOfShare(shared, validation) ? 'validation' : 'training'].push({ image, ...texts });
    episodes.add(`${episode} ${texts.game_id}`);
    if (isNoisy) noisyLabels++;
    host.listener?.advance?.();
    if (++count % 64 === 0) await setImmediate();
  }
  return { ...sets, episodes: episodes.size, noisyLabels };
}

export interface RobotSample {
  readonly instruction: string;
  /** the gripper last, −1 open and 1 closed */
  readonly action: readonly number[];
  /** key of action statistics */
  readonly source: string;
  readonly episode: string;
}

/** A robot's step for any vision-language-action model: OpenVLA's prompt for the instruction, and the action in numbers. */
export function robotTexts({ instruction, action, source, episode }: RobotSample): RecordTexts {
  return {
    text_input: vlaPrompt(instruction),
    text_output: action.join(' '),
    action: [...action],
    verbatim: true,
    task_type: source,
    game_id: episode,
  };
}
