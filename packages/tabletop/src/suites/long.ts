/** Ten tasks of two goals each, in the kitchen and with the basket. */
import type { Goal } from '../goals.ts';
import type { KindName } from '../kinds.ts';
import { kitchenScene } from './kitchen.ts';
import { basketScene } from './object.ts';
import type { TaskDesign } from './suite.ts';

const on = (thing: string, target: string): Goal => ({ kind: 'on', thing, target });
const into = (thing: string, target: string): Goal => ({ kind: 'in', thing, target });
const open: Goal = { kind: 'open', target: 'drawer' };
const closed: Goal = { kind: 'closed', target: 'drawer' };
const lit: Goal = { kind: 'lit' };

type Row = readonly [text: string, first: Goal, second: Goal];

const withDrawerClosed: readonly Row[] = [
  ['open the drawer and put the lemon in it', open, into('lemon', 'drawer')],
  ['switch the stove on and put the mug on it', lit, on('mug', 'stove')],
  ['put the bowl on the plate and the lemon in the bowl', on('bowl', 'plate'), into('lemon', 'bowl')],
  ['put the mug on the stove and the bowl on the cabinet', on('mug', 'stove'), on('bowl', 'cabinet')],
  ['put the mug on the plate and switch the stove on', on('mug', 'plate'), lit],
];
const withDrawerOpen: readonly Row[] = [
  ['put the lemon in the drawer and close it', into('lemon', 'drawer'), closed],
  ['close the drawer and put the bowl on the cabinet', closed, on('bowl', 'cabinet')],
];
const withBasket: readonly (readonly [KindName, KindName])[] = [
  ['can', 'carton'],
  ['apple', 'cup'],
  ['mug', 'bottle'],
];

function kitchenTask([text, ...goals]: Row, isOpen: boolean): TaskDesign {
  const things = ['bowl', 'mug', 'lemon'] as const;
  return { text, goals, draw: (random) => kitchenScene({ things, isOpen }, random) };
}

function basketTask([one, other]: readonly [KindName, KindName]): TaskDesign {
  return {
    text: `put the ${one} and the ${other} in the basket`,
    goals: [into(one, 'basket'), into(other, 'basket')],
    draw: (random) => basketScene([one, other, 'jar'], random),
  };
}

export const longTasks: readonly TaskDesign[] = [
  ...withDrawerClosed.map((row) => kitchenTask(row, false)),
  ...withDrawerOpen.map((row) => kitchenTask(row, true)),
  ...withBasket.map(basketTask),
];
