/**
 * Penalizes a description that repeats its subject's location or state: this helps in one picture and misleads in the
 * next. The penalty is the largest ROUGE-2 F1 of a sentence against `state location`, to four digits. Stop words do not
 * count; words of place or state, such as "in" or "behind", are not stop words.
 */
import type { Description } from '../description.ts';
import { sentencesOf } from './speaker.ts';

const stopWords: ReadonlySet<string> = new Set(
  (
    'a an the this that these those it its he him his she her they them their we us our you your i me my who whom which what ' +
    'is are was were be been being am do does did has have had having can could will would shall should may might must ' +
    'and or but nor so if then than as of for to with by from also very too just not no only such some any each both all'
  ).split(' '),
);

/** From −1 to 0. */
export function overlapReward({ detailed, state, location }: Description): number {
  const told = wordsOf(`${state} ${location}`);
  const overlaps = sentencesOf(detailed).map((sentence) => rouge2(wordsOf(sentence), told));
  const largest = Math.round(Math.max(0, ...overlaps) * 1e4) / 1e4;
  return largest === 0 ? 0 : -largest;
}

function wordsOf(text: string): readonly string[] {
  return (text.toLowerCase().match(/[a-z0-9]+/g) ?? []).filter((word) => !stopWords.has(word));
}

/** F1 of neighbouring word pairs, clipped to their count in both texts; 0 if one has none. */
export function rouge2(candidate: readonly string[], reference: readonly string[]): number {
  const [own, other] = [pairsOf(candidate), pairsOf(reference)];
  const left = new Map<string, number>();
  for (const pair of other) left.set(pair, (left.get(pair) ?? 0) + 1);
  let common = 0;
  for (const pair of own) {
    const rest = left.get(pair) ?? 0;
    if (rest === 0) continue;
    left.set(pair, rest - 1);
    common++;
  }
  return common === 0 ? 0 : (2 * common) / (own.length + other.length);
}

function pairsOf(words: readonly string[]): string[] {
  return words.slice(1).map((word, place) => `${words[place]} ${word}`);
}
