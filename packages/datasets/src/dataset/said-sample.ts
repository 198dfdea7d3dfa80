/**
 * A record of texts or messages as ids: the prompt is what stands before the first target. Of a conversation that goes on after its first answer the
 * rest follows in one piece, of which the assistant's turns alone are scored.
 */
import type { SpokenMessage, Writing, Written } from '@emac/backbone';
import { EmacError, type PromptPart, type Target } from '@emac/core';
import type { Student } from '@emac/model';
import type { Said, SaidRecord } from './data-forms.ts';
import { withPlaces } from './record-pictures.ts';

/** What writes a record in the form of its model. */
export type Writer = Pick<Student, 'writtenConversation' | 'writtenText'>;

/** What bounds a record's length without reading it. */
export type Bounds = Pick<Student, 'mostConversationIds' | 'mostTextIds'>;

export interface SaidSample {
  readonly prompt: PromptPart;
  readonly output: Target;
  readonly worse: Target | null;
}

export interface SaidReading extends Pick<Writing, 'turns'> {
  /** how many pictures the model sees with it; 0 for one that reads texts alone */
  readonly pictures: number;
  /** null: it is read whole */
  readonly limit: LengthLimit | null;
}

export interface LengthLimit {
  /** tokens, pictures aside */
  readonly tokens: number;
  /** what happens to a longer record */
  readonly longer: 'cut' | 'refuse';
  /** what happens to a pair whose sides are equal once they are cut */
  readonly equal: 'drop' | 'keep';
}

/** Errors: `data` without a target or for messages that the template refuses, `usage` for a model without a chat template. */
export function saidSample({ worse, ...said }: SaidRecord, writer: Writer, reading: SaidReading): SaidSample {
  const { after } = said;
  const written = (side: Said) => writtenAs(writer, { ...said, after: side }, reading);
  const limited = (side: Said) => withinLimit(written(side), reading.limit);
  const [chosen, rejected] = [limited(after), worse === null ? null : limited(worse)];
  const sides = rejected ? [chosen, rejected] : [chosen];
  const cut = Math.min(...sides.map(promptLength), ...(rejected ? [sharedIds(chosen, rejected)] : []));
  const { before: pictures } = chosen;
  return {
    prompt: { kind: 'tokens', tokens: chosen.tokens.slice(0, cut), before: pictures },
    output: targetsAfter(chosen, cut),
    worse: rejected && targetsAfter(rejected, cut),
  };
}

/** Errors: `data` for what is longer and must not be cut, or has no target left. */
export function withinLimit(written: Written, limit: LengthLimit | null): Written {
  const { tokens, scored, before } = written;
  if (limit === null || tokens.length <= limit.tokens) return written;
  if (limit.longer === 'refuse')
    throw new EmacError(
      'data',
      `must have at most ${limit.tokens} tokens (--max-record-tokens), has ${tokens.length}`,
    );
  const cut = { tokens: tokens.slice(0, limit.tokens), scored: scored.slice(0, limit.tokens), before };
  if (cut.scored.includes(true) && (before.at(-1) ?? 0) < limit.tokens) return cut;
  throw new EmacError(
    'data',
    `needs an answer to learn and all pictures within ${limit.tokens} tokens (--max-record-tokens), has ${tokens.length}`,
  );
}

/** How many ids a side of a record has at most, seen without a tokenizer; Infinity: it has to be read. Errors: as `saidSample`. */
export function mostIdsOf(
  { before, after, tools }: Pick<SaidRecord, 'before' | 'after' | 'tools'>,
  { mostConversationIds, mostTextIds }: Bounds,
  turns: Writing['turns'],
): number {
  if (typeof after === 'string' && typeof before === 'string') return mostTextIds(before + after);
  const asked = messagesOf(before, 'user');
  const said = [...asked, ...messagesOf(after, 'assistant')];
  return mostConversationIds(said, { from: asked.length, turns, tools });
}

/** One side of a record as its model reads it. Errors: as `saidSample`. */
export function writtenAs(
  writer: Writer,
  { before, after, tools, isSeen = false }: Pick<SaidRecord, 'before' | 'after' | 'tools' | 'isSeen'>,
  { turns, pictures }: Omit<SaidReading, 'limit'>,
): Written {
  if (isSeen && pictures === 0)
    throw new EmacError(
      'data',
      'has pictures, and the model reads texts alone; leave them out, or take a model that sees pictures',
    );
  if (typeof after === 'string' && typeof before === 'string') {
    if (pictures === 0) return writer.writtenText({ before, after });
    throw new EmacError(
      'data',
      'has a picture beside a text without places for pictures; give the prompt as a list of messages',
    );
  }
  const asked = messagesOf(before, 'user');
  const said = withPlaces([...asked, ...messagesOf(after, 'assistant')], pictures);
  return writer.writtenConversation(said, { from: asked.length, turns, tools });
}

function messagesOf(given: Said, role: string): readonly SpokenMessage[] {
  return typeof given === 'string' ? [{ role, content: given }] : given;
}

/** Ids before the first target; pictures stand in the prompt alone. Errors: `data` without a target. */
function promptLength({ scored, before }: Written): number {
  const first = scored.indexOf(true, before.at(-1) ?? 0);
  if (first > 0) return first;
  throw new EmacError(
    'data',
    'has no answer of the assistant to learn from; give a message with the role assistant (after the last picture), or a longer text',
  );
}

function sharedIds(one: Written, other: Written): number {
  const place = one.tokens.findIndex((id, at) => id !== other.tokens[at]);
  return place === -1 ? one.tokens.length : place;
}

/** What follows the prompt, up to the last target. */
function targetsAfter({ tokens, scored }: Written, cut: number): Target {
  const end = scored.lastIndexOf(true) + 1;
  const rest = { tokens: tokens.slice(cut, end), scored: scored.slice(cut, end) };
  return rest.scored.every(Boolean) ? rest.tokens : rest;
}

/** Whether both sides of a pair have the same ids, as cutting can make them. */
export function isCutEqual({ output, worse }: SaidSample): boolean {
  return worse !== null && JSON.stringify(output) === JSON.stringify(worse);
}
