/**
 * Virtual time: events in order of their moment, each followed by everything that the code under test does without
 * waiting. One generator decides all that is left to chance, so a seed gives one schedule.
 */
import { Random } from '@emac/core';
import type { Timers } from '@emac/queue';

interface Event {
  time: number;
  readonly order: number;
  readonly thread: Thread | null;
  action: (() => void) | null;
}

/** A line of what happened. */
export interface Line {
  readonly time: number;
  readonly who: string;
  readonly what: string;
}

export class World {
  now = 0;
  readonly random: Random;
  readonly #events: Event[] = [];
  readonly #lines: Line[] | null;
  #count = 0;

  /** `lines` receives what happens; null for silence */
  constructor(seed: string, lines: Line[] | null) {
    this.random = Random.fromSeed(seed);
    this.#lines = lines;
  }

  /** Calls `action` at that time, or when the thread wakes; never in a thread that has ended. Returns its cancellation. */
  at(time: number, thread: Thread | null, action: () => void): () => void {
    const event: Event = { time: Math.max(time, this.now), order: this.#count++, thread, action };
    push(this.#events, event);
    return () => void (event.action = null);
  }

  /** Runs events until `isOver`, or until the time; returns false if the time came first. */
  async run(until: number, isOver: () => boolean): Promise<boolean> {
    while (!isOver()) {
      const event = pop(this.#events);
      if (!event || event.time > until) {
        if (event) push(this.#events, event);
        this.now = until;
        return false;
      }
      if (!event.action || event.thread?.isOver) continue;
      this.now = event.time;
      const wakes = event.thread?.frozenUntil ?? 0;
      if (wakes > this.now) push(this.#events, Object.assign(event, { time: wakes }));
      else {
        event.action();
        await settled();
      }
    }
    return true;
  }

  get events(): number {
    return this.#count;
  }

  say(who: string, what: string): void {
    this.#lines?.push({ time: this.now, who, what });
  }

  between(least: number, most: number): number {
    return least + this.random.uniform() * (most - least);
  }

  chance(probability: number): boolean {
    return this.random.uniform() < probability;
  }
}

/** A thread of a simulated process; its timers run at its own rate. */
export class Thread implements Timers {
  isOver = false;
  frozenUntil = 0;
  readonly #world: World;
  readonly #rate: number;

  constructor(world: World, rate: number) {
    this.#world = world;
    this.#rate = rate;
  }

  readonly after = (ms: number, action: () => void): (() => void) =>
    this.#world.at(this.#world.now + ms * this.#rate, this, action);
}

/** After all promises that need no event. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** A binary heap, earliest first; equal times in the order of their making. */
function push(heap: Event[], event: Event): void {
  let place = heap.push(event) - 1;
  while (place > 0) {
    const above = (place - 1) >> 1;
    if (!isBefore(event, heap[above]!)) break;
    heap[place] = heap[above]!;
    place = above;
  }
  heap[place] = event;
}

function pop(heap: Event[]): Event | undefined {
  const first = heap[0];
  const last = heap.pop();
  if (heap.length === 0 || !last) return first;
  let place = 0;
  for (;;) {
    let below = 2 * place + 1;
    if (below >= heap.length) break;
    if (below + 1 < heap.length && isBefore(heap[below + 1]!, heap[below]!)) below++;
    if (!isBefore(heap[below]!, last)) break;
    heap[place] = heap[below]!;
    place = below;
  }
  heap[place] = last;
  return first;
}

function isBefore(a: Event, b: Event): boolean {
  return a.time < b.time || (a.time === b.time && a.order < b.order);
}
