/**
 * A ring of transitions over all rounds, which is what makes training on it DAgger (Ross et al. 2011): when it
 * is full the oldest goes. Departure from the published EMMA buffer, which reserves memory for 10⁵ pictures:
 * features are shared between transitions and leave with the last one that uses them. With a file (`buffer-file.ts`) what
 * was saved there is read from there, and memory holds its places alone.
 */
import { EmacError, invariant } from '@emac/core';
import type { Features, Random } from '@emac/core';
import { FeatureStore, type FeatureBits } from './feature-store.ts';
import { sampleIndices } from './sample.ts';
import type { SampleOptions } from './sample.ts';
import { StoredRecord } from './stored-record.ts';
import type { ImitationTransition, PreferenceTransition, Transition } from './transition.ts';

export interface BufferOptions {
  /** transitions at most; 100 000 by default */
  readonly capacity?: number;
  /** a store to share with another buffer; its own by default */
  readonly features?: FeatureStore;
}

export interface PreferenceBufferOptions extends BufferOptions {
  /** pairs whose answers are equal teach nothing about preference; dropped by default */
  readonly equalPairs?: 'drop' | 'keep';
}

export type ImitationBuffer = ReplayBuffer<ImitationTransition>;
export type PreferenceBuffer = ReplayBuffer<PreferenceTransition>;

/** Uses of one key in this buffer, and the number of the append that brought it. */
interface Use {
  count: number;
  readonly broughtBy: number;
}

/** A transition, or the record with the field `transition`, with the key that it uses. */
interface Held<T> {
  readonly featuresKey: string;
  what: T | StoredRecord;
}

export class ReplayBuffer<T extends Transition> {
  readonly capacity: number;
  readonly features: FeatureStore;
  readonly #accepts: (transition: T) => boolean;
  readonly #ring: Held<T>[] = [];
  readonly #uses = new Map<string, Use>();
  #appended = 0;

  constructor(options: BufferOptions = {}, accepts: (transition: T) => boolean = () => true) {
    this.capacity = options.capacity ?? 100_000;
    if (!Number.isSafeInteger(this.capacity) || this.capacity < 1)
      throw new EmacError('usage', `ReplayBuffer: capacity must be a positive integer, got ${this.capacity}`);
    this.features = options.features ?? new FeatureStore();
    this.#accepts = accepts;
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
  append(transition: T, features: Features): boolean {
    invariant(features.key === transition.featuresKey, 'ReplayBuffer.append: these are other features');
    if (!this.#accepts(transition)) return false;
    this.#add(transition, () => this.features.hold(features));
    return true;
  }

  /** The same from float16 bits; `bits` is needed for a key that the buffer does not hold. */
  appendBits(transition: T, bits: FeatureBits | undefined): boolean {
    const { featuresKey: key } = transition;
    invariant(bits ?? this.features.has(key), `ReplayBuffer.appendBits: there are no features ${key}`);
    if (!this.#accepts(transition)) return false;
    this.#add(transition, () => this.features.holdBits(key, bits ?? this.features.bits(key)));
    return true;
  }

  /** From now on the transition of that append (counted as `appended` is) is read from this record, if it is still held. */
  settle(number: number, record: StoredRecord): void {
    if (number >= this.#appended - this.length) this.#ring[number % this.capacity]!.what = record;
  }

  /** The transition at `index`, 0 being the oldest that is held. Errors: those of its file. */
  at(index: number): T {
    invariant(
      Number.isInteger(index) && index >= 0 && index < this.length,
      `ReplayBuffer.at: no index ${index}`,
    );
    const oldest = this.#appended - this.length;
    const { what } = this.#ring[(oldest + index) % this.capacity]!;
    return what instanceof StoredRecord ? (what.read()['transition'] as T) : what;
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

  #add(transition: T, hold: () => void): void {
    const { featuresKey } = transition;
    const use = this.#uses.get(featuresKey);
    if (use) use.count++;
    else {
      hold();
      this.#uses.set(featuresKey, { count: 1, broughtBy: this.#appended });
    }
    const place = this.#appended % this.capacity;
    const oldest = this.#ring[place];
    this.#ring[place] = { featuresKey, what: transition };
    this.#appended++;
    if (oldest) this.#leave(oldest.featuresKey);
  }

  #leave(key: string): void {
    const use = this.#uses.get(key)!;
    use.count--;
    if (use.count > 0) return;
    this.#uses.delete(key);
    this.features.release(key);
  }
}

/** An empty buffer of expert labels. */
export function createImitationBuffer(options?: BufferOptions): ImitationBuffer {
  return new ReplayBuffer<ImitationTransition>(options);
}

/** An empty buffer of preference pairs; pairs with equal answers are dropped unless asked for. */
export function createPreferenceBuffer(options: PreferenceBufferOptions = {}): PreferenceBuffer {
  const keepsAll = options.equalPairs === 'keep';
  return new ReplayBuffer<PreferenceTransition>(
    options,
    ({ chosen, rejected }) => keepsAll || chosen !== rejected,
  );
}
