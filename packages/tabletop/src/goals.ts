/** The goals of a task, as conditions on a scene. A task is done when all its goals hold at once. */
import { isOver } from './footprint.ts';
import { drawerPlace } from './kinds.ts';
import { footprintOf, pullOf, standsOn, thingOf, topOf, type Scene } from './scene.ts';

export type Goal =
  /** stands on it, its middle above it, and is let go */
  | { readonly kind: 'on'; readonly thing: string; readonly target: string }
  /** the thing is inside, directly or on another thing inside, with its bottom below the rim, and released */
  | { readonly kind: 'in'; readonly thing: string; readonly target: string }
  /** stands on the table beside it, a hand's breadth away */
  | { readonly kind: 'left of' | 'right of'; readonly thing: string; readonly target: string }
  | { readonly kind: 'open' | 'closed'; readonly target: string }
  /** the stove is on */
  | { readonly kind: 'lit' };

/** How far beside counts, from middle to middle in metres. */
export const beside = { nearest: 0.05, farthest: 0.22, across: 0.07 } as const;
/** How far a drawer is pulled to be open, and at most to be closed. */
export const drawerStates = { open: 0.8 * drawerPlace.reach, closed: 0.01 } as const;

/** Whether a goal holds. Errors: `internal` for a thing that the scene lacks. */
export function holds(scene: Scene, goal: Goal): boolean {
  switch (goal.kind) {
    case 'on':
      return isOn(scene, goal.thing, goal.target);
    case 'in':
      return isIn(scene, goal.thing, goal.target);
    case 'left of':
    case 'right of':
      return isBeside(scene, goal);
    case 'open':
      return pullOf(scene, thingOf(scene, goal.target)) >= drawerStates.open;
    case 'closed':
      return pullOf(scene, thingOf(scene, goal.target)) <= drawerStates.closed;
    case 'lit':
      return scene.lit;
  }
}

/** The first goal that does not hold; null if all do. */
export function firstOpen(scene: Scene, goals: readonly Goal[]): Goal | null {
  return goals.find((goal) => !holds(scene, goal)) ?? null;
}

function isOn(scene: Scene, name: string, target: string): boolean {
  const thing = thingOf(scene, name);
  return thing.on === target && isOver([thing.x, thing.y], footprintOf(thingOf(scene, target)));
}

function isIn(scene: Scene, name: string, target: string): boolean {
  const [thing, outer] = [thingOf(scene, name), thingOf(scene, target)];
  if (thing.name === target || !standsOn(scene, thing, target)) return false;
  return thing.z < topOf(outer) - 1e-6 && isOver([thing.x, thing.y], footprintOf(outer));
}

function isBeside(scene: Scene, { kind, thing: name, target }: Extract<Goal, { thing: string }>): boolean {
  const [thing, other] = [thingOf(scene, name), thingOf(scene, target)];
  if (thing.on !== null || scene.hand.holds === name) return false;
  const away = kind === 'left of' ? other.x - thing.x : thing.x - other.x;
  const isAcross = Math.abs(thing.y - other.y) <= beside.across;
  return away >= beside.nearest && away <= beside.farthest && isAcross;
}
