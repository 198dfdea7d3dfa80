/**
 * Parses one observation into events, for the text world and the embodied one (AI2-THOR), whose texts differ a little.
 * Names come from the observation, never from the command, so the command's wording does not matter.
 */
import type { Dialect } from '../dialect.ts';
import type { ObjectState } from './goal.ts';

export type ObservedEvent =
  | { readonly kind: 'refused' }
  /** the destination reveals the dialect: a receptacle (move) or a `loc` (put) */
  | { readonly kind: 'arrived'; readonly dialect: Dialect }
  | { readonly kind: 'closed'; readonly receptacle: string }
  | { readonly kind: 'opened' | 'shut'; readonly receptacle: string }
  /** the complete contents of a receptacle that is open, or has no door */
  | {
      readonly kind: 'contents';
      readonly receptacle: string;
      readonly door: boolean;
      readonly objects: string[];
    }
  | { readonly kind: 'took'; readonly object: string; readonly receptacle: string }
  | { readonly kind: 'put'; readonly object: string; readonly receptacle: string; readonly dialect: Dialect }
  | {
      readonly kind: 'treated';
      readonly object: string;
      readonly receptacle: string;
      readonly state: ObjectState;
    }
  | { readonly kind: 'switched'; readonly object: string }
  | { readonly kind: 'carrying'; readonly object: string | null }
  | { readonly kind: 'facing'; readonly receptacles: string[] };

const name = String.raw`(\S+ \d+)`;
const patterns = {
  arrived: /You arrive at (\S+) \d+\./,
  shut: new RegExp(`^You close the ${name}\\.`),
  opened: new RegExp(`^You open the ${name}\\.`),
  closed: new RegExp(`The ${name} is closed\\.`),
  inside: new RegExp(`The ${name} is open\\. In it, you see ([^.]*)\\.`),
  on: new RegExp(`On the ${name}, you see ([^.]*)\\.`),
  took: new RegExp(`^You pick up the ${name} from the ${name}\\.`),
  // AI2-THOR repeats the command's own word: "in", "on", "to"
  put: new RegExp(`^You (move|put) the ${name} \\S+ the ${name}\\.`),
  treated: new RegExp(`^You (clean|heat|cool) the ${name} using the ${name}\\.`),
  switched: new RegExp(`^You turn on the ${name}\\.`),
  carrying: /^You are (?:carrying: (.*)|not carrying anything)\./,
  facing: /You are facing the (.*?)\. Next to it/,
};

const stateOfVerb: Readonly<Record<string, ObjectState>> = { clean: 'clean', heat: 'hot', cool: 'cool' };

export function readObservation(observation: string): ObservedEvent[] {
  const text = observation.trim();
  if (text === 'Nothing happens.') return [{ kind: 'refused' }];
  const events: ObservedEvent[] = [];
  const match = (key: keyof typeof patterns, read: (groups: RegExpExecArray) => ObservedEvent): void => {
    const found = patterns[key].exec(text);
    if (found) events.push(read(found));
  };
  match('arrived', ([, place]) => ({ kind: 'arrived', dialect: place === 'loc' ? 'put' : 'move' }));
  match('shut', ([, receptacle]) => ({ kind: 'shut', receptacle: receptacle! }));
  match('opened', ([, receptacle]) => ({ kind: 'opened', receptacle: receptacle! }));
  match('closed', ([, receptacle]) => ({ kind: 'closed', receptacle: receptacle! }));
  match('inside', ([, receptacle, list]) => contents(receptacle!, list!, true));
  // AI2-THOR: "The fridge 1 is open. On the fridge 1, you see …"
  match('on', ([, receptacle, list]) =>
    contents(receptacle!, list!, text.includes(`The ${receptacle} is open.`)),
  );
  match('took', ([, object, receptacle]) => ({ kind: 'took', object: object!, receptacle: receptacle! }));
  match('put', ([, verb, object, receptacle]) => {
    return { kind: 'put', object: object!, receptacle: receptacle!, dialect: verb as Dialect };
  });
  match('treated', ([, verb, object, receptacle]) => {
    return { kind: 'treated', object: object!, receptacle: receptacle!, state: stateOfVerb[verb!]! };
  });
  match('switched', ([, object]) => ({ kind: 'switched', object: object! }));
  match('carrying', ([, list]) => ({ kind: 'carrying', object: namesIn(list ?? '')[0] ?? null }));
  match('facing', ([, list]) => ({ kind: 'facing', receptacles: list!.split(/, (?:and )?/) }));
  return events;
}

function contents(receptacle: string, list: string, door: boolean): ObservedEvent {
  return { kind: 'contents', receptacle, door, objects: namesIn(list) };
}

/** The names in `a book 1, a pen 2, and a mug 1`. */
export function namesIn(list: string): string[] {
  return [...list.matchAll(/\ban? (\S+ \d+)/g)].map(([, each]) => each!);
}
