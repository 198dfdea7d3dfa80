/**
 * The journal as a file: every reply of a language model, on disk before use. A resumed run first replays the replies
 * journaled after its checkpoint, oldest first and each at most once. Spending is the sum over all lines, so a budget
 * holds over every interruption.
 */
import { EmacError } from '@emac/core';
import { isThere, openJournal, readJournal } from '@emac/files';
import { z } from 'zod';
import { noUsage, sumOf, type Usage } from './budget.ts';
import type { Journal, JournalEntry } from './journal.ts';

/** How much of the journal training has used at a moment. */
export interface ReplyPosition {
  /** lines */
  readonly replies: number;
  /** tokens of prompts and replies in these lines, without those of `unused` */
  readonly tokens: number;
  /** numbers of unused lines among them, ascending; absent if there are none */
  readonly unused?: readonly number[];
}

export interface ReplyJournal extends Journal {
  append(entry: JournalEntry): void;
  take(request: string): JournalEntry | null;
  /** the used part; `except` names lines that are not used yet */
  position(except?: ReadonlySet<number>): ReplyPosition;
  /** tokens of the lines present on opening, replayed or not */
  readonly spentBefore: Usage;
  close(): void;
}

export interface ReplyJournalOptions {
  /** lines after it, and those it lists as unused, are replayed; default: all */
  readonly from?: ReplyPosition;
  /** replies of an earlier run, for requests that this one has not recorded */
  readonly replay?: readonly JournalEntry[] | undefined;
  /** receives the number of every used line, new or replayed */
  readonly used?: (line: number) => void;
}

/** Opens or creates the journal. Errors: `io`, `cannot-create`, `data`. */
export function openReplyJournal(path: string, options: ReplyJournalOptions = {}): ReplyJournal {
  const { from = { replies: 0, tokens: 0 }, replay } = options;
  const unused = new Set(from.unused);
  const entries = isThere(path) ? [...readReplies(path)] : [];
  const journal = openJournal(path);
  for (let line = from.replies; line < entries.length; line++) unused.add(line);
  const own = byRequest(
    [...entries.entries()].flatMap(([line, entry]) => (unused.has(line) ? { entry, line } : [])),
  );
  const recorded = replay && byRequest(replay.map((entry) => ({ entry, line: null })));
  for (const { request } of entries) recorded?.take(request);
  const spentBefore = entries.reduce(sumOf, noUsage);
  let { replies, tokens } = from;
  const use = (entry: JournalEntry, line: number): void => {
    replies = Math.max(replies, line + 1);
    tokens += tokensOf(entry);
    unused.delete(line);
    options.used?.(line);
  };
  const append = (entry: JournalEntry): void => {
    journal.append(entry);
    journal.sync();
    use(entry, entries.push(entry) - 1);
  };
  return {
    append,
    take(request) {
      const again = own.take(request);
      if (again) {
        use(again.entry, again.line);
        return again.entry;
      }
      const entry = recorded?.take(request)?.entry ?? null;
      if (entry) append(entry);
      return entry;
    },
    position(except = new Set()) {
      // unused lines that were not replayed stay unused; lines after the position are implicitly so
      const behind = [...unused, ...except].filter((line) => line < replies);
      const left = [...new Set(behind)].sort((one, other) => one - other);
      const taken = [...except].reduce((sum, line) => sum + tokensOf(entries[line]!), 0);
      return { replies, tokens: tokens - taken, ...(left.length > 0 && { unused: left }) };
    },
    spentBefore,
    close: () => journal.close(),
  };
}

function tokensOf({ promptTokens, completionTokens }: JournalEntry): number {
  return promptTokens + completionTokens;
}

function byRequest<T extends { readonly entry: JournalEntry }>(list: readonly T[]) {
  const waiting = new Map<string, T[]>();
  for (const each of list) {
    const { request } = each.entry;
    const known = waiting.get(request);
    if (known) known.push(each);
    else waiting.set(request, [each]);
  }
  return { take: (request: string): T | null => waiting.get(request)?.shift() ?? null };
}

const count = z.number().int().nonnegative();
const entryForm = z.object({
  v: z.literal(1),
  request: z.string().regex(/^[0-9a-f]{64}$/),
  model: z.string(),
  text: z.string(),
  end: z.enum(['length', 'filtered', 'refused', 'tool-call']).exactOptional(),
  promptTokens: count,
  completionTokens: count,
  estimated: z.literal(true).exactOptional(),
});

/** All replies of a journal. Errors: `missing`, `io`; `data` naming an invalid line. */
export function readReplies(path: string): readonly JournalEntry[] {
  return readJournal(path).map((line, index) => {
    const { data } = entryForm.safeParse(line);
    if (!data) throw new EmacError('data', `${path}, line ${index + 1}: is not a recorded reply`);
    return data;
  });
}
