/**
 * A ring of transitions over all rounds, as DAgger requires (Ross et al. 2011); when it is full the oldest is evicted.
 * Departure from the published EMMA buffer, which reserves memory for 10⁵ pictures: transitions share features, which are
 * dropped with their last user. With a file (`buffer-file.ts`) saved transitions are read from there, and memory holds
 * only their offsets.
 */
import { EmacError, invariant } from '@emac/core';
import type { Random } from '@emac/core';
import { float32ToFloat16 } from '@emac/files';
import { isTransition, type TransitionKind } from './check-transition.ts';
import { FeatureStore, type FeatureBits } from './feature-store.ts';
import { featuresIn, keyedTransition, keysOf, withFeatures, type Keyed } from './keyed-transition.ts';
import { sampleIndices } from './sample.ts';
import type { SampleOptions } from './sample.ts';
import { StoredRecord } from './stored-record.ts';
import type { ImitationTransition, PreferenceTransition, Transition } from './transition.ts';
import { isSameAnswer, wordsOf } from './words.ts';

export interface BufferOptions {
  /** most transitions; default 100 000 */
  readonly capacity?: number;
  /** rejects a transition with the prompt and answers of one it holds; default false */
  readonly distinct?: boolean;
  /** a store shared with another buffer; default: its own */
  readonly features?: FeatureStore;
}

export interface PreferenceBufferOptions extends BufferOptions {
  /** pairs with equal answers express no preference; dropped by default */
  readonly equalPairs?: 'drop' | 'keep';
}

export type ImitationBuffer = ReplayBuffer<ImitationTransition>;
export type PreferenceBuffer = ReplayBuffer<PreferenceTransition>;

/** The number of this buffer's transitions that use a key, and the number of the append that introduced it. */
interface Use {
  readonly key: string;
  count: number;
  readonly broughtBy: number;
}

/** A transition, or the record with the field `transition`, and the data needed for its eviction. */
interface Held<T extends Transition> {
  /** uses of its distinct pictures; a single one is no array, which would cost 6 MB over 100 000 transitions */
  readonly uses: Use | readonly Use[];
  /** null if duplicates are allowed */
  readonly words: string | null;
  what: Keyed<T> | StoredRecord;
}

/** Defines a kind of buffer. */
interface Kind<T extends Transition> {
  readonly kind: TransitionKind;
  readonly accepts: (transition: Keyed<T>) => boolean;
}

export class ReplayBuffer<T extends Transition> {
  readonly kind: TransitionKind;
  readonly capacity: number;
  readonly features: FeatureStore;
  readonly #accepts: (transition: Keyed<T>) => boolean;
  readonly #ring: Held<T>[] = [];
  readonly #uses = new Map<string, Use>();
  /** words of all held transitions; null if duplicates are allowed */
  readonly #words: Set<string> | null;
  #appended = 0;

  constructor({ kind, accepts }: Kind<T>, options: BufferOptions = {}) {
    this.kind = kind;
    this.#accepts = accepts;
    this.capacity = options.capacity ?? 100_000;
    if (!Number.isSafeInteger(this.capacity) || this.capacity < 1)
      throw new EmacError('usage', `ReplayBuffer: capacity must be a positive integer, got ${this.capacity}`);
    this.#words = options.distinct === true ? new Set() : null;
    this.features = options.features ?? new FeatureStore();
  }

  /** number of held transitions */
  get length(): number {
    return this.#ring.length;
  }

  /** number of transitions ever appended, including evicted ones */
  get appended(): number {
    return this.#appended;
  }

  /** Appends a transition and its features; false if the buffer rejects it. */
  append(transition: T): boolean {
    const features = featuresIn(transition.prompt);
    return this.appendKeyed(keyedTransition(transition), (key) => float32ToFloat16(features.get(key)!.data));
  }

  /** The same from float16 bits; `bitsOf` is called for keys that are missing in the buffer's store. */
  appendKeyed(transition: Keyed<T>, bitsOf: (key: string) => FeatureBits): boolean {
    if (!this.#accepts(transition)) return false;
    const words = this.#words && wordsOf(transition);
    if (words !== null && this.#words?.has(words)) return false;
    const uses = keysOf(transition).map((key) => this.#use(key, bitsOf));
    if (words !== null) this.#words?.add(words);
    const place = this.#appended % this.capacity;
    const oldest = this.#ring[place];
    this.#ring[place] = { uses: uses.length === 1 ? uses[0]! : uses, words, what: transition };
    this.#appended++;
    if (oldest) this.#leave(oldest);
    return true;
  }

  /** From now on the transition of that append (counted as in `appended`) is read from this record, if it is still held. */
  settle(number: number, record: StoredRecord): void {
    if (number >= this.#appended - this.length) this.#ring[number % this.capacity]!.what = record;
  }

  /** The transition at `index`, 0 being the oldest held one, with its features. Errors: those of its file. */
  at(index: number): T {
    return withFeatures<T>(this.keyedAt(index), (key) => this.features.read(key));
  }

  /** The same without features, which may be large: each picture is its key. */
  keyedAt(index: number): Keyed<T> {
    invariant(
      Number.isInteger(index) && index >= 0 && index < this.length,
      `ReplayBuffer: index must be below ${this.length}, got ${index}`,
    );
    const number = this.#appended - this.length + index;
    const { what } = this.#ring[number % this.capacity]!;
    return what instanceof StoredRecord ? this.#read(what, number) : what;
  }

  /** `count` transitions, uniform over all held ones of any round; with replacement by default. */
  sample(count: number, random: Random, options?: SampleOptions): T[] {
    return sampleIndices({ length: this.length, count }, random, options).map((index) => this.at(index));
  }

  /** The number of the append that introduced a key's features, counted as in `appended`. */
  broughtBy(key: string): number {
    const use = this.#uses.get(key);
    invariant(use, `ReplayBuffer.broughtBy: no transition uses ${key}`);
    return use.broughtBy;
  }

  #read(record: StoredRecord, number: number): Keyed<T> {
    const { transition } = record.read();
    if (isTransition(transition, this.kind)) return transition as Keyed<T>;
    throw new EmacError(
      'data',
      `ReplayBuffer: the record of transition ${number} has changed on disk; its file was damaged`,
    );
  }

  #use(key: string, bitsOf: (key: string) => FeatureBits): Use {
    const known = this.#uses.get(key);
    if (known) {
      known.count++;
      return known;
    }
    const use = { key: ownText(key), count: 1, broughtBy: this.#appended };
    this.features.hold(use.key, bitsOf);
    this.#uses.set(use.key, use);
    return use;
  }

  #leave({ uses, words }: Held<T>): void {
    if (words !== null) this.#words?.delete(words);
    for (const use of 'key' in uses ? [uses] : uses) {
      use.count--;
      if (use.count > 0) continue;
      this.#uses.delete(use.key);
      this.features.release(use.key);
    }
  }
}

/** Copies a text: a slice of a message would keep the whole message in memory. */
function ownText(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}

/** An empty buffer of expert labels. */
export function createImitationBuffer(options?: BufferOptions): ImitationBuffer {
  return new ReplayBuffer<ImitationTransition>({ kind: 'imitation', accepts: () => true }, options);
}

/** An empty buffer of preference pairs; pairs with equal answers are dropped by default. */
export function createPreferenceBuffer(options: PreferenceBufferOptions = {}): PreferenceBuffer {
  const keepsAll = options.equalPairs === 'keep';
  return new ReplayBuffer<PreferenceTransition>(
    {
      kind: 'preference',
      accepts: ({ chosen, rejected }) => keepsAll || !isSameAnswer(chosen, rejected),
    },
    options,
  );
}
