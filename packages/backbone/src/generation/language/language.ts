/**
 * Languages of texts as values: what may follow after some characters is again a language (Brzozowski, Derivatives of Regular Expressions,
 * 1964; with names for parts it covers nested JSON too). Equal languages are one object, so each is continued once by each character.
 */

export type Language =
  | { readonly kind: 'none' | 'end'; readonly id: number }
  | { readonly kind: 'character'; readonly id: number; readonly holds: (character: string) => boolean }
  | { readonly kind: 'both'; readonly id: number; readonly first: Language; readonly then: Language }
  | { readonly kind: 'either'; readonly id: number; readonly of: readonly Language[] }
  | { readonly kind: 'many'; readonly id: number; readonly of: Language }
  | { readonly kind: 'later'; readonly id: number; readonly of: () => Language };

export interface Languages {
  /** the empty text */
  readonly end: Language;
  /** one character of a class; equal names are one class */
  character(name: string, holds: (character: string) => boolean): Language;
  literal(text: string): Language;
  /** one after the other */
  sequence(...parts: readonly Language[]): Language;
  either(...of: readonly Language[]): Language;
  many(of: Language): Language;
  optional(of: Language): Language;
  /** up to this many times */
  upTo(count: number, of: Language): Language;
  /** a part that may hold itself, behind a character */
  later(of: () => Language): Language;
  /** What may follow a character; null: nothing, not even the end. */
  after(language: Language, character: string): Language | null;
  mayEnd(language: Language): boolean;
}

/** An empty set of languages. */
export function languages(): Languages {
  const known = new Map<string, Language>();
  const followed = new Map<Language, Map<string, Language>>();
  const ends = new Map<Language, boolean>();
  let count = 0;
  const one = <T extends object>(key: string, made: T): Language => {
    const found = known.get(key);
    if (found) return found;
    const language = { id: count++, ...made } as unknown as Language;
    known.set(key, language);
    return language;
  };
  const none = one('none', { kind: 'none' });
  const end = one('end', { kind: 'end' });
  const both = (first: Language, then: Language): Language => {
    if (first === none || then === none) return none;
    if (first === end) return then;
    if (then === end) return first;
    if (first.kind === 'both') return both(first.first, both(first.then, then));
    return one(`both ${first.id} ${then.id}`, { kind: 'both', first, then });
  };
  const either = (...of: readonly Language[]): Language => {
    const flat = of.flatMap((each) => (each.kind === 'either' ? each.of : each === none ? [] : [each]));
    const parts = [...new Set(flat)].sort((a, b) => a.id - b.id);
    if (parts.length <= 1) return parts[0] ?? none;
    return one(`either ${parts.map(({ id }) => id).join(' ')}`, { kind: 'either', of: parts });
  };
  const many = (of: Language): Language =>
    of === none || of === end ? end : one(`many ${of.id}`, { kind: 'many', of });
  const character = (name: string, holds: (character: string) => boolean): Language =>
    one(`character ${name}`, { kind: 'character', holds });
  const optional = (of: Language): Language => either(end, of);
  const mayEnd = (language: Language): boolean => {
    const found = ends.get(language);
    if (found !== undefined) return found;
    // a part that holds itself at its beginning adds nothing
    ends.set(language, false);
    const made = endsNow(language);
    ends.set(language, made);
    return made;
  };
  const endsNow = (language: Language): boolean => {
    switch (language.kind) {
      case 'end':
      case 'many':
        return true;
      case 'both':
        return mayEnd(language.first) && mayEnd(language.then);
      case 'either':
        return language.of.some(mayEnd);
      case 'later':
        return mayEnd(language.of());
      default:
        return false;
    }
  };
  const derived = (language: Language, next: string): Language => {
    switch (language.kind) {
      case 'character':
        return language.holds(next) ? end : none;
      case 'both': {
        const ahead = both(follow(language.first, next), language.then);
        return mayEnd(language.first) ? either(ahead, follow(language.then, next)) : ahead;
      }
      case 'either':
        return either(...language.of.map((each) => follow(each, next)));
      case 'many':
        return both(follow(language.of, next), language);
      case 'later':
        return follow(language.of(), next);
      default:
        return none;
    }
  };
  const follow = (language: Language, next: string): Language => {
    let row = followed.get(language);
    if (!row) followed.set(language, (row = new Map<string, Language>()));
    const found = row.get(next);
    if (found) return found;
    row.set(next, none);
    const made = derived(language, next);
    row.set(next, made);
    return made;
  };
  const sequence = (...parts: readonly Language[]): Language =>
    parts.reduceRight((rest, part) => both(part, rest), end);
  let named = 0;
  return {
    end,
    character,
    literal: (text) => sequence(...[...text].map((each) => character(`is ${each}`, (next) => next === each))),
    sequence,
    either,
    many,
    optional,
    upTo: (times, of) =>
      Array.from({ length: times }).reduce<Language>((rest) => optional(both(of, rest)), end),
    later: (of) => one(`later ${named++}`, { kind: 'later', of }),
    after: (language, next) => {
      const found = follow(language, next);
      return found === none ? null : found;
    },
    mayEnd,
  };
}
