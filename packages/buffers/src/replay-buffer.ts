/**
 * A ring of transitions over all rounds, which is what makes training on it DAgger (Ross et al. 2011): when it
 * is full the oldest goes. Departure from the published EMMA buffer, which reserves memory for 10⁵ pictures:
 * features are shared between transitions and leave with the last one that uses them. With a file (`buffer-file.ts`) what
 * was saved there is read from there, and memory holds its places alone.
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
  /** transitions at most; 100 000 by default */
  readonly capacity?: number;
  /** refuses a transition whose prompt and answers are those of one held now; false by default */
  readonly distinct?: boolean;
  /** a store to share with another buffer; its own by default */
  readonly features?: FeatureStore;
}

export interface PreferenceBufferOptions extends BufferOptions {
  /** pairs whose answers are equal teach nothing about preference; dropped by default */
  readonly equalPairs?: 'drop' | 'keep';
}

export type ImitationBuffer = ReplayBuffer<ImitationTransition>;
export type PreferenceBuffer = ReplayBuffer<PreferenceTransition>;

/** How many transitions of this buffer use a key, and the number of the append that brought it. */
interface Use {
  readonly key: string;
  count: number;
  readonly broughtBy: number;
}

/** A transition, or the record with the field `transition`, with what must be known of it when it leaves. */
interface Held<T extends Transition> {
  /** of its pictures, each once; one alone is no array, which in 100 000 transitions would be 6 MB */
  readonly uses: Use | readonly Use[];
  /** null where the buffer does not ask for distinct ones */
  readonly words: string | null;
  what: Keyed<T> | StoredRecord;
}

/** What makes buffers of one kind. */
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
  /** words of everything held; null where equal ones may be held */
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

  /** transitions held now */
  get length(): number {
    return this.#ring.length;
  }

  /** transitions ever appended, those that have left included */
  get appended(): number {
    return this.#appended;
  }

  /** Adds a transition and its features at the end; false if the buffer does not keep such a one. */
  append(transition: T): boolean {
    const features = featuresIn(transition.prompt);
    return this.appendKeyed(keyedTransition(transition), (key) => float32ToFloat16(features.get(key)!.data));
  }

  /** The same from float16 bits; `bitsOf` is asked for keys that the buffer's store does not hold. */
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

  /** From now on the transition of that append (counted as `appended` is) is read from this record, if it is still held. */
  settle(number: number, record: StoredRecord): void {
    if (number >= this.#appended - this.length) this.#ring[number % this.capacity]!.what = record;
  }

  /** The transition at `index`, 0 being the oldest that is held, with its features. Errors: those of its file. */
  at(index: number): T {
    return withFeatures<T>(this.keyedAt(index), (key) => this.features.read(key));
  }

  /** The same without its features, which may be much to read: each picture is its key. */
  keyedAt(index: number): Keyed<T> {
    invariant(
      Number.isInteger(index) && index >= 0 && index < this.length,
      `ReplayBuffer: no index ${index}, ${this.length} are held`,
    );
    const number = this.#appended - this.length + index;
    const { what } = this.#ring[number % this.capacity]!;
    return what instanceof StoredRecord ? this.#read(what, number) : what;
  }

  /** `count` transitions, uniform over everything held, whatever its round; with replacement by default. */
  sample(count: number, random: Random, options?: SampleOptions): T[] {
    return sampleIndices({ length: this.length, count }, random, options).map((index) => this.at(index));
  }

  /** The number of the append that brought a key's features, counted as `appended` is. */
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
      `ReplayBuffer: the record of transition ${number} holds something else; its file was damaged`,
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

/** A text with memory of its own: a text cut from a message would keep the message's others alive. */
function ownText(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}

/** An empty buffer of expert labels. */
export function createImitationBuffer(options?: BufferOptions): ImitationBuffer {
  return new ReplayBuffer<ImitationTransition>({ kind: 'imitation', accepts: () => true }, options);
}

/** An empty buffer of preference pairs; pairs with equal answers are dropped unless asked for. */
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
