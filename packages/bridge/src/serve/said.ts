/**
 * A client's answer: the text without the blank that joins it to the prompt, token by token, cut as requested. The cut
 * is made after decoding, since a batch is decided as a whole.
 */
import type { Answer } from '@emac/core';

export interface SaidToken {
  readonly text: string;
  readonly logProbability: number;
}

export interface Said {
  readonly text: string;
  /** together they form the text */
  readonly tokens: readonly SaidToken[];
  /** `stop`: the end token or a stop text; `length`: cut off */
  readonly end: 'stop' | 'length';
  /** generated tokens, end token included */
  readonly count: number;
}

export interface Cuts {
  readonly maxTokens: number;
  /** the text ends before the first of these */
  readonly stop: readonly string[];
}

/** `texts`: the text of each token of the answer, empty for the end token. */
export function saidOf({ tokens, logProbabilities }: Answer, texts: readonly string[], cuts: Cuts): Said {
  const hasEnded = texts.at(-1) === '';
  const content = hasEnded ? texts.slice(0, -1) : texts;
  const all = content.map((text, place): SaidToken => ({
    text: place === 0 ? text.replace(/^ /, '') : text,
    logProbability: logProbabilities[place]!,
  }));
  const kept = all.slice(0, cuts.maxTokens);
  const text = kept.map((each) => each.text).join('');
  const places = cuts.stop.map((stop) => text.indexOf(stop)).filter((place) => place >= 0);
  const length = Math.min(text.length, ...places);
  const isStopped = places.length > 0 || (hasEnded && kept.length === all.length);
  return {
    text: text.slice(0, length),
    tokens: firstCharacters(kept, length),
    end: isStopped ? 'stop' : 'length',
    count: kept.length < all.length ? kept.length : tokens.length,
  };
}

function firstCharacters(tokens: readonly SaidToken[], length: number): SaidToken[] {
  let before = 0;
  return tokens.flatMap((token) => {
    const text = token.text.slice(0, Math.max(0, length - before));
    const isWithin = before < length;
    before += token.text.length;
    return isWithin ? [{ ...token, text }] : [];
  });
}
