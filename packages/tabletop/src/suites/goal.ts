/** Ten goals in one scene: the picture does not reveal the goal. */
import type { Goal } from '../goals.ts';
import { kitchenScene } from './kitchen.ts';
import type { TaskDesign } from './suite.ts';

const tasks: readonly (readonly [text: string, goal: Goal])[] = [
  ['open the drawer', { kind: 'open', target: 'drawer' }],
  ['switch the stove on', { kind: 'lit' }],
  ['put the bowl on the plate', { kind: 'on', thing: 'bowl', target: 'plate' }],
  ['put the bowl on the stove', { kind: 'on', thing: 'bowl', target: 'stove' }],
  ['put the bowl on the cabinet', { kind: 'on', thing: 'bowl', target: 'cabinet' }],
  ['put the mug on the plate', { kind: 'on', thing: 'mug', target: 'plate' }],
  ['put the mug on the stove', { kind: 'on', thing: 'mug', target: 'stove' }],
  ['put the mug left of the plate', { kind: 'left of', thing: 'mug', target: 'plate' }],
  ['put the lemon in the bowl', { kind: 'in', thing: 'lemon', target: 'bowl' }],
  ['put the lemon on the cabinet', { kind: 'on', thing: 'lemon', target: 'cabinet' }],
];

export const goalTasks: readonly TaskDesign[] = tasks.map(([text, goal]) => ({
  text,
  goals: [goal],
  draw: (random) => kitchenScene({ things: ['bowl', 'mug', 'lemon'], isOpen: false }, random),
}));
