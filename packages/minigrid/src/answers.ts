/**
 * A perfect player's answer: the JSON requested by the prompt, on one line, with short thoughts. Vision-language models
 * learn it from scripted play. Thoughts name every object's column and row from 0 and, unless they stop there, the next
 * object and its direction.
 */
import { EmacError } from '@emac/core';
import { doorStates, kindOf, kinds, nameOf, stateOf, wall, lava, type Cell } from './cell.ts';
import type { MiniGrid } from './minigrid.ts';
import { act, actions } from './rules.ts';
import { solve } from './solve.ts';
import { worldOf } from './state.ts';
import type { World } from './world.ts';

export interface AnswerOptions {
  /** end thoughts with the next object; default true */
  readonly concludes?: boolean;
}

/** The answer that takes an action now. Errors: `usage` for an invalid action number. */
export function miniGridAnswer(
  environment: Pick<MiniGrid, 'id' | 'state' | 'actions'>,
  action: number,
  { concludes = true }: AnswerOptions = {},
): string {
  const word = environment.actions[action];
  if (word === undefined)
    throw new EmacError(
      'usage',
      `${environment.id}: actions are 0 to ${environment.actions.length - 1}, got ${action}`,
    );
  const seen = seenIn(worldOf(environment.state()));
  const thoughts = concludes ? `${seen}; ${conclusion(environment)}` : seen;
  return `{"thoughts": "${thoughts}", "action": "${word}"}`;
}

const looks = ['right', 'down', 'left', 'up'] as const;
const doorWords = Object.keys(doorStates);

/** The agent, then all that is neither wall nor lava, kind by kind, each kind row by row. */
function seenIn({ grid, x, y, direction, carrying }: World): string {
  const agent = `agent ${x} ${y} ${looks[direction]}`;
  const held = carrying === null ? '' : ` with ${nameOf(carrying)}`;
  const things: { readonly cell: Cell; readonly text: string }[] = [];
  for (let row = 0; row < grid.height; row++)
    for (let column = 0; column < grid.width; column++) {
      const cell = grid.cells[grid.placeOf(column, row)]!;
      if (kindOf(cell) > kinds.floor && cell !== wall && cell !== lava)
        things.push({ cell, text: `${wordsOf(cell)} ${column} ${row}` });
    }
  things.sort((one, other) => kindOf(one.cell) - kindOf(other.cell));
  return [agent + held, ...things.map(({ text }) => text)].join(', ');
}

/** e.g. `locked yellow door`; all goals have the same name. */
function wordsOf(cell: Cell): string {
  if (kindOf(cell) === kinds.goal) return 'goal';
  return kindOf(cell) === kinds.door ? `${doorWords[stateOf(cell)]} ${nameOf(cell)}` : nameOf(cell);
}

const ways: Readonly<Record<number, string>> = {
  [actions.left]: 'left',
  [actions.right]: 'right',
  [actions.forward]: 'ahead',
  [actions.pickUp]: 'here',
  [actions.drop]: 'here',
  [actions.toggle]: 'here',
};

/**
 * The first object handled on the shortest way to win, and the way's beginning, e.g. `key left`; `door here` if the
 * door is to be opened now.
 */
function conclusion(environment: Pick<MiniGrid, 'state' | 'actions'>): string {
  const path = solve(environment);
  if (path === null || path.length === 0) return 'no way';
  const world = worldOf(environment.state());
  const handled = path.findIndex((action) => action >= actions.pickUp);
  for (const action of handled < 0 ? path : path.slice(0, handled)) act(world, action, Infinity);
  return `${handled < 0 ? 'goal' : thingAhead(world, path[handled]!)} ${ways[path[0]!]}`;
}

function thingAhead({ grid, front, carrying }: World, action: number): string {
  const cell = action === actions.drop ? carrying! : grid.cells[grid.placeOf(front.x, front.y)]!;
  return nameOf(cell).split(' ').at(-1)!;
}
