/**
 * A scripted controller: from any scene, the action that advances the task's first open goal. It keeps no state between
 * steps, so it can take over anywhere, after mistakes and after another player's actions.
 */
import { clamped, nearestHalfTurn, quarterTurn } from '../angle.ts';
import { outerRadius } from '../footprint.ts';
import { drawerStates, firstOpen, type Goal } from '../goals.ts';
import { kindOf, knob } from '../kinds.ts';
import type { Action, Scale } from '../motion.ts';
import { bounds, pullOf, standsOn, thingOf, topOf, type Scene, type Thing } from '../scene.ts';
import { lowestOf } from '../support.ts';
import { spotOf, type Placement } from './spot.ts';

/** A target of the hand, and the fingers' motion on the way. */
interface Pose {
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly yaw: number;
}

export interface Controller {
  readonly scale: Scale;
  /** metres along each axis that count as there */
  readonly near: number;
  /** radians of yaw that count as straight */
  readonly straight: number;
}

type Grip = -1 | 0 | 1;

const margin = 0.012;
/** how deep the fingertips reach below a thing's top, at most */
const depth = 0.03;

/** An action of seven numbers; one without effect if all goals hold. */
export function expertAction(scene: Scene, goals: readonly Goal[], controller: Controller): Action {
  const goal = firstOpen(scene, goals);
  if (goal === null) return [0, 0, 0, 0, 0, 0, scene.hand.holds === null ? -1 : 0];
  switch (goal.kind) {
    case 'lit':
      return pressing(scene, controller);
    case 'open':
      return sliding(scene, goal.target, { controller, away: -1 });
    case 'closed':
      return sliding(scene, goal.target, { controller, away: 1 });
    default:
      return carrying(scene, goal, controller);
  }
}

function carrying(scene: Scene, goal: Placement, controller: Controller): Action {
  const { holds } = scene.hand;
  if (holds === goal.thing) return putting(scene, goal, controller);
  if (holds !== null) return lettingGo;
  return grasping(scene, thingOf(scene, goal.thing), controller);
}

const lettingGo: Action = [0, 0, 0, 0, 0, 0, -1];

/** Above it, down with open fingers, closed. */
function grasping(scene: Scene, thing: Thing, controller: Controller): Action {
  const { height } = kindOf(thing.kind);
  const z = Math.max(topOf(thing) - Math.min(depth, height * 0.75), bounds.z[0]);
  return reaching(scene, { ...thing, z, yaw: gripYaw(scene, thing, z) }, controller);
}

function reaching(scene: Scene, pose: Pose, controller: Controller): Action {
  const { hand } = scene;
  if (!isAbove(scene, pose, controller))
    return towards(scene, { ...pose, z: clearance(scene, pose) }, { controller, grip: -1 });
  const isOpen = hand.opening > bounds.opening[1] - 0.03 || lowestOf(scene, { ...hand, z: pose.z }) <= pose.z;
  if (!isOpen) return towards(scene, { ...pose, z: hand.z }, { controller, grip: -1 });
  const isDown = hand.z <= pose.z + controller.near;
  return towards(scene, pose, { controller, grip: isDown ? 1 : -1 });
}

/** Above the spot, down, let go. */
function putting(scene: Scene, goal: Placement, controller: Controller): Action {
  const { hand } = scene;
  const thing = thingOf(scene, goal.thing);
  const spot = spotOf(scene, goal);
  const [dx, dy] = [thing.x - hand.x, thing.y - hand.y];
  const there = { x: spot.x - dx, y: spot.y - dy, yaw: hand.turn[2] };
  const grip = hand.z - thing.z;
  const lowest = lowestOf(scene, { ...hand, ...there });
  const pose = { ...there, z: Math.max(lowest, spot.z + grip) + 0.004 };
  if (!isAbove(scene, pose, controller))
    return towards(scene, { ...pose, z: clearance(scene, pose) }, { controller, grip: 1 });
  const isDown = hand.z <= Math.max(pose.z, lowestOf(scene, hand)) + controller.near;
  if (!isDown) return towards(scene, pose, { controller, grip: 1 });
  return lettingGo;
}

/** Takes the knob and pulls or pushes. */
function sliding(
  scene: Scene,
  name: string,
  { controller, away }: { controller: Controller; away: 1 | -1 },
): Action {
  const drawer = thingOf(scene, name);
  const { holds } = scene.hand;
  if (holds !== null && holds !== name) return lettingGo;
  if (holds === null) {
    const pose = { x: drawer.x, y: drawer.y + knob.y, z: drawer.z + knob.z, yaw: 0 };
    return reaching(scene, pose, controller);
  }
  const goal = away < 0 ? drawerStates.open + 0.012 : 0;
  const way = (pullOf(scene, drawer) - goal) / (controller.scale.reach * controller.scale.parts);
  return [0, clamped(way, -1, 1), 0, 0, 0, 0, 1];
}

/** Rises from any thing between the fingers, closes the hand and presses the button. */
function pressing(scene: Scene, controller: Controller): Action {
  const { hand } = scene;
  if (hand.holds !== null) return lettingGo;
  const button = thingOf(scene, 'button');
  const pose = { x: button.x, y: button.y, z: topOf(button), yaw: 0 };
  const above = { ...pose, z: clearance(scene, pose) };
  const isReady = hand.opening <= 0.03 && isAbove(scene, pose, controller);
  const isFree = hand.opening <= 0.03 || hand.z >= above.z - controller.near;
  return towards(scene, isReady ? pose : above, { controller, grip: isFree ? 1 : -1 });
}

function isAbove({ hand }: Scene, { x, y, yaw }: Pose, { near, straight }: Controller): boolean {
  const isNear = Math.abs(hand.x - x) <= near && Math.abs(hand.y - y) <= near;
  return isNear && Math.abs(hand.turn[2] - yaw) <= straight;
}

function towards(
  { hand }: Scene,
  { x, y, z, yaw }: Pose,
  { controller, grip }: { controller: Controller; grip: Grip },
): Action {
  const { parts, reach, turn } = controller.scale;
  const way = (distance: number) => clamped(distance / (parts * reach), -1, 1);
  const bend = (angle: number) => clamped(angle / (parts * turn), -1, 1);
  const [rx, ry, rz] = hand.turn;
  return [way(x - hand.x), way(y - hand.y), way(z - hand.z), bend(-rx), bend(-ry), bend(yaw - rz), grip];
}

/** How high the fingertips must be to pass over everything near the straight way to a place. */
function clearance(scene: Scene, to: Pose): number {
  const { hand } = scene;
  const held = hand.holds;
  const carried = held === null ? null : thingOf(scene, held);
  const grip = carried ? hand.z - carried.z : 0;
  const width = 0.08 + (carried ? outerRadius(kindOf(carried.kind).shape) : 0);
  let highest = 0;
  for (const thing of scene.things) {
    if (held !== null && standsOn(scene, thing, held)) continue;
    const reach = outerRadius(kindOf(thing.kind).shape) + width;
    if (distanceToWay(thing, hand, to) < reach) highest = Math.max(highest, topOf(thing));
  }
  return Math.min(highest + margin + grip, bounds.z[1]);
}

/** From a point to the straight line between two, as seen from above. */
function distanceToWay(point: Place, from: Place, to: Place): number {
  const [wx, wy] = [to.x - from.x, to.y - from.y];
  const [px, py] = [point.x - from.x, point.y - from.y];
  const square = wx * wx + wy * wy;
  const share = square === 0 ? 0 : clamped((px * wx + py * wy) / square, 0, 1);
  const [dx, dy] = [px - share * wx, py - share * wy];
  return Math.sqrt(dx * dx + dy * dy);
}

interface Place {
  readonly x: number;
  readonly y: number;
}

/** The grip around a thing that needs the least rotation and touches nothing else. */
function gripYaw(scene: Scene, thing: Thing, z: number): number {
  const { hand } = scene;
  const isFree = (yaw: number) => {
    const turn = [0, 0, yaw] as const;
    const opening = bounds.opening[1];
    return lowestOf(scene, { ...hand, x: thing.x, y: thing.y, z, turn, opening, holds: null }) <= z;
  };
  const yaws = yawsFor(thing)
    .map(nearestHalfTurn)
    .sort((one, other) => Math.abs(one) - Math.abs(other));
  return yaws.find(isFree) ?? yaws[0]!;
}

/**
 * Yaws that put the fingers across: any for round things, across the shorter sides for others, across both if equal.
 */
function yawsFor({ kind, yaw }: Thing): number[] {
  const { shape } = kindOf(kind);
  if ('round' in shape) return [0, quarterTurn / 2, -quarterTurn / 2, quarterTurn];
  const [a, b] = shape.half;
  const sides = a <= b ? [yaw] : [yaw + quarterTurn];
  return 2 * Math.max(a, b) < bounds.opening[1] - 0.02 ? [yaw, yaw + quarterTurn] : sides;
}
