/**
 * Labels steps with a language model. Several lines of play run at once, to ask about many pictures together. Each makes its share of the steps in its
 * own episodes, and depends only on its own labels and random draws. The label acts, except for the share of random actions. A step without a label
 * takes a random action and is not stored.
 */
import { EmacError, Random } from '@emac/core';
import { encodePng } from '@emac/images';
import {
  scriptedPlayer,
  stopIfAsked,
  type ScriptedPlayer,
  type StepLabel,
  type StepQuestion,
  type StepTeacher,
} from '@emac/opening';
import type { PublishedRecord } from '../dataset/offline-dataset.ts';
import { isOfShare, resumable, type PlayedSteps, type Playing } from './collected-steps.ts';
import type { EnvironmentCollectionConfig } from './collection-config.ts';
import { begun } from './played-episodes.ts';

export interface LabelledCounts {
  /** played steps */
  readonly steps: number;
  /** played steps with unreadable or withheld answers; they are not in the dataset */
  readonly unlabelled: number;
}

export interface Labelling extends Playing {
  readonly teacher: Pick<StepTeacher, 'label'>;
  /** file of its replies */
  readonly replies: string;
}

/** Plays the requested number of steps. Errors: `interrupted`, those of the teacher, `data` if none of the first answers is readable, `usage`, `io`. */
export async function playLabelled(
  config: EnvironmentCollectionConfig,
  labelling: Labelling,
): Promise<Omit<PlayedSteps, 'noisyLabels'> & { readonly counts: LabelledCounts }> {
  const { samples, parallelEpisodes, validation } = config;
  const lines = Math.min(parallelEpisodes, samples);
  const stop = new AbortController();
  const made: MadeStep[] = [];
  const watch = firstAnswers(samples, labelling.replies);
  const line = (number: number): Line => ({
    number,
    lines,
    steps: Math.floor(samples / lines) + (number < samples % lines ? 1 : 0),
    isStopped: () => stop.signal.aborted,
    add(step, turn) {
      made.push(step);
      watch(turn * lines + number, step);
    },
  });
  const playing = Array.from({ length: lines }, (_, number) =>
    playLine(config, labelling, line(number)).catch((thrown: unknown) => {
      stop.abort();
      throw thrown;
    }),
  );
  // pending requests are paid for, so the journal must get them
  const ended = await Promise.allSettled(playing);
  const fault = ended.find((each) => each.status === 'rejected');
  if (fault) {
    const steps = `${made.length} of ${samples} steps`;
    throw resumable(fault.reason, labelling.host, { made: steps, expert: config.expert });
  }
  made.sort((one, other) => one.episode - other.episode || one.step - other.step);
  const recordsOf = (isValidation: boolean) =>
    made.flatMap(({ episode, record }) =>
      record && isOfShare(episode, validation) === isValidation ? [record] : [],
    );
  return {
    training: recordsOf(false),
    validation: recordsOf(true),
    episodes: new Set(made.map(({ episode }) => episode)).size,
    counts: { steps: made.length, unlabelled: made.filter(({ record }) => record === null).length },
  };
}

interface Line {
  readonly number: number;
  /** number of lines */
  readonly lines: number;
  /** number of its steps */
  readonly steps: number;
  /** whether another line has failed */
  readonly isStopped: () => boolean;
  /** `turn`: the line's step number, from 0. Errors: `data`. */
  readonly add: (step: MadeStep, turn: number) => void;
}

interface MadeStep {
  readonly episode: number;
  /** index within the episode */
  readonly step: number;
  /** null without a label */
  readonly record: PublishedRecord | null;
  /** why there is no label */
  readonly problem: string | null;
}

/** after this many steps, a model without any readable answer is abandoned */
const tried = 16;

/** Collects steps in turn order, so equal collections stop at the same step for any order of answers. */
function firstAnswers(samples: number, replies: string) {
  const first = Math.min(tried, samples);
  let unread = 0;
  return (place: number, { record, problem }: MadeStep): void => {
    if (place >= first || record !== null || ++unread < first) return;
    throw new EmacError(
      'data',
      `collect: no answer for the first ${counted(first)} was readable, one of them ${problem}; look at the "text" of each line of ${replies}, then remove that folder or give another --out: the same command would read these replies again`,
    );
  };
}

function counted(steps: number): string {
  return steps === 1 ? 'step' : `${steps} steps`;
}

/** Each of `lines` lines plays every `lines`-th episode. */
async function playLine(
  config: EnvironmentCollectionConfig,
  labelling: Labelling,
  { number, lines, steps, isStopped, add }: Line,
): Promise<void> {
  const player = scriptedPlayer(config.env, config);
  const random = Random.fromSeed(config.seed).stream('collect');
  let left = steps;
  for (let episode = number; left > 0; episode += lines) {
    const { seed, chance } = begun(player.environment, episode, random);
    for (let [step, isOver] = [0, false]; !isOver && left > 0; step++, left--) {
      stopIfAsked(labelling.host.signal);
      if (isStopped()) return;
      const place = { name: `${episode}-${step}`, game: `${config.env}/${seed}` };
      const { place: named, ...label } = await labelled(config, labelling, { player, place });
      add({ episode, step, ...label }, steps - left);
      labelling.host.listener?.advance?.();
      isOver = taken(player, actionOf(config, { player, named, chance }));
    }
  }
}

interface StepPlace {
  readonly player: ScriptedPlayer;
  readonly place: { readonly name: string; readonly game: string };
}

async function labelled(
  config: EnvironmentCollectionConfig,
  { teacher, keepPicture }: Labelling,
  { player, place }: StepPlace,
): Promise<Pick<MadeStep, 'record' | 'problem'> & { readonly place: number | null }> {
  const question = questionOf(config, player);
  const png = await encodePng(player.environment.frame());
  const label = await teacher.label(question, png);
  if (label.kind === 'unusable') return { record: null, problem: label.reason, place: null };
  const image = `images/${place.name}.png`;
  keepPicture(image, png);
  const texts = { text_input: question.prompt, ...textsOf(label), verbatim: true };
  const record = { image, ...texts, task_type: config.env, game_id: place.game };
  return { record, problem: null, place: label.value.place };
}

function textsOf({ value }: Extract<StepLabel, { readonly kind: 'read' }>) {
  const { text, utilities } = value;
  return { text_output: text, ...(utilities && { utilities }) };
}

function questionOf(
  { actionOnly, palette, qualityScores }: EnvironmentCollectionConfig,
  player: ScriptedPlayer,
): StepQuestion {
  const { actions } = player.environment;
  // a published prompt asks for thoughts only if needed
  const asked = palette === 'legacy-wrapped' ? 'optional' : 'needed';
  return {
    prompt: player.prompt({ actionOnly }),
    actions: player.offered.map((action) => actions[action]!),
    thoughts: actionOnly ? 'left out' : asked,
    utilities: qualityScores,
  };
}

interface Choice {
  readonly player: ScriptedPlayer;
  /** index of the label's action among the offered ones; null without a label */
  readonly named: number | null;
  readonly chance: Random;
}

function actionOf({ randomActions }: EnvironmentCollectionConfig, { player, named, chance }: Choice): number {
  const isAstray = chance.uniform() < randomActions;
  const drawn = chance.pick(player.offered);
  return isAstray || named === null ? drawn : player.offered[named]!;
}

/** True if that ends the episode. */
function taken({ environment }: ScriptedPlayer, action: number): boolean {
  const { terminated, truncated } = environment.step(action);
  return terminated || truncated;
}
