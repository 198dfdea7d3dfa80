/** The training under way, as a person teaches it: it asks the page for labels. */
import { EmacError } from '@emac/core';
import { openTeaching, type Teaching } from '@emac/experiment';
import type { TeachAnswer, TeachOrder } from '@emac/pages/data';

let taught: Teaching | null = null;

/** Calls `asks` before the first question: most trainings have none. */
export function beginTeaching(asks: () => void): Teaching {
  const teaching = openTeaching();
  const { person } = teaching;
  let hasAsked = false;
  const ask: typeof person.ask = (shown) => {
    if (!hasAsked) asks();
    hasAsked = true;
    return person.ask(shown);
  };
  taught = { ...teaching, person: { ...person, ask } };
  return taught;
}

/** Errors: `usage` if nothing was trained yet. */
export function toldTeaching(order: TeachOrder): Promise<TeachAnswer> {
  if (taught === null) throw new EmacError('usage', 'no training asks for labels; begin one');
  return taught.place(order);
}
