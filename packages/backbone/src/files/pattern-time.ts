/**
 * A limit on the time of a stranger's regular expressions, which a file can make run for ever: `(?:[a-z ]+)+X` takes twice as long for
 * each further letter. JavaScript counts no steps of an expression, so the limit is a time, and far above what a slow
 * machine takes. It costs 0.1 ms, so short texts of harmless expressions go without.
 */
import { EmacError } from '@emac/core';
import { withinTime } from '@emac/platform';

/** milliseconds: a text of a million letters takes five seconds, mostly outside expressions */
export const tokenizerTime = { least: 20_000, perCharacter: 0.1 } as const;

/** texts below this many characters go without a limit */
const shortText = 10_000;

interface Guard {
  /** the parts of a `tokenizer.json` */
  readonly parts: unknown;
  readonly file: string;
  readonly time?: { readonly least: number; readonly perCharacter: number };
}

export type PatternTime = <T>(characters: number, run: () => T) => T;

/** Runs what reads so many characters, within a limit of time. Errors: `data` beyond it. */
export function patternTime({ parts, file, time = tokenizerTime }: Guard): PatternTime {
  const isRisky = patternsOf(parts).some(repeatsChoices);
  return (characters, run) => {
    if (!isRisky && characters < shortText) return run();
    const limit = Math.ceil(time.least + characters * time.perCharacter);
    const found = withinTime(limit, run);
    if (found) return found.value;
    throw new EmacError(
      'data',
      `${file}: a text of ${characters} characters is not read within ${limit / 1000} s; a regular expression (Regex) in it may repeat itself without end`,
    );
  };
}

/** The regular expressions anywhere in a part. */
function patternsOf(part: unknown): string[] {
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([key, value]) =>
    key === 'Regex' && typeof value === 'string' ? [value] : patternsOf(value),
  );
}

const repetition = /^(?:[*+]|\{(\d+)(,\d*)?\})/;

/**
 * Whether an expression repeats a group that can itself match in several ways. Only such a repetition can take exponential time, and
 * hardly any published tokenizer has one.
 */
export function repeatsChoices(pattern: string): boolean {
  // in Rust's expressions a class can hold classes, in JavaScript's it cannot
  return [true, false].some((nests) => hasRepeatedChoice(pattern, nests));
}

function hasRepeatedChoice(pattern: string, nests: boolean): boolean {
  const groups: { hasChoice: boolean }[] = [{ hasChoice: false }];
  for (let place = 0; place < pattern.length; place++) {
    const letter = pattern[place]!;
    const rest = pattern.slice(place + 1, place + 24);
    if (letter === '\\') place++;
    else if (letter === '[') place = endOfClass(pattern, place, nests);
    else if (letter === '(') groups.push({ hasChoice: false });
    else if (letter === ')') {
      const { hasChoice } = groups.pop() ?? { hasChoice: false };
      if (hasChoice && repetition.test(rest)) return true;
      if (groups.length === 0) groups.push({ hasChoice });
      else groups.at(-1)!.hasChoice ||= hasChoice;
    } else if (letter === '|' || letter === '*' || letter === '+' || isCount(pattern, place))
      groups.at(-1)!.hasChoice = true;
    else if (letter === '?' && pattern[place - 1] !== '(') groups.at(-1)!.hasChoice = true;
  }
  return false;
}

/** A repetition of several counts, such as `{1,3}`. */
function isCount(pattern: string, place: number): boolean {
  return repetition.exec(pattern.slice(place, place + 24))?.[2] !== undefined;
}

function endOfClass(pattern: string, start: number, nests: boolean): number {
  let depth = 1;
  for (let place = start + 1; place < pattern.length; place++) {
    if (pattern[place] === '\\') place++;
    else if (pattern[place] === '[' && nests) depth++;
    else if (pattern[place] === ']' && --depth === 0) return place;
  }
  return pattern.length;
}
