/**
 * ALFWorld's two dialects. Up to 0.3.5 an object is `put mug 1 in/on desk 1` and one arrives `at loc 7`; since 0.4.0
 * it is `move mug 1 to desk 1` and one arrives at the receptacle's own name. Texts here are written in `move`.
 */
import type { History } from '@emac/core';

export type Dialect = 'move' | 'put';

/** Commands as a world of the given dialect takes them; other commands are left as they are. */
export function commandInDialect(command: string, dialect: Dialect): string {
  return dialect === 'put'
    ? command.replace(/^move (.+) to (.+)$/, 'put $1 in/on $2')
    : command.replace(/^put (.+) in\/on (.+)$/, 'move $1 to $2');
}

/**
 * An example episode in `move` rendered to the given dialect: `> ` commands, the answers to them and the arrivals.
 * Location numbers are made up in order of first arrival, as the text does not hold the real ones.
 */
export function exampleInDialect(text: string, dialect: Dialect): string {
  if (dialect === 'move') return text;
  const places = new Map<string, number>();
  const arrival = (_: string, place: string): string => {
    places.set(place, places.get(place) ?? places.size + 1);
    return `You arrive at loc ${places.get(place)}. `;
  };
  return text
    .replace(/^> move (.+) to (.+)$/gm, '> put $1 in/on $2')
    .replace(/^You move the (.+) to the (.+)\.$/gm, 'You put the $1 in/on the $2.')
    .replace(/^You arrive at ([^.]+)\. /gm, arrival);
}

/** The dialect a world speaks, told by its admissible commands, else by its observations, else `move`. */
export function dialectOf(seen: { history: History; admissible?: readonly string[] | undefined }): Dialect {
  const { history, admissible = [] } = seen;
  if (admissible.some((command) => command.startsWith('put '))) return 'put';
  if (admissible.some((command) => command.startsWith('move '))) return 'move';
  const old = /^You (?:arrive at loc \d|put the )/;
  return history.turns.some(({ observation }) => old.test(observation)) ? 'put' : 'move';
}
