/** Between environments stepped by number and a policy: what it reads of what is seen, and which action its answer names. */
import type { Answer, Prompt, Random, Seen, StepEnvironment } from '@emac/core';

export interface Reading {
  /** null where the answer names none: then a random action is taken, from which the policy does not learn */
  readonly action: number | null;
  /** the answer's token from which on it names the action; before it are thoughts. 0 where all does */
  readonly actionStart: number;
}

export interface StepTexts {
  /** whether prompts are made of frames, which are drawn only then */
  readonly frames: boolean;
  /** of what a random action is drawn where an answer names none; absent: all that the environment has */
  readonly offered?: readonly number[];
  /** what the policy reads */
  prompt(seen: Seen): Prompt | Promise<Prompt>;
  /** `random` draws where an answer leaves that open, such as one that scores actions; null: the likeliest is taken */
  read(answer: Answer, random: Random | null): Reading;
}

/** An action drawn in place of one that was not named. */
export function drawnAction(
  { actions }: Pick<StepEnvironment, 'actions'>,
  { offered }: Pick<StepTexts, 'offered'>,
  random: Random,
): number {
  return offered ? offered[random.integer(offered.length)]! : random.integer(actions.length);
}

/** What an environment shows now. */
export function seenOf(environment: StepEnvironment, { frames }: Pick<StepTexts, 'frames'>): Seen {
  return {
    text: environment.text(),
    arrays: environment.observe(),
    frame: frames ? environment.frame() : null,
  };
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
