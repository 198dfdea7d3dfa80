/** Turns observations of stepped environments into prompts, and a policy's answers into actions. */
import {
  invariant,
  type Answer,
  type Frame,
  type Observation,
  type Policy,
  type Prompt,
  type Random,
  type Seen,
  type Speech,
  type Steppable,
} from '@emac/core';
import { promptAt } from '../texts.ts';

export interface Reading<Action = number> {
  /** null if the answer names none: a random action is taken, and the policy does not learn from it */
  readonly action: Action | null;
  /** index of the first token of the action; thoughts come before it. 0 without thoughts */
  readonly actionStart: number;
  /**
   * added to the training reward, not to the episode's return; for an answer that names no valid action but counts as
   * one. Absent: 0
   */
  readonly penalty?: number;
}

export interface StepTexts<Action = number> {
  /** whether prompts use frames; only then are they drawn */
  readonly frames: boolean;
  /** choices of a random action after an answer that names none; absent: all accepted actions */
  readonly offered?: readonly Action[];
  /** whether readings may have a penalty; absent: no */
  readonly penalizes?: boolean;
  /** the policy's prompt */
  prompt(seen: Seen): Prompt | Promise<Prompt>;
  /** `random` draws if the answer leaves a choice open, such as one that scores actions; null: greedy */
  read(answer: Answer, random: Random | null): Reading<Action>;
}

/**
 * The texts of an environment of words, such as one of `steppedOf`: prompts hold the whole episode so far. Errors of
 * `prompt`: `internal` for an environment without moments; those of speech and policy.
 */
export function speechTexts(speech: Speech, { encode }: Pick<Policy, 'encode'>): StepTexts<string> {
  return {
    // an observation already has its pictures
    frames: false,
    prompt: ({ moment }) => {
      invariant(moment, 'speechTexts: the environment does not give the episode so far');
      return promptAt({ encode }, moment.observation, speech.prompt({ ...moment, memories: [] }));
    },
    read: (answer, random) => speech.read(answer, random),
  };
}

/** An answer, and the generator for choices it leaves open. */
export interface Answered {
  readonly answer: Answer;
  /** null: greedy */
  readonly random: Random | null;
}

/**
 * The action an answer names in an environment. If the environment cannot list accepted actions, any answer is taken as
 * the policy's own action.
 */
export function readingIn<Action>(
  environment: Pick<Steppable<unknown, Action>, 'moment'>,
  texts: Pick<StepTexts<Action>, 'read'>,
  { answer, random }: Answered,
): Reading<Action> {
  const reading = texts.read(answer, random);
  if (reading.action !== null || !environment.moment || acceptedNow(environment) !== null) return reading;
  // actions of environments with moments are words
  return { ...reading, action: answer.text.trim() as Action };
}

/** A fallback action for an answer that named none. Errors: `internal` if actions have no words and none is offered. */
export function drawnAction<Action>(
  environment: Pick<Steppable<unknown, Action>, 'id' | 'actions' | 'moment'>,
  { offered }: Pick<StepTexts<Action>, 'offered'>,
  random: Random,
): Action {
  const { id, actions } = environment;
  const drawn = offered ?? (acceptedNow(environment) as readonly Action[] | null);
  if (drawn) return drawn[random.integer(drawn.length)]!;
  invariant(actions.length > 0, `${id}: has no actions to draw from`);
  // actions with words are numbers
  return random.integer(actions.length) as Action;
}

/** Null if the environment cannot say, or its actions never change. */
function acceptedNow({ moment }: Pick<Steppable, 'moment'>): readonly string[] | null {
  const admissible = moment?.().observation.admissible;
  return admissible?.length ? admissible : null;
}

/** Prompts that are made at once, without a policy's encoder. */
export interface NumberTexts {
  readonly frames: boolean;
  prompt(seen: Pick<Observation, 'arrays'> & { readonly frame?: Frame | null }): Prompt;
}

/** Arrays as prompts, for policies whose single token is the action's number. */
export const arrayTexts: StepTexts & NumberTexts = {
  frames: false,
  prompt: ({ arrays = {} }) =>
    Object.entries(arrays).map(([name, values]) => ({ kind: 'array', name, values }) as const),
  read: ({ tokens }) => ({ action: tokens[0]!, actionStart: 0 }),
};

/** The picture alone, as a byte array `frame`, for such policies. */
export const pixelTexts: StepTexts & NumberTexts = {
  frames: true,
  prompt: ({ frame }) => {
    const { height, width, data } = frame!;
    return [{ kind: 'array', name: 'frame', values: { shape: [height, width, 3], data } }];
  },
  read: arrayTexts.read,
};
