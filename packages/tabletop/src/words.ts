/**
 * The same table for those who act in words or by number: a hand that moves a little in one direction, turns, opens or closes. The fingers keep
 * what they were told last. For people at a keyboard, for language models, and for methods that know numbered actions only.
 */
import { EmacError, type StepEnvironment } from '@emac/core';
import { expertAction } from './expert/expert.ts';
import { scales, type Action } from './motion.ts';
import {
  stepLimits,
  tabletop,
  choicesOf,
  type Tabletop,
  type TabletopOptions,
  type TabletopState,
} from './tabletop.ts';

/** The actions in words, by number. */
export const handWords = [
  'left',
  'right',
  'near',
  'away',
  'down',
  'up',
  'turn left',
  'turn right',
  'open',
  'close',
] as const;

export interface WordedState {
  /** what the fingers were told last: 1 to close, −1 to open */
  readonly grip: 1 | -1;
  readonly table: TabletopState;
}

export interface WordedTabletop extends StepEnvironment<WordedState> {
  readonly table: Tabletop;
  /** the number of what the scripted controller does now */
  expert(): number;
}

/** of an action's full motion, so that it is 2 cm or 6 mm */
const strides = { fast: 0.25, fine: 1 } as const;
/** how many words the fast scale's limit gives for each action */
const patience = 6;

/** The environment of an id, by words. Limits are 6 times as long in the fast scale. Errors: as `tabletop`. */
export function tabletopByWords(id: string, options: TabletopOptions = {}): WordedTabletop {
  const { scale = 'fast' } = options;
  const limit = stepLimits[choicesOf(id, 'all').suite];
  const table = tabletop(id, {
    maxSteps: scale === 'fast' ? (limit / 10) * patience : limit * 2,
    ...options,
  });
  const stride = strides[scale];
  const near = (stride * scales[scale].parts * scales[scale].reach) / 2 + 1e-3;
  const controller = { scale: scales[scale], near, straight: 0.08 };
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
      return table.step(motionOf(action, stride, grip));
    },
    expert: () => wordFor(expertAction(table.scene(), table.task.goals, controller), grip),
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

/** x, y, z and yaw: words come in pairs, less first */
const axes = [0, 1, 2, 5] as const;

function motionOf(word: number, stride: number, grip: number): Action {
  const action = [0, 0, 0, 0, 0, 0, grip];
  const axis = axes[Math.floor(word / 2)];
  // to turn left is counter-clockwise as seen from above
  const sign = (word % 2 === 0) === (axis === 5) ? 1 : -1;
  if (axis !== undefined) action[axis] = sign * stride;
  return action;
}

/** The word for what an action has most of. */
function wordFor(action: Action, grip: number): number {
  const [open, close] = [handWords.indexOf('open'), handWords.indexOf('close')];
  const told = action[6]!;
  if (told !== 0 && told !== grip) return told < 0 ? open : close;
  const most = axes.reduce(
    (best, axis) => (Math.abs(action[axis]!) > Math.abs(action[best]!) ? axis : best),
    0,
  );
  if (action[most] === 0) return grip < 0 ? open : close;
  const isPositive = action[most]! > 0;
  return axes.indexOf(most as 0) * 2 + (isPositive === (most === 5) ? 0 : 1);
}
