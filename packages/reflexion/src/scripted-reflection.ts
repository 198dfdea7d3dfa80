/**
 * A lesson without a language model, for runs with a program as expert: a few sentences on the failed episode. It uses
 * only the history (and the expert's labels for it), so it is never wrong about the game, and the same episode always
 * gives the same lesson.
 */
import type { History, Turn } from '@emac/core';
import { cleanObservation } from '@emac/postprocess';
import { initialObservation } from '@emac/prompt';

export interface ScriptedReflectionInput {
  readonly history: History;
  /** the expert's command at each turn; null or absent without one */
  readonly expertCommands?: readonly (string | null)[];
}

/** One line: the task, what was searched and seen, what was rejected or repeated, and what to do instead. */
export function scriptedReflection({ history, expertCommands = [] }: ScriptedReflectionInput): string {
  const { turns } = history;
  const task = taskOf(history.initial);
  const views = viewsOf(turns);
  const sentences = [
    `I did not finish ${task ? `"${task}"` : 'the task'} in ${count(turns.length, 'step')}.`,
    searchedSentence(views),
    seenSentence(objectOf(task), views),
    refusedSentence(turns),
    repeatedSentence(turns),
    departureSentence(turns, expertCommands) ?? unvisitedSentence(history.initial, turns),
  ];
  return sentences.filter((sentence) => sentence !== null).join(' ');
}

interface View {
  readonly receptacle: string;
  readonly contents: string;
}

function taskOf(initial: string): string | null {
  return /Your task is to: (.*?)\.*\s*$/m.exec(initialObservation(initial))?.[1] ?? null;
}

/** The object class of a task in ALFWorld's own wording; null for a person's wording. */
function objectOf(task: string | null): string | null {
  const templates = [
    /^put (?:a|some|two) (?:clean |hot |cool )?([a-z]+) (?:in|on) /,
    /^(?:clean|heat|cool) some ([a-z]+) and put /,
    /^find two ([a-z]+) and put /,
    /^(?:look at|examine the) ([a-z]+) (?:under|with) the /,
  ];
  for (const template of templates) {
    const match = template.exec(task ?? '');
    if (match) return match[1]!;
  }
  return null;
}

/** Every observation of a receptacle's contents, in order. */
function viewsOf(turns: readonly Turn[]): readonly View[] {
  return turns.flatMap(({ observation }) => {
    const text = cleanObservation(observation);
    const match = /(?:^On the|The) ([a-z]+ \d+)(?: is open\. In it)?, you see (.+)\.$/.exec(text);
    return match ? [{ receptacle: match[1]!, contents: match[2]! }] : [];
  });
}

function searchedSentence(views: readonly View[]): string | null {
  const searched = [...new Set(views.map(({ receptacle }) => receptacle))];
  return searched.length === 0 ? 'I looked into no receptacle.' : `I looked at ${listed(searched)}.`;
}

function seenSentence(object: string | null, views: readonly View[]): string | null {
  if (object === null) return null;
  const places = new Map<string, string>();
  for (const { receptacle, contents } of views)
    for (const [, name] of contents.matchAll(/\ba ([a-z]+ \d+)/g))
      if (name!.startsWith(`${object} `) && !places.has(name!)) places.set(name!, receptacle);
  if (places.size === 0) return views.length === 0 ? null : `I saw no ${object} there.`;
  return `I saw ${listed([...places].map(([name, receptacle]) => `${name} at ${receptacle}`))}.`;
}

function refusedSentence(turns: readonly Turn[]): string | null {
  const refused = turns.filter(({ observation }) => observation.trim() === 'Nothing happens.');
  const commands = [...new Set(refused.map(({ command }) => oneLine(command)))];
  return commands.length === 0 ? null : `The world refused ${listed(commands.map(quoted))}.`;
}

function repeatedSentence(turns: readonly Turn[]): string | null {
  const times = new Map<string, number>();
  for (const { command } of turns) times.set(command, (times.get(command) ?? 0) + 1);
  const [command, most] = [...times].reduce((best, next) => (next[1] > best[1] ? next : best), ['', 0]);
  return most < 3 ? null : `I gave ${quoted(oneLine(command))} ${most} times.`;
}

function departureSentence(
  turns: readonly Turn[],
  expertCommands: readonly (string | null)[],
): string | null {
  const at = turns.findIndex(({ command }, index) => {
    const expert = expertCommands[index];
    return expert != null && expert !== command;
  });
  if (at < 0) return null;
  const [chose, better] = [oneLine(turns[at]!.command), oneLine(expertCommands[at]!)];
  return `At step ${at + 1} I chose ${quoted(chose)}; next time I choose ${quoted(better)} there.`;
}

function unvisitedSentence(initial: string, turns: readonly Turn[]): string | null {
  const room = initialObservation(initial).split('\n')[0]!;
  const receptacles = [...room.matchAll(/\ba ([a-z]+ \d+)/g)].map(([, name]) => name!);
  const visited = new Set(turns.map(({ command }) => command.replace(/^go to /, '')));
  const left = receptacles.filter((receptacle) => !visited.has(receptacle));
  return left.length === 0 ? null : `Next time I also go to ${listed(left)}.`;
}

const mostListed = 6;

function listed(names: readonly string[]): string {
  if (names.length > mostListed)
    return `${names.slice(0, mostListed).join(', ')} and ${names.length - mostListed} more`;
  return names.length === 1 ? names[0]! : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? '' : 's'}`;
}

function quoted(text: string): string {
  return `"${text}"`;
}

/** A command shortened for a lesson: models can put line breaks and long texts into commands. */
function oneLine(text: string): string {
  const line = text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  return line.length <= 80 ? line : `${line.slice(0, 80).trim()}…`;
}
