/**
 * A ring of transitions over all rounds, which is what makes training on it DAgger (Ross et al. 2011): when it
 * is full the oldest goes. Departure from the published EMMA buffer, which reserves memory for 10⁵ pictures:
 * features are shared between transitions and leave with the last one that uses them.
 */
import { EmacError, invariant } from '@emac/core';
import type { Features, Random } from '@emac/core';
import { FeatureStore } from './feature-store.ts';
import { sampleIndices } from './sample.ts';
import type { SampleOptions } from './sample.ts';
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

export class ReplayBuffer<T extends Transition> {
  readonly capacity: number;
  readonly features: FeatureStore;
  readonly #accepts: (transition: T) => boolean;
  readonly #ring: T[] = [];
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
    this.#use(features);
    const place = this.#appended % this.capacity;
    const oldest = this.#ring[place];
    this.#ring[place] = transition;
    this.#appended++;
    if (oldest) this.#leave(oldest.featuresKey);
    return true;
  }

  /** The transition at `index`, 0 being the oldest that is held. */
  at(index: number): T {
    invariant(
      Number.isInteger(index) && index >= 0 && index < this.length,
      `ReplayBuffer.at: no index ${index}`,
    );
    const oldest = this.#appended - this.length;
    return this.#ring[(oldest + index) % this.capacity]!;
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

  #use(features: Features): void {
    const use = this.#uses.get(features.key);
    if (use) use.count++;
    else {
      this.features.hold(features);
      this.#uses.set(features.key, { count: 1, broughtBy: this.#appended });
    }
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
