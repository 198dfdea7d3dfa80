/**
 * The slot of each variable name. Every variable of a condition has its own slot, so nested quantifiers share one array
 * of bindings; inner names hide outer ones.
 */
import type { Formula } from './formula.ts';
import { damaged } from './s-expression.ts';
import type { Term } from './query.ts';
import type { Typed } from './typed-list.ts';
import type { Vocabulary } from './vocabulary.ts';

export interface Variable {
  readonly slot: number;
  readonly type: string;
}

export class Scope {
  readonly #slots: ReadonlyMap<string, number>;
  readonly #counter: { next: number };

  private constructor(slots: ReadonlyMap<string, number>, counter: { next: number }) {
    this.#slots = slots;
    this.#counter = counter;
  }

  static empty(): Scope {
    return new Scope(new Map(), { next: 0 });
  }

  /** Number of slots of this scope and all from the same `empty()`. */
  get slotCount(): number {
    return this.#counter.next;
  }

  /** This scope and new variables, with their slots in the order given. */
  extend(variables: readonly Typed[]): { scope: Scope; added: readonly Variable[] } {
    const slots = new Map(this.#slots);
    const added = variables.map(({ name, type }) => {
      const slot = this.#counter.next++;
      slots.set(name, slot);
      return { slot, type };
    });
    return { scope: new Scope(slots, this.#counter), added };
  }

  slotOf(name: string, place: string): number {
    const slot = this.#slots.get(name);
    if (slot === undefined) throw damaged(place, `variable ${name} is not declared`);
    return slot;
  }

  /** A word's term; null if it names no object of the problem. */
  termOf(word: string, vocabulary: Vocabulary, place: string): Term | null {
    if (word.startsWith('?')) return this.slotOf(word, place);
    const object = vocabulary.numberOf.get(word);
    return object === undefined ? null : ~object;
  }

  /** The slots of a formula's free variables. */
  slotsIn(formula: Formula, place: string): ReadonlySet<number> {
    const found = new Set<number>();
    const collect = (part: Formula, inner: readonly string[]): void => {
      if (part.kind === 'and' || part.kind === 'or') for (const each of part.parts) collect(each, inner);
      else if (part.kind === 'exists' || part.kind === 'forall')
        collect(part.body, [...inner, ...part.variables.map(({ name }) => name)]);
      else if (part.kind === 'atom' || part.kind === 'equal')
        for (const word of part.terms)
          if (word.startsWith('?') && !inner.includes(word)) found.add(this.slotOf(word, place));
    };
    collect(formula, []);
    return found;
  }
}
