/**
 * Parses an episode from chat messages, so that an acting policy can be called like a language model. Three forms are read:
 * - the output of `expertConversation`: room and task from the user, commands from the assistant, observations from the user;
 * - the same as one text with every command after `> `, as written by `studentText` and ReAct;
 * - mixtures of both.
 *
 * System messages (rules, examples) are for language models and are ignored. So are lessons; `initialObservation` removes them with the
 * greeting.
 */
import { EmacError, type ChatMessage, type History, type Turn } from '@emac/core';
import { admissibleHeading, leftOutSentence } from './expert-messages.ts';

export interface Conversation {
  readonly history: History;
  /** the accepted commands listed in the last message, one per line, up to its end or an open `>`; null without a list */
  readonly admissible: readonly string[] | null;
}

/** The episode in messages. Errors: `data` if they do not begin and end with the user, or two consecutive ones have the same role. */
export function readConversation(messages: readonly ChatMessage[]): Conversation {
  const said = messages.filter(({ role }) => role !== 'system');
  said.forEach(({ role }, place) => requireRole(role, place));
  const newest = said.at(-1);
  if (newest?.role !== 'user')
    throw new EmacError('data', 'messages: must end with a user message, which the command answers');
  const [last, listed] = split(newest.content);
  const contents = [...said.slice(0, -1).map(({ content }) => content), last];
  const { initial, turns } = readEpisode(contents[0]!.replace(leftOutSentence, ''));
  const more = contents.slice(1);
  const further = more.flatMap((content, place): Turn[] =>
    place % 2 === 0 ? [{ command: content.trim(), observation: more[place + 1]! }] : [],
  );
  return { history: { initial, turns: [...turns, ...further] }, admissible: listed };
}

/** Messages that `readConversation` reads as the same, for observations without lines after `> `. */
export function episodeConversation({ history, admissible }: Conversation): ChatMessage[] {
  const contents = [history.initial, ...history.turns.flatMap((turn) => [turn.command, turn.observation])];
  const messages = contents.map((content, place): ChatMessage => {
    return { role: place % 2 === 0 ? 'user' : 'assistant', content };
  });
  if (!admissible?.length) return messages;
  const { content } = messages.at(-1)!;
  const listed = `${content}${admissibleHeading}${admissible.join('\n')}`;
  return [...messages.slice(0, -1), { role: 'user', content: listed }];
}

/** The episode in a text: room and task, then `\n> {command}\n{observation}` per step, with or without an open `\n>`. Never throws. */
export function readEpisode(text: string): History {
  const [initial, ...steps] = text.replace(/\n>\s*$/, '').split('\n> ');
  const turns = steps.map((step): Turn => {
    const end = step.indexOf('\n');
    return end === -1
      ? { command: step, observation: '' }
      : { command: step.slice(0, end), observation: step.slice(end + 1) };
  });
  return { initial: initial!, turns };
}

function requireRole(role: ChatMessage['role'], place: number): void {
  const wanted = place % 2 === 0 ? 'user' : 'assistant';
  if (role !== wanted)
    throw new EmacError(
      'data',
      `messages: user and assistant must take turns, the user first; message ${place + 1}, system messages not counted, is of the ${role}`,
    );
}

/** The heading, alone on its line. */
const heading = new RegExp(`(?:^|\\n\\n?)${admissibleHeading.trim()}[^\\S\\n]*(?:\\n|$)`, 'g');

function split(content: string): [text: string, admissible: readonly string[] | null] {
  const found = [...content.matchAll(heading)].at(-1);
  if (!found) return [content, null];
  const listed = content.slice(found.index + found[0].length).replace(/(?:^|\n)>\s*$/, '');
  const commands = listed.split('\n').filter((line) => line.trim() !== '');
  return [content.slice(0, found.index), commands];
}
