/**
 * The same table controlled by words or numbers: the hand moves 4 cm in one direction, or slightly, 1 cm; rotates,
 * opens or closes. The fingers keep their last command. For people at a keyboard, language models, and methods with
 * numbered actions only.
 */
import { EmacError, type StepEnvironment } from '@emac/core';
import { expertAction, type Controller } from './expert/expert.ts';
import { scales, type Action } from './motion.ts';
import type { Suite } from './starts.ts';
import {
  choicesOf,
  stepLimitOf,
  tabletop,
  type Tabletop,
  type TabletopOptions,
  type TabletopState,
} from './tabletop.ts';

const directions = ['left', 'right', 'near', 'away', 'down', 'up'] as const;

/** The actions in words, by number. */
export const handWords = [
  ...directions,
  ...directions.map((direction) => `slightly ${direction}` as const),
  'turn left',
  'turn right',
  'open',
  'close',
] as const;

type HandWord = (typeof handWords)[number];

export interface WordedState {
  /** the fingers' last command: 1 to close, −1 to open */
  readonly grip: 1 | -1;
  readonly table: TabletopState;
}

export interface WordedTabletop extends StepEnvironment<WordedState> {
  readonly table: Tabletop;
  /** number of the scripted controller's current word */
  expert(): number;
}

export type WordedOptions = Omit<TabletopOptions, 'scale'>;

/** shares of a full motion */
const [far, slight, bend] = [0.5, 0.125, 0.25];
/** words that the limit gives for each action */
const patience = 6;
/** steps of 1 cm cannot get nearer than this, with a margin */
const controller: Controller = { scale: scales.fast, near: 0.0055, straight: 0.08 };
/** x, y and z; their words are pairs, the negative first */
const axes = [0, 1, 2] as const;

/** Default word limit of an episode. */
export function wordLimitOf(suite: Suite): number {
  return stepLimitOf(suite) * patience;
}

/** The environment of an id, by words. Its limit is 6 times that of actions. Errors: as `tabletop`. */
export function tabletopByWords(id: string, options: WordedOptions = {}): WordedTabletop {
  const { suite } = choicesOf(id, options.split ?? 'all');
  const table = tabletop(id, { maxSteps: wordLimitOf(suite), ...options });
  let grip: 1 | -1 = -1;
  return {
    table,
    id: table.id,
    actions: handWords,
    reset: (seed) => {
      grip = -1;
      return table.reset(seed);
    },
    step: (action) => {
      const word = handWords[action];
      if (word === undefined)
        throw new EmacError(
          'usage',
          `${id}: an action is a number from 0 to ${handWords.length - 1}, got ${action}`,
        );
      if (word === 'open' || word === 'close') grip = word === 'open' ? -1 : 1;
      return table.step(motionOf(word, grip));
    },
    expert: () => handWords.indexOf(wordFor(expertAction(table.scene(), table.task.goals, controller), grip)),
    text: () => table.text(),
    observe: () => table.observe(),
    frame: () => table.frame(),
    state: () => ({ grip, table: table.state() }),
    restore: (state) => {
      table.restore(state.table);
      grip = state.grip;
    },
  };
}

/** To turn left is counter-clockwise as seen from above. */
function motionOf(word: HandWord, grip: number): Action {
  const action = [0, 0, 0, 0, 0, 0, grip];
  if (word === 'turn left' || word === 'turn right') action[5] = word === 'turn left' ? bend : -bend;
  const direction = directions.findIndex((each) => word.endsWith(each));
  if (direction < 0 || action[5] !== 0) return action;
  const stride = word.startsWith('slightly') ? slight : far;
  action[Math.floor(direction / 2)] = direction % 2 === 0 ? -stride : stride;
  return action;
}

/** The word for the largest part of an action; rising comes first, since one word cannot do both. */
function wordFor(action: Action, grip: number): HandWord {
  const told = action[6]!;
  if (told !== 0 && told !== grip) return told < 0 ? 'open' : 'close';
  if (action[2]! > slight / 2) return wordAlong(2, action);
  if (Math.abs(action[5]!) > bend / 2) return action[5]! > 0 ? 'turn left' : 'turn right';
  const most = axes.reduce<0 | 1 | 2>(
    (best, axis) => (size(action, axis) > size(action, best) ? axis : best),
    0,
  );
  if (size(action, most) === 0) return grip < 0 ? 'open' : 'close';
  return wordAlong(most, action);
}

function wordAlong(axis: 0 | 1 | 2, action: Action): HandWord {
  const direction = directions[2 * axis + (action[axis]! > 0 ? 1 : 0)]!;
  return size(action, axis) >= (far + slight) / 2 ? direction : `slightly ${direction}`;
}

function size(action: Action, axis: number): number {
  return Math.abs(action[axis]!);
}
