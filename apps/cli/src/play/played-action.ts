/** A step of an environment with numbered actions, as data and in words. */
import { createHash } from 'node:crypto';
import type { Fact, Info, NumberArray, StepEnvironment, StepOutcome } from '@emac/core';
import type { StepAction } from '@emac/opening';

/** One line of `--json`; with `image`, `direction` and `mission` for MiniGrid. */
export interface PlayedAction {
  /** actions of the episode so far */
  readonly step: number;
  /** null for a reset; a robot's is a list of numbers */
  readonly action: StepAction | null;
  readonly reward: number;
  readonly terminated: boolean;
  readonly truncated: boolean;
  /** of the whole picture's raw RGB bytes */
  readonly frame_sha256: string;
  /** as published */
  readonly info: Readonly<Record<string, Fact>>;
  readonly image?: Nested;
  readonly direction?: Nested;
  readonly mission?: string;
  readonly state?: Nested;
  readonly instruction?: string;
}

/** Nested lists of numbers; a single number for an array without dimensions. */
export type Nested = number | readonly Nested[];

export interface Taken {
  readonly step: number;
  readonly action: StepAction | null;
  readonly outcome: StepOutcome;
}

export function resetOutcome(info: Info): StepOutcome {
  return { reward: 0, terminated: false, truncated: false, info };
}

type Shown = Pick<StepEnvironment, 'actions' | 'frame' | 'observe' | 'text'>;

export function playedAction(environment: Shown, { step, action, outcome }: Taken): PlayedAction {
  const { reward, terminated, truncated } = outcome;
  const { data } = environment.frame();
  const { image, direction, state } = environment.observe();
  const { won: _, ...info } = outcome.info;
  return {
    step,
    action,
    reward,
    terminated,
    truncated,
    frame_sha256: createHash('sha256').update(data).digest('hex'),
    info,
    ...(image &&
      direction && { image: nested(image), direction: nested(direction), mission: environment.text() }),
    ...(state && { state: nested(state), instruction: environment.text() }),
  };
}

function nested({ shape, data }: NumberArray): Nested {
  const part = (axis: number, first: number): Nested => {
    const count = shape[axis];
    if (count === undefined) return data[first]!;
    const size = shape.slice(axis + 1).reduce((product, each) => product * each, 1);
    return Array.from({ length: count }, (_, place) => part(axis + 1, first + place * size));
  };
  return part(0, 0);
}

/** The action, its result, and the new observation. */
export function actionInWords(environment: Shown, { step, action, outcome }: Taken): string {
  const { reward, terminated, truncated } = outcome;
  const seen = environment.text();
  if (action === null) return seen;
  const end = terminated ? ', the end' : truncated ? ', the limit' : '';
  const word = typeof action === 'number' ? environment.actions[action] : numbersIn(action);
  return `${step}. ${word}: reward ${reward}${end}\n${seen}`;
}

function numbersIn(action: Exclude<StepAction, number>): string {
  if (typeof action === 'string') return action;
  return `[${action.map((each) => Number(each.toFixed(3))).join(', ')}]`;
}
