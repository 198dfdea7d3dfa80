/**
 * ALFWorld's two dialects. Up to 0.3.5 objects are placed by `put mug 1 in/on desk 1` and the agent arrives `at loc 7`;
 * since 0.4.0 it is `move mug 1 to desk 1`, and the agent arrives at the receptacle's name. Texts here use `move`.
 */
import type { History } from '@emac/core';
import type { ExampleEpisode } from './examples.ts';

export type Dialect = 'move' | 'put';

/** Commands in the given dialect; other commands are unchanged. */
export function commandInDialect(command: string, dialect: Dialect): string {
  return dialect === 'put'
    ? command.replace(/^move (.+) to (.+)$/, 'put $1 in/on $2')
    : command.replace(/^put (.+) in\/on (.+)$/, 'move $1 to $2');
}

/** An example episode in a dialect: `> ` commands, their answers and the arrivals. */
export function exampleInDialect({ text, locations }: ExampleEpisode, dialect: Dialect): string {
  if (dialect === 'move') return text;
  return text
    .replace(/^> move (.+) to (.+)$/gm, '> put $1 in/on $2')
    .replace(/^You move the (.+) to the (.+)\.$/gm, 'You put the $1 in/on the $2.')
    .replace(/^You arrive at ([^.]+)\. /gm, (_, place: string) => `You arrive at loc ${locations[place]}. `);
}

/** The dialect of a world, detected from its admissible commands, else from its observations, else `move`. */
export function dialectOf(seen: { history: History; admissible?: readonly string[] | undefined }): Dialect {
  const { history, admissible = [] } = seen;
  if (admissible.some((command) => command.startsWith('put '))) return 'put';
  if (admissible.some((command) => command.startsWith('move '))) return 'move';
  const old = /^You (?:arrive at loc \d|put the )/;
  return history.turns.some(({ observation }) => old.test(observation)) ? 'put' : 'move';
}
