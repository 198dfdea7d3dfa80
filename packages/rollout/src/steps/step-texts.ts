/** Between environments that are stepped and a policy: what it reads of what is seen, and which action its answer names. */
import {
  invariant,
  seenOf,
  type Answer,
  type Policy,
  type Prompt,
  type Random,
  type Seen,
  type Steppable,
} from '@emac/core';

export interface Reading<Action = number> {
  /** null where the answer names none: then a random action is taken, from which the policy does not learn */
  readonly action: Action | null;
  /** the answer's token from which on it names the action; before it are thoughts. 0 where all does */
  readonly actionStart: number;
  /** added to the reward that is learned from, not to the episode's return: of an answer that is no action but counts as one; absent: 0 */
  readonly penalty?: number;
}

export interface StepTexts<Action = number> {
  /** whether prompts are made of frames, which are drawn only then */
  readonly frames: boolean;
  /** of what a random action is drawn where an answer names none; absent: all that the environment accepts */
  readonly offered?: readonly Action[];
  /** whether readings may have a penalty; absent: none has */
  readonly penalizes?: boolean;
  /** what the policy reads */
  prompt(seen: Seen): Prompt | Promise<Prompt>;
  /** `random` draws where an answer leaves that open, such as one that scores actions; null: the likeliest is taken */
  read(answer: Answer, random: Random | null): Reading<Action>;
}

/** An answer, and what draws where it leaves something open. */
export interface Answered {
  readonly answer: Answer;
  /** null: the likeliest is taken */
  readonly random: Random | null;
}

/**
 * What an answer names in an environment. Where that cannot say which actions it accepts, an answer that names none is taken as it
 * is, and is the policy's own.
 */
export function readingIn<Action>(
  environment: Pick<Steppable<unknown, Action>, 'moment'>,
  texts: Pick<StepTexts<Action>, 'read'>,
  { answer, random }: Answered,
): Reading<Action> {
  const reading = texts.read(answer, random);
  if (reading.action !== null || !environment.moment || acceptedNow(environment) !== null) return reading;
  // actions of episodes that tell their moments are words
  return { ...reading, action: answer.text.trim() as Action };
}

/** What a policy does now: its likeliest answer's action; where that names none, one that is drawn with `random`. */
export async function likeliestAction<Action>(
  policy: Pick<Policy, 'decide'>,
  environment: Steppable<unknown, Action>,
  { texts, random }: { readonly texts: StepTexts<Action>; readonly random: Random },
): Promise<Action> {
  const prompt = await texts.prompt(seenOf(environment, texts));
  const question = { prompt, allowed: null, random: null };
  const [answer] = await policy.decide([question], { kind: 'search', beams: 1 });
  const { action } = readingIn(environment, texts, { answer: answer!, random: null });
  return action ?? drawnAction(environment, texts, random);
}

/** An action drawn in place of one that was not named. Errors: `internal` where actions have no words and none is offered. */
export function drawnAction<Action>(
  environment: Pick<Steppable<unknown, Action>, 'id' | 'actions' | 'moment'>,
  { offered }: Pick<StepTexts<Action>, 'offered'>,
  random: Random,
): Action {
  const { id, actions } = environment;
  const drawn = offered ?? (acceptedNow(environment) as readonly Action[] | null);
  if (drawn) return drawn[random.integer(drawn.length)]!;
  invariant(actions.length > 0, `${id}: has no actions to draw from`);
  // actions that have words are numbers
  return random.integer(actions.length) as Action;
}

/** Null where the environment cannot say, or its actions do not change. */
function acceptedNow({ moment }: Pick<Steppable, 'moment'>): readonly string[] | null {
  const admissible = moment?.().observation.admissible;
  return admissible?.length ? admissible : null;
}

/** Arrays as they are, for policies whose one token is the action's number. */
export const arrayTexts: StepTexts = {
  frames: false,
  prompt: ({ arrays }) =>
    Object.entries(arrays).map(([name, values]) => ({ kind: 'array', name, values }) as const),
  read: ({ tokens }) => ({ action: tokens[0]!, actionStart: 0 }),
};

/** The picture alone, as an array `frame` of bytes, for such policies. */
export const pixelTexts: StepTexts = {
  frames: true,
  prompt: ({ frame }) => {
    const { height, width, data } = frame!;
    return [{ kind: 'array', name: 'frame', values: { shape: [height, width, 3], data } }];
  },
  read: arrayTexts.read,
};
