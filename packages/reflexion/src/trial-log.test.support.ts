/**
 * Reads trial logs: EMMA's and Reflexion's, including published ones. Rendering the result gives the same bytes.
 *
 * Published records are ambiguous if a model's command contains line breaks: a line may belong to a command or be its
 * answer, and a command may contain lines that begin with `> `. A line before the next `> ` counts as an answer if it
 * begins with a capital letter: ALFWorld's sentences all do, and the published clients write commands in lower case.
 * Records without few-shot episodes are `trialRecord`'s own, with commands and answers of one line each.
 */
import { EmacError, type History, type Turn } from '@emac/core';
import type { TrialLayout } from './trial-record.ts';

export interface TrialLogRecord {
  readonly index: number;
  /** `skipped`: solved earlier, or solved in a log without details of successes; the episode is unknown */
  readonly outcome: 'failed' | 'won' | 'skipped';
  /** the text before lessons and episode, unchanged */
  readonly base: string;
  /** lessons shown, oldest first */
  readonly memories: readonly string[];
  readonly history: History;
  /** a last command without an observation */
  readonly pending?: string;
}

const records =
  /\n#####\n\nEnvironment #(\d+):([\s\S]*?)\n\n#####\n(?=\n#####\n\nEnvironment #|\n-----\n|$)/g;

/** Every record of a log, in order; `place` names it in errors. Throws `data` for an invalid record. */
export function readTrialLog(text: string, place: string, layout: TrialLayout = 'emma'): TrialLogRecord[] {
  const found = [...text.matchAll(records)];
  const end = found.reduce((at, match) => (match.index === at ? at + match[0].length : NaN), 0);
  const rest = Number.isNaN(end) ? null : text.slice(end);
  if (rest === null || !(rest === '' || rest.startsWith('\n-----\n')))
    throw new EmacError(
      'data',
      `${place}: text after ${found.length} records is not a record; give a whole trial log as EMMA or Reflexion writes it`,
    );
  return found.map(([, index, body]) => readRecord(Number(index), body!, { place, layout }));
}

function readRecord(
  index: number,
  body: string,
  { place, layout }: { readonly place: string; readonly layout: TrialLayout },
): TrialLogRecord {
  if (body === ' Success') return { ...nothing, index, outcome: 'skipped' };
  const status = /^\n([\s\S]*)STATUS: (OK|FAIL)$/.exec(body);
  const parts = status && (layout === 'emma' ? emmaParts(status[1]!) : reflexionParts(status[1]!));
  if (!status || !parts)
    throw new EmacError(
      'data',
      `${place}: record ${index} has no task or no status; is it ${layout}'s layout?`,
    );
  const { initial, items, ...shown } = parts;
  const { turns, pending } = turnsOf(items, shown.base === '');
  const outcome = status[2] === 'OK' ? 'won' : 'failed';
  return { index, outcome, ...shown, history: { initial, turns }, ...(pending !== undefined && { pending }) };
}

const nothing = { base: '', memories: [], history: { initial: '', turns: [] } };

interface Parts extends Pick<TrialLogRecord, 'base' | 'memories'> {
  readonly initial: string;
  /** lines of commands and observations */
  readonly items: readonly string[];
}

const memoryTitle = 'Your memory for the task below:';

/** base, `\n` and a block of lessons if there are any, `\n`, the episode with a full stop after its task. */
function emmaParts(text: string): Parts | null {
  const lines = text.split('\n').slice(0, -1);
  const start = lines[0] === '' ? startWithoutBase(lines) : taskLine(lines) - 1;
  if (!(start >= 0 && start < lines.length)) return null;
  const { initial, items } = episodeFrom(lines, start);
  const title = lines.lastIndexOf(memoryTitle, start);
  const hasBlock = title >= 0 && lines[start - 1] === '' && /^Trial 0: /.test(lines[title + 1] ?? '');
  const base = lines.slice(0, hasBlock ? title : start).join('\n');
  const memories = hasBlock ? lessonsOf(lines.slice(title + 1, start - 1), ': ') : [];
  return { base, memories, initial: initial.replace(/\.$/, ''), items };
}

/** base, `\n\n` and a block of lessons if there are any, the title of the task, the episode, an empty line. */
function reflexionParts(text: string): Parts | null {
  if (!text.endsWith('\n\n')) return null;
  const lines = text.slice(0, -2).split('\n');
  const at = lastLine(lines, (line) => line === 'Here is the task:');
  if (at < 0 || at + 1 >= lines.length) return null;
  const { initial, items } = episodeFrom(lines, at + 1);
  const title = lines.lastIndexOf(memoryTitle, at);
  const hasBlock = title > 0 && lines[title - 1] === '' && lines[title + 1] === 'Trial 0:';
  const base = lines.slice(0, hasBlock ? title - 1 : at).join('\n');
  const memories = hasBlock ? lessonsOf(lines.slice(title + 1, at), ':\n') : [];
  // an episode without a step ends with its line break
  return { base, memories, initial, items: items.length === 1 && items[0] === '' ? [] : items };
}

/** Room and task reach to the first command. */
function episodeFrom(lines: readonly string[], start: number): { initial: string; items: readonly string[] } {
  const next = lines.findIndex((line, at) => at > start && line.startsWith('> '));
  const end = next < 0 ? lines.length : next;
  const isEmptyEnd = next < 0 && end - start > 1 && lines[end - 1] === '';
  const initialEnd = isEmptyEnd ? end - 1 : end;
  return { initial: lines.slice(start, initialEnd).join('\n'), items: lines.slice(initialEnd) };
}

function startWithoutBase(lines: readonly string[]): number {
  return lines[1] === memoryTitle ? lines.indexOf('', 2) + 1 : 1;
}

function taskLine(lines: readonly string[]): number {
  return lastLine(lines, (line) => line.startsWith('Your task is to: '));
}

/** The last matching line that is not the answer to a command. */
function lastLine(lines: readonly string[], is: (line: string) => boolean): number {
  return lines.findLastIndex((line, at) => is(line) && !lines[at - 1]?.startsWith('> '));
}

/** Lines that begin with `Trial 0: ` and so on, or that follow such a title; a lesson may span several lines. */
function lessonsOf(lines: readonly string[], separator: ': ' | ':\n'): readonly string[] {
  const lessons: string[][] = [];
  for (const line of lines) {
    const mark = `Trial ${lessons.length}${separator}`;
    if (`${line}\n`.startsWith(mark)) lessons.push(separator === ': ' ? [line.slice(mark.length)] : []);
    else lessons.at(-1)?.push(line);
  }
  return lessons.map((lesson) => lesson.join('\n'));
}

function turnsOf(lines: readonly string[], isOwn: boolean): { turns: readonly Turn[]; pending?: string } {
  const alternate = lines.every((line, at) => at % 2 === 1 || line.startsWith('> '));
  const items = alternate && (isOwn || !lines.some(isSentence)) ? lines : grouped(lines);
  const turns: Turn[] = [];
  for (let at = 0; at + 1 < items.length; at += 2)
    turns.push({ command: items[at]!.slice(2), observation: items[at + 1]! });
  return items.length % 2 === 1 ? { turns, pending: items.at(-1)!.slice(2) } : { turns };
}

/** Lines as alternating commands and answers, for commands of several lines. */
function grouped(lines: readonly string[]): readonly string[] {
  const items: string[] = [];
  let begun = 0;
  lines.forEach((line, at) => {
    const isAnswer = at > begun && isSentence(line) && (lines[at + 1]?.startsWith('> ') ?? true);
    if (!isAnswer) return;
    items.push(lines.slice(begun, at).join('\n'), line);
    begun = at + 1;
  });
  return begun < lines.length ? [...items, lines.slice(begun).join('\n')] : items;
}

function isSentence(line: string): boolean {
  return /^\p{Lu}/u.test(line);
}
