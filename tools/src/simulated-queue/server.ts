/**
 * A simulated Redis: commands one at a time, keys that expire by its own clock, channels, and what is left of its keys
 * after a crash. Like Redis with `appendonly yes` it loses nothing (`always`) or its last moments (`everysec`).
 */
import { Keys, type KeysOverTime } from './keys.ts';
import type { Sabotage } from './sabotage.ts';
import { scriptsOf, type Scripts } from './scripts.ts';
import type { World } from './world.ts';

/** Who hears a channel. */
export interface Subscriber {
  /** has one subscription to a channel */
  readonly owner: unknown;
  readonly channel: string;
  hear(message: string): void;
}

/** Who waits for a marker. */
type Waiter = (isThere: boolean) => void;

/** of the queue in it */
export const queueName = 'jobs';

/** milliseconds between copies, and how long they are kept */
const [copyMs, keptMs] = [100, 2_500];

export class Server implements KeysOverTime {
  /** of the process: connections to another one are cut */
  life = 0;
  isDown = false;
  /** what its clock is ahead */
  skew = 0;
  readonly world: World;
  readonly sabotage: Sabotage | null;
  readonly subscribers = new Set<Subscriber>();
  /** BullMQ's, of the one queue */
  readonly scripts: Scripts;
  readonly #waiters = new Map<string, Waiter[]>();
  readonly #copies: { readonly time: number; readonly keys: Keys }[] = [];
  #keys = new Keys();
  readonly #crashed: (() => void)[] = [];

  constructor(world: World, sabotage: Sabotage | null) {
    this.world = world;
    this.sabotage = sabotage;
    this.scripts = scriptsOf(this, queueName);
  }

  get isWithoutExpiry(): boolean {
    return this.sabotage?.isWithoutExpiry ?? false;
  }

  get clock(): number {
    return this.world.now + this.skew;
  }

  /** The keys, without expired ones; `isWrite` if they will change. */
  keys(isWrite: boolean): Keys {
    for (const [key, { until }] of this.#keys.texts) if (until <= this.clock) this.#keys.texts.delete(key);
    if (isWrite) this.#remember();
    return this.#keys;
  }

  #remember(): void {
    const { now } = this.world;
    const last = this.#copies.at(-1);
    if (last && now - last.time < copyMs) return;
    this.#copies.push({ time: now, keys: this.#keys.copy() });
    while (this.#copies[0]!.time < now - keptMs) this.#copies.shift();
  }

  /** Calls back at each crash. */
  onCrash(action: () => void): void {
    this.#crashed.push(action);
  }

  /** Stops, and forgets the last milliseconds. */
  crash(forgets: number): void {
    const since = this.world.now - forgets;
    if (forgets === Infinity) this.#keys = new Keys();
    else if (forgets > 0) {
      const copy = this.#copies.find(({ time }) => time >= since);
      if (copy) this.#keys = copy.keys.copy();
    }
    this.#copies.length = 0;
    this.life++;
    this.isDown = true;
    this.subscribers.clear();
    this.#waiters.clear();
    for (const action of this.#crashed) action();
  }

  publish(channel: string, message: string): void {
    for (const each of [...this.subscribers]) if (each.channel === channel) each.hear(message);
  }

  /** Tells one waiter, or keeps the mark until one comes. */
  mark(key: string): void {
    const waiter = this.#waiters.get(key)?.shift();
    if (waiter) waiter(true);
    else this.keys(true).set(key).add('0');
  }

  /** Waits for the mark and takes it; at most so many milliseconds. */
  takeMark(key: string, limitMs: number, answer: Waiter): void {
    if (this.keys(true).sets.get(key)?.delete('0')) return answer(true);
    const waiters = this.#waiters.get(key) ?? [];
    this.#waiters.set(key, waiters);
    const { life } = this;
    const cancel = this.world.at(this.world.now + limitMs, null, () => {
      const place = waiters.indexOf(waiter);
      if (place >= 0) waiters.splice(place, 1);
      if (this.life === life) answer(false);
    });
    const waiter: Waiter = (isThere) => {
      cancel();
      answer(isThere);
    };
    waiters.push(waiter);
  }
}
