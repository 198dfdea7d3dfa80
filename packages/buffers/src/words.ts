/** Equality of answers and of transitions. */
import { startSha256 } from '@emac/platform';
import type { Completion } from '@emac/core';
import { pack } from '@emac/files';
import type { Keyed } from './keyed-transition.ts';
import type { Transition } from './transition.ts';

/** Equal texts, or equal ids; a text never equals ids, because only a model could tell. */
export function isSameAnswer(one: Completion, other: Completion): boolean {
  if (typeof one === 'string' || typeof other === 'string') return one === other;
  return one.length === other.length && one.every((id, place) => id === other[place]);
}

/**
 * A key of a transition's words and pictures, independent of its origin and reference values: a hash, because there may
 * be 10⁵ histories of some kilobytes.
 */
export function wordsOf(transition: Keyed<Transition>): string {
  const { prompt } = transition;
  const answers = 'answer' in transition ? [transition.answer] : [transition.chosen, transition.rejected];
  return startSha256()
    .update(pack([prompt, answers]))
    .digest('base64');
}
