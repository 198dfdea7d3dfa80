/**
 * The true facts of one predicate, sorted by their arguments (first argument first), with a lazy index per argument:
 * texts list facts in this order, and joins look up by any bound argument.
 */

/** One fact's arguments (object numbers) and the number that stands for them, ascending in argument order. */
export interface Tuple {
  readonly key: number;
  readonly terms: readonly number[];
}

const none: readonly Tuple[] = [];

export class Relation {
  readonly name: string;
  readonly arity: number;
  /** number of objects: the radix of the keys */
  readonly #radix: number;
  readonly #keys = new Set<number>();
  #tuples: Tuple[] = [];
  /** by position; null until needed */
  #byArgument: (Map<number, Tuple[]> | null)[] = [];

  constructor(name: string, arity: number, radix: number) {
    this.name = name;
    this.arity = arity;
    this.#radix = radix;
    this.clear();
  }

  get size(): number {
    return this.#tuples.length;
  }

  /** All facts in order. */
  get tuples(): readonly Tuple[] {
    return this.#tuples;
  }

  /** The facts whose argument at `position` is `value`, in order. */
  matching(position: number, value: number): readonly Tuple[] {
    return this.#indexOf(position).get(value) ?? none;
  }

  /** Number of distinct values of the argument at `position`. */
  distinct(position: number): number {
    return this.#indexOf(position).size;
  }

  keyOf(terms: readonly number[]): number {
    let key = 0;
    for (const term of terms) key = key * this.#radix + term;
    return key;
  }

  /** The key of one argument more: keys of whole facts start at 0. */
  extendKey(key: number, term: number): number {
    return key * this.#radix + term;
  }

  has(key: number): boolean {
    return this.#keys.has(key);
  }

  add(terms: readonly number[]): boolean {
    const key = this.keyOf(terms);
    if (this.#keys.has(key)) return false;
    this.#keys.add(key);
    const tuple = { key, terms };
    insert(this.#tuples, tuple);
    for (let position = 0; position < this.arity; position++) {
      const index = this.#byArgument[position];
      const list = index?.get(terms[position]!);
      if (list) insert(list, tuple);
      else index?.set(terms[position]!, [tuple]);
    }
    return true;
  }

  /** Replaces all facts; faster than adding one after the other. Repeated ones count once. */
  fill(facts: readonly (readonly number[])[]): void {
    this.clear();
    for (const terms of facts) {
      const key = this.keyOf(terms);
      if (this.#keys.has(key)) continue;
      this.#keys.add(key);
      this.#tuples.push({ key, terms });
    }
    this.#tuples.sort((left, right) => left.key - right.key);
  }

  remove(terms: readonly number[]): boolean {
    const key = this.keyOf(terms);
    if (!this.#keys.delete(key)) return false;
    removeFrom(this.#tuples, key);
    for (let position = 0; position < this.arity; position++)
      removeFrom(this.#byArgument[position]?.get(terms[position]!) ?? [], key);
    return true;
  }

  copy(): Relation {
    const copy = new Relation(this.name, this.arity, this.#radix);
    for (const { key } of this.#tuples) copy.#keys.add(key);
    copy.#tuples = [...this.#tuples];
    return copy;
  }

  /** The arguments that a key stands for. */
  termsOf(key: number): number[] {
    const terms = new Array<number>(this.arity);
    for (let position = this.arity - 1, rest = key; position >= 0; position--) {
      terms[position] = rest % this.#radix;
      rest = Math.floor(rest / this.#radix);
    }
    return terms;
  }

  clear(): void {
    this.#keys.clear();
    this.#tuples = [];
    this.#byArgument = new Array<null>(this.arity).fill(null);
  }

  #indexOf(position: number): Map<number, Tuple[]> {
    const known = this.#byArgument[position];
    if (known) return known;
    const index = new Map<number, Tuple[]>();
    for (const tuple of this.#tuples) {
      const list = index.get(tuple.terms[position]!);
      if (list) list.push(tuple);
      else index.set(tuple.terms[position]!, [tuple]);
    }
    return (this.#byArgument[position] = index);
  }
}

/** Index of the first tuple whose key is not below `key`. */
function lowerBound(tuples: readonly Tuple[], key: number): number {
  let low = 0;
  let high = tuples.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (tuples[middle]!.key < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

function insert(tuples: Tuple[], tuple: Tuple): void {
  const last = tuples.at(-1);
  if (!last || last.key < tuple.key) tuples.push(tuple);
  else tuples.splice(lowerBound(tuples, tuple.key), 0, tuple);
}

function removeFrom(tuples: Tuple[], key: number): void {
  tuples.splice(lowerBound(tuples, key), 1);
}
