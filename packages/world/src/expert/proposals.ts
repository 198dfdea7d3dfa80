/**
 * Next commands of a careful agent, in order of preference. The first one not just refused counts. So each list
 * continues with alternatives for incomplete knowledge: a receptacle at the present place cannot be gone to, but can be
 * examined and used.
 */
import type { Dialect } from '../dialect.ts';
import { mayFit } from './fits.ts';
import type { Goal, ObjectState } from './goal.ts';
import { classOf } from './memory.ts';
import type { Known } from './memory.ts';
import { costOf, searchOrder } from './search-order.ts';

export interface Situation {
  readonly goal: Goal;
  readonly known: Known;
  /** wordings for putting down, preferred first; one if the texts reveal it */
  readonly dialects: readonly Dialect[];
}

type Commands = Generator<string, void, undefined>;

type PlaceGoal = Extract<Goal, { kind: 'place' }>;

const appliances: Readonly<Record<ObjectState, { verb: string; receptacle: string }>> = {
  clean: { verb: 'clean', receptacle: 'sinkbasin' },
  hot: { verb: 'heat', receptacle: 'microwave' },
  cool: { verb: 'cool', receptacle: 'fridge' },
};

/** Why the goal is impossible in this room; null if possible. */
export function obstacle({ goal, known }: Pick<Situation, 'goal' | 'known'>): string | null {
  const has = (wanted: string): boolean => known.receptacles.some((each) => classOf(each) === wanted);
  if (known.receptacles.length === 0) return 'the first observation lists no receptacles';
  const { held } = known;
  if (held !== null && classOf(held) !== goal.object && takersOf(held, known).length === 0)
    return `no place here accepts the held ${held}`;
  if (goal.kind === 'look') return null;
  if (!has(goal.receptacle)) return `there is no ${goal.receptacle} here`;
  const appliance = goal.state && appliances[goal.state].receptacle;
  return appliance && !has(appliance) ? `there is no ${appliance} here` : null;
}

export function* proposals(situation: Situation): Commands {
  const { goal, known } = situation;
  if (known.held !== null && classOf(known.held) !== goal.object) yield* putAside(known.held, situation);
  else if (goal.kind === 'look')
    yield* known.held === null ? fetch(situation, () => false) : useLamp(goal.lamp, known);
  else if (known.held === null) yield* fetchFor(goal, situation);
  else if (goal.state && !known.states.get(known.held)?.has(goal.state))
    yield* treat(known.held, goal.state, known);
  else yield* putInto(known.held, targetsOf(goal, known), situation);
  yield* lookAgain(known);
}

function* fetchFor(goal: PlaceGoal, situation: Situation): Commands {
  const target = goal.count === 2 ? targetsOf(goal, situation.known)[0] : undefined;
  yield* fetch(situation, (_object, receptacle) => receptacle === target);
}

/** Takes an object of the goal's class: a known one first, else looks for one. */
function* fetch(
  { goal, known }: Situation,
  isPlaced: (object: string, receptacle: string) => boolean,
): Commands {
  const found = placesOf(goal.object, known);
  const placed = new Set(
    found.filter((each) => isPlaced(each.object, each.receptacle)).map(({ object }) => object),
  );
  const wanted = goal.kind === 'place' ? goal.state : null;
  const effort = ({ object, receptacle }: Place): number => {
    const treatment = wanted && !known.states.get(object)?.has(wanted) ? 2 : 0;
    return costOf(receptacle, known) + treatment;
  };
  const free = found.filter(({ object }) => !placed.has(object)).sort((a, b) => effort(a) - effort(b));
  for (const { object, receptacle } of free) {
    yield* reach(receptacle, known);
    yield `take ${object} from ${receptacle}`;
    if (!known.doors.has(receptacle)) yield `open ${receptacle}`;
  }
  for (const receptacle of searchOrder(goal.object, known)) yield* lookInto(receptacle, known);
}

interface Place {
  readonly object: string;
  readonly receptacle: string;
}

/** Every known place of objects of a class, in printed order. */
function placesOf(wanted: string, known: Known): Place[] {
  return known.receptacles.flatMap((receptacle) =>
    [...(known.contents.get(receptacle) ?? [])]
      .filter((object) => classOf(object) === wanted)
      .map((object) => ({ object, receptacle })),
  );
}

/**
 * Target receptacles, best first. For two objects, the one that already holds most of them, independent of the agent's
 * place, so the choice never changes midway.
 */
function targetsOf(goal: PlaceGoal, known: Known): string[] {
  const count = (receptacle: string): number =>
    [...(known.contents.get(receptacle) ?? [])].filter((object) => classOf(object) === goal.object).length;
  const targets = known.receptacles.filter((receptacle) => classOf(receptacle) === goal.receptacle);
  const counted = targets.map((receptacle) => {
    return { receptacle, count: goal.count === 2 ? count(receptacle) : 0, cost: costOf(receptacle, known) };
  });
  return counted
    .sort((a, b) => b.count - a.count || (a.count > 0 ? 0 : a.cost - b.cost))
    .map(({ receptacle }) => receptacle);
}

function* treat(object: string, state: ObjectState, known: Known): Commands {
  const { verb, receptacle: wanted } = appliances[state];
  const suitable = known.receptacles.filter((receptacle) => classOf(receptacle) === wanted);
  for (const receptacle of suitable.sort((a, b) => costOf(a, known) - costOf(b, known))) {
    if (!known.here.has(receptacle)) yield `go to ${receptacle}`;
    yield `${verb} ${object} with ${receptacle}`;
  }
}

function* putInto(object: string, receptacles: readonly string[], { known, dialects }: Situation): Commands {
  for (const receptacle of receptacles) {
    yield* reach(receptacle, known);
    for (const dialect of dialects)
      yield dialect === 'move' ? `move ${object} to ${receptacle}` : `put ${object} in/on ${receptacle}`;
    if (!known.doors.has(receptacle)) yield `open ${receptacle}`;
  }
}

/**
 * Frees the hand of an unwanted object: at the nearest receptacle that takes it. Those seen since the pick-up come
 * last, since they would hold it had they taken it.
 */
function* putAside(object: string, situation: Situation): Commands {
  const { known } = situation;
  const seen = (receptacle: string): number => {
    const turn = known.lastSeen.get(receptacle) ?? 0;
    return known.here.has(receptacle) || turn <= known.heldSince ? 0 : turn;
  };
  const ordered = takersOf(object, known).sort(
    (a, b) => seen(a) - seen(b) || costOf(a, known) - costOf(b, known),
  );
  yield* putInto(object, ordered, situation);
}

/** The receptacles of the room that may take an object, in printed order. */
function takersOf(object: string, known: Known): string[] {
  return known.receptacles.filter((receptacle) => mayFit(classOf(object), classOf(receptacle)));
}

function* useLamp(lamp: string, known: Known): Commands {
  const lamps = placesOf(lamp, known).sort(
    (a, b) => costOf(a.receptacle, known) - costOf(b.receptacle, known),
  );
  for (const { object, receptacle } of lamps) {
    if (!known.here.has(receptacle)) yield `go to ${receptacle}`;
    yield `use ${object}`;
  }
  for (const receptacle of searchOrder(lamp, known)) yield* lookInto(receptacle, known);
}

/** To the receptacle, and open if it is closed. */
function* reach(receptacle: string, known: Known): Commands {
  if (!known.here.has(receptacle)) yield `go to ${receptacle}`;
  if (known.doors.get(receptacle) === 'closed') yield `open ${receptacle}`;
}

function* lookInto(receptacle: string, known: Known): Commands {
  yield* reach(receptacle, known);
  yield `examine ${receptacle}`;
}

/** The last resort: the receptacle inspected longest ago. */
function* lookAgain(known: Known): Commands {
  const age = (receptacle: string): number => known.lastSeen.get(receptacle) ?? -1;
  for (const receptacle of [...known.receptacles].sort((a, b) => age(a) - age(b)))
    if (!known.here.has(receptacle)) yield `go to ${receptacle}`;
  yield 'inventory';
  yield 'look';
}
