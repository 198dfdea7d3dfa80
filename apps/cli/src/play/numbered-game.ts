/** Levels of an environment with numbered actions, or of a robot that is moved by numbers, as a game. */
import { createHash } from 'node:crypto';
import {
  Random,
  shownNow,
  type Fact,
  type Info,
  type NumberArray,
  type Seed,
  type StepEnvironment,
} from '@emac/core';
import { localWorld, type StepAction } from '@emac/opening';
import type { Played, PlayedGame } from './game.ts';
import { smallerFrame } from './smaller-frame.ts';

/** One line of `--json`; with `image`, `direction` and `mission` for MiniGrid. */
interface PlayedAction {
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
type Nested = number | readonly Nested[];

export function numberedGame(environment: StepEnvironment<unknown, StepAction>): PlayedGame {
  const { id, actions } = environment;
  const { tasks, offered } = localWorld(id);
  const random = Random.fromSeed(0);
  const admissible = actions.length > 0 ? [...actions].sort() : null;
  const seen = () => shownNow(environment, admissible, () => [environment.frame()]);
  const numberOf = (word: string): StepAction =>
    actions.length > 0 ? actions.indexOf(word) : word.split(' ').map(Number);
  const taskOf = (seed: Seed | null) => {
    const { count, at } = tasks.heldOut;
    const isCounted = seed !== null && count !== null && seed < count;
    return isCounted ? at(seed) : { id: `${id}/${seed}`, type: id };
  };
  return {
    id,
    actions,
    async begin(seed) {
      const info = environment.reset(seed);
      const step = async (word: string) => {
        const outcome = environment.step(numberOf(word));
        return { ...outcome, observation: seen() };
      };
      return { task: taskOf(seed), first: seen(), info, step, close: async () => {} };
    },
    actionOf(said) {
      const word = said.trim().toLowerCase();
      if (actions.length === 0) return word;
      return actions.find((each) => each.toLowerCase() === word) ?? actions[random.pick(offered)]!;
    },
    data: (played) => actionData(played, played.action === null ? null : numberOf(played.action)),
    words(played, { isPerson, hasPictures, isLast }) {
      const image = isPerson && !hasPictures ? played.observation.arrays?.['image'] : undefined;
      const lines = [actionInWords(played), ...(image ? [gridText(image)] : [])];
      return [...lines, ...(isLast ? ['', endInWords(played)] : [])].join('\n');
    },
    picture: ({ observation: { frames } }, side) => smallerFrame(frames[0]!, side),
    close: async () => {},
  };
}

function actionData(
  { step, reward, terminated, truncated, info: facts, observation }: Played,
  action: StepAction | null,
): PlayedAction {
  const { text, frames, arrays = {} } = observation;
  const { image, direction, state } = arrays;
  const { won: _, ...info }: Info = facts;
  return {
    step,
    action,
    reward,
    terminated,
    truncated,
    frame_sha256: createHash('sha256').update(frames[0]!.data).digest('hex'),
    info,
    ...(image && direction && { image: nested(image), direction: nested(direction), mission: text }),
    ...(state && { state: nested(state), instruction: text }),
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
function actionInWords({ step, action, reward, terminated, truncated, observation }: Played): string {
  if (action === null) return observation.text;
  const end = terminated ? ', the end' : truncated ? ', the limit' : '';
  return `${step}. ${shortened(action)}: reward ${reward}${end}\n${observation.text}`;
}

/** A robot's numbers with three decimals. */
function shortened(action: string): string {
  const numbers = action.split(' ').map(Number);
  if (numbers.length < 2 || !numbers.every(Number.isFinite)) return action;
  return `[${numbers.map((each) => Number(each.toFixed(3))).join(', ')}]`;
}

function endInWords({ step, score, info }: Played): string {
  const steps = step === 1 ? '1 step' : `${step} steps`;
  return `${info.won ? 'Well done: you won' : 'The end, not won'}, with a return of ${Number(score.toFixed(4))} in ${steps}.`;
}

/** By the number of the object: unseen, empty, wall, floor, door, key, ball, box, goal, lava, agent. */
const letters = [' ', '.', '#', '.', 'D', 'K', 'o', 'B', 'G', '~', '^'];
const [door, open] = [4, 0];

/** Seven lines; the caret in the middle of the last is the agent, looking up. An open door is `_`. `image`: [column][row][kind, colour, state]. */
function gridText({ shape, data }: NumberArray): string {
  const [columns, rows, channels] = shape as readonly [number, number, number];
  const lines = Array.from({ length: rows }, (_, row) =>
    Array.from({ length: columns }, (_each, column) => {
      const at = (column * rows + row) * channels;
      if (row === rows - 1 && column === columns >> 1) return '^';
      return data[at] === door && data[at + 2] === open ? '_' : letters[data[at]!]!;
    }).join(' '),
  );
  return lines.join('\n');
}
