/**
 * Parses a message of the published wire: `[#OBSERVATION]…[#HISTORY]…[#INFORMATION]…[#TYPE]…[#DONE]…[#IMAGE]…`. There
 * is no escaping: a field ends at the next tag, as with the published pattern. Nothing is evaluated.
 */
import { EmacError, type Frame } from '@emac/core';
import { nestedPicture } from './nested-picture.ts';
import { pythonValue, type PythonValue } from './python-literal.ts';

export interface PublishedMessage {
  readonly observation: string;
  /** not empty in the first message of an episode */
  readonly type: string;
  /** the game has ended */
  readonly done: boolean;
  /** the goal is reached; equals `done` without INFORMATION */
  readonly won: boolean;
  /** sorted by code point; null without INFORMATION */
  readonly admissible: readonly string[] | null;
  /** path of the game's file; null without INFORMATION */
  readonly gameFile: string | null;
  readonly picture: Frame | null;
}

const tags = ['OBSERVATION', 'HISTORY', 'INFORMATION', 'TYPE', 'DONE', 'IMAGE'] as const;

/** Errors: `data`. */
export function publishedMessage(body: string): PublishedMessage {
  const { OBSERVATION: observation, INFORMATION, TYPE, DONE, IMAGE } = fieldsOf(body);
  const information = pythonValue(INFORMATION);
  const facts = information instanceof Map ? (information as ReadonlyMap<string, PythonValue>) : noFacts;
  const isDone = DONE.trim();
  if (isDone !== 'True' && isDone !== 'False')
    throw new EmacError('data', `[#DONE]: must be True or False, got ${JSON.stringify(isDone.slice(0, 40))}`);
  if (/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\p{Cs}]/u.test(observation))
    throw new EmacError('data', '[#OBSERVATION]: holds a control character');
  const done = isDone === 'True';
  const won = first(facts.get('won'));
  const gameFile = first(facts.get('extra.gamefile'));
  return {
    observation,
    type: TYPE.trim(),
    done,
    won: typeof won === 'boolean' ? won : done,
    admissible: admissibleIn(facts.get('admissible_commands')),
    gameFile: typeof gameFile === 'string' && gameFile !== '' ? gameFile : null,
    picture: nestedPicture(IMAGE),
  };
}

const noFacts: ReadonlyMap<string, PythonValue> = new Map();

function fieldsOf(body: string): Record<(typeof tags)[number], string> {
  let at = 0;
  const starts = tags.map((tag, place) => {
    const found = place === 0 ? (body.startsWith(`[#${tag}]`) ? 0 : -1) : body.indexOf(`[#${tag}]`, at);
    if (found < 0) throw new EmacError('data', `message: [#${tag}] is missing or misplaced`);
    at = found + tag.length + 3;
    return { found, at };
  });
  const fields = starts.map(({ at: from }, place) => body.slice(from, starts[place + 1]?.found));
  return Object.fromEntries(tags.map((tag, place) => [tag, fields[place]!])) as ReturnType<typeof fieldsOf>;
}

/** Environments of one game wrap values in a list of one. */
function first(value: PythonValue | undefined): PythonValue | undefined {
  return Array.isArray(value) ? (value[0] as PythonValue | undefined) : value;
}

function admissibleIn(value: PythonValue | undefined): readonly string[] | null {
  const commands = Array.isArray(first(value)) ? first(value) : value;
  if (!Array.isArray(commands) || commands.length === 0) return null;
  const all = commands as readonly PythonValue[];
  return all.every((each) => typeof each === 'string') ? [...all].sort() : null;
}
