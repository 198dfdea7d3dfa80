/**
 * The form of a value on the command line. Values arrive as text and are parsed here: a flag parser would silently turn `--lr abc` into NaN and `--lr 1 --lr
 * 2` into a list.
 */

export interface Form<T> {
  /** in `--help` and in messages, e.g. `a whole number from 1 to 64`; null for a switch */
  readonly words: string | null;
  /** completions for a shell; empty if any text is possible */
  readonly choices?: readonly string[];
  /** the value, or undefined for a text of another form */
  readonly parse: (text: string) => T | undefined;
  /** the flag may be repeated: `parse` receives the texts joined by commas; absent: it may not */
  readonly isMany?: boolean;
}

/** Any text but the empty one, such as a path. */
export const anyText: Form<string> = { words: 'a text', parse: (text) => (text === '' ? undefined : text) };

/** A text of a pattern. */
export function matching(pattern: RegExp, words: string): Form<string> {
  return { words, parse: (text) => (pattern.test(text) ? text : undefined) };
}

/** A value of the first form that takes it; null if one of them is none. */
export function eitherOf(forms: readonly (Form<unknown> | null)[]): Form<unknown> | null {
  const all = forms.filter((form) => form !== null);
  if (all.length < forms.length) return null;
  return {
    words: all.map(({ words }) => words).join(', or '),
    parse(text) {
      for (const { parse } of all) {
        const value = parse(text);
        if (value !== undefined) return value;
      }
      return undefined;
    },
  };
}

/** Texts, in one flag with commas or in several; each may not be empty. */
export const texts: Form<readonly string[]> = {
  words: 'one or more texts, with commas between them',
  isMany: true,
  parse(text) {
    const all = text.split(',').map((each) => each.trim());
    return all.every((each) => each !== '') ? all : undefined;
  },
};

/** A switch: `value` is the meaning of naming it. */
export function switched<T extends boolean>(value: T): Form<T> {
  return { words: null, parse: () => value };
}

/** One of the given words. */
export function oneOf<const W extends string>(words: readonly W[]): Form<W> {
  return {
    words: words.join(' or '),
    choices: words,
    parse: (text) => words.find((each) => each === text),
  };
}

/** One of the given words; each stands for a value. */
export function wordFor<T>(values: Readonly<Record<string, T>>): Form<T> {
  return {
    words: Object.keys(values).join(' or '),
    choices: Object.keys(values),
    parse: (text) => (Object.hasOwn(values, text) ? values[text] : undefined),
  };
}

/** A whole number from `least` to `most`: far above any use, yet too small to fill the memory. */
export function wholeNumber(least: number, most: number): Form<number> {
  return {
    words: `a whole number from ${least} to ${most}`,
    parse(text) {
      const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
      return value >= least && value <= most ? value : undefined;
    },
  };
}

/** A whole number from 0, without upper bound. */
export const wholeSeed: Form<number | bigint> = {
  words: 'a whole number from 0',
  parse(text) {
    if (!/^\d+$/.test(text)) return undefined;
    const value = Number(text);
    return Number.isSafeInteger(value) ? value : BigInt(text);
  },
};

/** An interval: `above` and `below` exclude their bound, `from` and `to` include it. */
export interface Range {
  readonly above?: number | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly below?: number | undefined;
}

/** A number in decimal or with an exponent. */
export function numberIn({ above, from, to, below }: Range): Form<number> {
  const lowest = above === undefined ? ` from ${from ?? 0}` : ` above ${above}`;
  const highest = to === undefined ? (below === undefined ? '' : ` to below ${below}`) : ` to ${to}`;
  return {
    words: `a number${lowest}${highest}`,
    parse(text) {
      const value = /^(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : NaN;
      const isIn = above === undefined ? value >= (from ?? 0) : value > above;
      return isIn && value < (below ?? Infinity) && value <= (to ?? Number.MAX_VALUE) ? value : undefined;
    },
  };
}

/** `form`, or a word for null. */
export function orNull<T>({ words, choices = [], parse }: Form<T>, word: string): Form<T | null> {
  return {
    words: `${words}, or ${word}`,
    choices: [...choices, word],
    parse: (text) => (text === word ? null : parse(text)),
  };
}
