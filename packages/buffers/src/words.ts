/** When two answers, or two transitions, say the same. */
import { createHash } from 'node:crypto';
import type { Completion } from '@emac/core';
import { pack } from '@emac/files';
import type { Keyed } from './keyed-transition.ts';
import type { Transition } from './transition.ts';

/** Equal texts, or equal ids; a text equals no ids, for only a model could tell. */
export function isSameAnswer(one: Completion, other: Completion): boolean {
  if (typeof one === 'string' || typeof other === 'string') return one === other;
  return one.length === other.length && one.every((id, place) => id === other[place]);
}

/**
 * What stands for a transition's words and pictures, whatever episode it came from and however it was judged: a hash,
 * for there may be 10⁵ histories of some kilobytes.
 */
export function wordsOf(transition: Keyed<Transition>): string {
  const { prompt } = transition;
  const answers = 'answer' in transition ? [transition.answer] : [transition.chosen, transition.rejected];
  return createHash('sha256')
    .update(pack([prompt, answers]))
    .digest('base64');
}
