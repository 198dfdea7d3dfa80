/**
 * The journal as a file: every reply of a language model, on disk before it is used. A run that goes on gets the replies
 * that were journaled after its checkpoint before anything is asked again, oldest first and each at most once. What
 * was spent is the sum over all lines, so that a budget holds over every interruption.
 */
import { EmacError } from '@emac/core';
import { isThere, openJournal, readJournal } from '@emac/files';
import { z } from 'zod';
import { noUsage, sumOf, type Usage } from './budget.ts';
import type { Journal, JournalEntry } from './journal.ts';

/** How much of the journal a moment of training has used. */
export interface ReplyPosition {
  /** lines */
  readonly replies: number;
  /** tokens of prompts and replies in these lines, less those of `unused` */
  readonly tokens: number;
  /** numbers of lines among them, ascending, that nothing has come of yet; absent where there are none */
  readonly unused?: readonly number[];
}

export interface ReplyJournal extends Journal {
  append(entry: JournalEntry): void;
  take(request: string): JournalEntry | null;
  /** all that was used; without the lines of `except`, which nothing has come of yet */
  position(except?: ReadonlySet<number>): ReplyPosition;
  /** tokens of the lines that were there when it was opened, used again or not */
  readonly spentBefore: Usage;
  close(): void;
}

export interface ReplyJournalOptions {
  /** what lies behind it, and what it names as unused, is given out again; default: everything */
  readonly from?: ReplyPosition;
  /** replies of an earlier run, given out for requests that this one has not recorded */
  readonly replay?: readonly JournalEntry[] | undefined;
  /** hears the number of every line that is used, appended or given out again */
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
      // what was unused and is not given out again by now is unused still; what lies behind is so without a word
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

/** All replies of a journal. Errors: `missing`, `io`; `data` naming the line that is no reply. */
export function readReplies(path: string): readonly JournalEntry[] {
  return readJournal(path).map((line, index) => {
    const { data } = entryForm.safeParse(line);
    if (!data) throw new EmacError('data', `${path}, line ${index + 1}: is no recorded reply`);
    return data;
  });
}
