/**
 * Added tokens found in a text as Hugging Face's Rust tokenizers find them: the longest at a place from left to right, a `single_word`
 * only where no letter, digit or mark stands beside it. `lstrip` and `rstrip` take Unicode's white space beside the token away.
 */

export interface FoundToken {
  readonly content: string;
  readonly single_word?: boolean;
  readonly lstrip?: boolean;
  readonly rstrip?: boolean;
}

/** What the library takes a text apart with: added tokens and the texts between them. */
export interface TextSplitter {
  split(text: string): string[];
}

const endsInWord = /[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]$/u;
const beginsInWord = /^[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]/u;

/** A splitter at tokens, by the text under which each is found, over the splitter that finds all of them. */
export function tokenSplitter(tokens: ReadonlyMap<string, FoundToken>, every: TextSplitter): TextSplitter {
  if ([...tokens.values()].every(isPlain)) return every;
  return { split: (text) => joined(text, kept(text, tokens, every)) };
}

/** A place where a text may be taken apart. */
export interface Cut {
  readonly start: number;
  /** the end of the added token that begins there; a shorter text may not have it */
  readonly least: number;
}

/**
 * Finds the places at which both sides of a text have the ids that they have in the whole: where an added token begins that heeds
 * nothing beside it, and none before it does.
 */
export function cutsAt(
  tokens: ReadonlyMap<string, FoundToken>,
  every: TextSplitter,
): (text: string) => Cut[] {
  return (text) => {
    const cuts: Cut[] = [];
    let place = 0;
    let isAlone = false;
    for (const content of every.split(text)) {
      const [token, start] = [tokens.get(content), place];
      place += content.length;
      const isOwn = token !== undefined && isPlain(token) && !beginsBlank.test(content);
      if (isOwn && isAlone) cuts.push({ start, least: place });
      isAlone = token === undefined || isPlain(token);
    }
    return cuts;
  };
}

const beginsBlank = /^\p{White_Space}/u;

function isPlain({ single_word, lstrip, rstrip }: FoundToken): boolean {
  return !single_word && !lstrip && !rstrip;
}

interface Found {
  readonly start: number;
  readonly end: number;
  readonly content: string;
}

/** Tokens and the stretch of the text that each takes. */
function kept(text: string, tokens: ReadonlyMap<string, FoundToken>, every: TextSplitter): Found[] {
  const all: Found[] = [];
  let place = 0;
  let last = 0;
  for (const content of every.split(text)) {
    const [start, end] = [place, place + content.length];
    place = end;
    const token = tokens.get(content);
    if (!token) continue;
    const [before, after] = [text.slice(0, start), text.slice(end)];
    if (token.single_word && (endsInWord.test(before) || beginsInWord.test(after))) continue;
    const blanksBefore = token.lstrip ? /\p{White_Space}*$/u.exec(before)![0].length : 0;
    const blanksAfter = token.rstrip ? /^\p{White_Space}*/u.exec(after)![0].length : 0;
    all.push({ start: Math.max(start - blanksBefore, last), end: end + blanksAfter, content });
    last = end + blanksAfter;
  }
  return all;
}

function joined(text: string, found: readonly Found[]): string[] {
  const parts: string[] = [];
  let place = 0;
  for (const { start, end, content } of found) {
    if (start > place) parts.push(text.slice(place, start));
    parts.push(content);
    place = Math.max(place, end);
  }
  return place < text.length ? [...parts, text.slice(place)] : parts;
}
