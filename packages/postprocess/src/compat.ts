/**
 * Post-processing exactly as published (EMMA's LAVIS/post_processing.py, used unchanged by EMAC+), to reproduce its runs.
 * Known faults are kept: it is not idempotent, a dot before a blank stays (`go to cabinet 1. `), rules test the first
 * letters of the answer and not its first word, and several lines may stay.
 */

/** Python's whitespace, slightly different from JavaScript's `\s` */
const blank = String.raw`[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]`;
const [blanks, edges] = [new RegExp(`${blank}+`), new RegExp(`^${blank}+|${blank}+$`, 'g')];

const punctuation = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~';

/** A model's answer as a command, by the published rules; never throws. */
export function postprocessCompat(text: string): string {
  const lowered = trimmed(stripCharacters(text, punctuation).toLowerCase());
  const action = lowered.startsWith('>') ? trimmed(lowered.split('>')[1]!) : lowered;
  if (action.startsWith('put')) return placeInOrOn(withoutThe(action));
  if (action.startsWith('go')) return firstWords(withoutThe(action), 4);
  if (/^(?:use|open|examine|close)/.test(action)) return firstWords(withoutThe(action), 3);
  if (/^(?:heat|cool|clean|take)/.test(action)) return withoutThe(action);
  return action;
}

/** An observation as published: removes `You arrive at loc N. `; without `. ` after it, removes only the first letter. */
export function cleanObservationCompat(observation: string): string {
  if (!observation.startsWith('You arrive at loc ')) return observation;
  return observation.slice(observation.indexOf('. ') + 2);
}

function stripCharacters(text: string, characters: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && characters.includes(text[start]!)) start++;
  while (end > start && characters.includes(text[end - 1]!)) end--;
  return text.slice(start, end);
}

function trimmed(text: string): string {
  return text.replace(edges, '');
}

function withoutThe(action: string): string {
  const words = action.split(blanks).filter((word) => word !== '');
  return words.filter((word) => word !== 'the').join(' ');
}

function placeInOrOn(action: string): string {
  const match = /^put ([^\n]*) in ([^\n]*)/.exec(action) ?? /^put ([^\n]*) on ([^\n]*)/.exec(action);
  return match ? `put ${match[1]} in/on ${match[2]}` : action;
}

function firstWords(action: string, count: number): string {
  return action.split(' ').slice(0, count).join(' ');
}
