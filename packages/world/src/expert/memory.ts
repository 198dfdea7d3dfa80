/**
 * An agent's knowledge from the texts alone: receptacles and their shared places, seen contents, the held object, and
 * treatments. Built by replaying the history from its start.
 */
import type { History } from '@emac/core';
import type { Dialect } from '../dialect.ts';
import { isEmbodied, type ObjectState } from './goal.ts';
import { namesIn, readObservation } from './observation.ts';
import type { ObservedEvent } from './observation.ts';

export interface Known {
  /** in printed order */
  readonly receptacles: readonly string[];
  /** the receptacles known to be at the agent's place */
  readonly here: ReadonlySet<string>;
  /** objects known to be in each receptacle */
  readonly contents: ReadonlyMap<string, ReadonlySet<string>>;
  /** receptacles with fully seen contents */
  readonly inspected: ReadonlySet<string>;
  /** absent: not known */
  readonly doors: ReadonlyMap<string, 'open' | 'closed' | 'none'>;
  readonly held: string | null;
  /** the turn of picking it up; 0 if the texts do not show it */
  readonly heldSince: number;
  readonly states: ReadonlyMap<string, ReadonlySet<ObjectState>>;
  /** commands refused since the state last changed */
  readonly refused: ReadonlySet<string>;
  /** the turn of each receptacle's last inspection */
  readonly lastSeen: ReadonlyMap<string, number>;
  /** absent: the texts do not show it yet */
  readonly dialect: Dialect | null;
}

/** The class in a name: 'soapbottle' of 'soapbottle 2'. */
export function classOf(name: string): string {
  return name.slice(0, name.lastIndexOf(' '));
}

export function recall(history: History): Known {
  const memory = new Memory(receptaclesIn(history.initial), isEmbodied(history.initial));
  for (const { command, observation } of history.turns) memory.live(command.trim(), observation);
  return memory;
}

function receptaclesIn(observation: string): string[] {
  return namesIn(/Looking quickly around you, you see ([^.]*)\./.exec(observation)?.[1] ?? '');
}

const changing = new Set<ObservedEvent['kind']>([
  'arrived',
  'opened',
  'shut',
  'took',
  'put',
  'treated',
  'switched',
]);

class Memory implements Known {
  readonly receptacles: readonly string[];
  here: ReadonlySet<string> = new Set();
  readonly contents = new Map<string, Set<string>>();
  readonly inspected = new Set<string>();
  readonly doors = new Map<string, 'open' | 'closed' | 'none'>();
  held: string | null = null;
  heldSince = 0;
  readonly states = new Map<string, Set<ObjectState>>();
  readonly refused = new Set<string>();
  readonly lastSeen = new Map<string, number>();
  dialect: Dialect | null = null;
  /** receptacles known to share a place, as one set that all of them point to */
  readonly #neighbours = new Map<string, Set<string>>();
  /** AI2-THOR: every receptacle has its own place, and a text about another one does not move the agent */
  readonly #isEmbodied: boolean;
  /** whether the observation reveals the agent's place */
  #isPlaced = true;
  #turn = 0;

  constructor(receptacles: readonly string[], isEmbodied: boolean) {
    this.receptacles = receptacles;
    this.#isEmbodied = isEmbodied;
  }

  live(command: string, observation: string): void {
    this.#turn++;
    const events = readObservation(observation);
    if (events.some(({ kind }) => changing.has(kind))) this.refused.clear();
    if (events.some(({ kind }) => kind === 'arrived')) this.here = new Set();
    this.#isPlaced = !this.#isEmbodied || events.some(({ kind }) => kind === 'arrived' || kind === 'facing');
    for (const event of events) this.#take(event, command);
  }

  #take(event: ObservedEvent, command: string): void {
    switch (event.kind) {
      case 'refused':
        return this.#refuse(command);
      case 'arrived':
        this.dialect = event.dialect;
        return;
      case 'closed':
      case 'shut':
        this.doors.set(event.receptacle, 'closed');
        return this.#stand(event.receptacle);
      case 'opened':
        this.doors.set(event.receptacle, 'open');
        return this.#stand(event.receptacle);
      case 'contents':
        this.#see(event);
        return this.#stand(event.receptacle);
      case 'took':
        this.held = event.object;
        this.heldSince = this.#turn;
        this.contents.get(event.receptacle)?.delete(event.object);
        return this.#stand(event.receptacle);
      case 'put':
        this.held = null;
        this.dialect = event.dialect;
        this.contents.set(
          event.receptacle,
          (this.contents.get(event.receptacle) ?? new Set()).add(event.object),
        );
        return this.#stand(event.receptacle);
      case 'treated':
        this.#treat(event.object, event.state);
        return this.#stand(event.receptacle);
      case 'carrying':
        this.held = event.object;
        return;
      case 'facing':
        for (const receptacle of event.receptacles) this.#stand(receptacle);
    }
  }

  #see({ receptacle, door, objects }: Extract<ObservedEvent, { kind: 'contents' }>): void {
    this.contents.set(receptacle, new Set(objects));
    // AI2-THOR also examines closed receptacles, and names things in front of them
    if (this.#isEmbodied && !door && this.doors.get(receptacle) === 'closed') return;
    this.doors.set(receptacle, door ? 'open' : 'none');
    this.inspected.add(receptacle);
  }

  /** A refused destination is the current place, unless a simulator has found no way. */
  #refuse(command: string): void {
    this.refused.add(command);
    if (this.#isEmbodied) return;
    const target = /^go to (.+)$/.exec(command)?.[1];
    if (target !== undefined && this.here.size > 0 && this.receptacles.includes(target)) this.#join(target);
  }

  #stand(receptacle: string): void {
    this.lastSeen.set(receptacle, this.#turn);
    if (this.#isPlaced) this.#join(receptacle);
  }

  #join(receptacle: string): void {
    const together = this.#neighbours.get(receptacle) ?? new Set([receptacle]);
    for (const other of this.here) together.add(other);
    for (const each of together) this.#neighbours.set(each, together);
    this.here = together;
  }

  #treat(object: string, state: ObjectState): void {
    const states = this.states.get(object) ?? new Set();
    if (state === 'hot') states.delete('cool');
    if (state === 'cool') states.delete('hot');
    this.states.set(object, states.add(state));
  }
}
