/** What a person says of a result: a name, a note, a star, in `notes.json` of its folder. No other program reads it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { EmacError } from '@emac/core';
import { canonicalJson, pathInside, readText, writeFileAtomic } from '@emac/files';
import { layout } from '@emac/runs';

export interface Notes {
  readonly title: string | null;
  readonly note: string | null;
  readonly isStarred: boolean;
}

export const noNotes: Notes = { title: null, note: null, isStarred: false };

const longest = { title: 200, note: 10_000 };

/** Notes of this text; what is missing or of another type is as without notes. */
export function notesIn(text: string): Notes {
  const { title, note, isStarred } = JSON.parse(text) as Partial<Record<keyof Notes, unknown>>;
  return { title: textOf(title), note: textOf(note), isStarred: isStarred === true };
}

/** Replaces what `change` names in a folder's notes. Errors: `config` for other content; `cannot-create`, `io`. */
export function changeNotes(folder: string, change: unknown): Notes {
  const path = join(folder, layout.notes);
  const before = existsSync(path) ? notesIn(readText(pathInside(folder, layout.notes))) : noNotes;
  const after = { ...before, ...checked(change) };
  const notes = { ...after, title: after.title || null, note: after.note || null };
  writeFileAtomic(path, `${canonicalJson(notes, 2)}\n`);
  return notes;
}

function checked(change: unknown): Partial<Notes> {
  if (typeof change !== 'object' || change === null || Array.isArray(change))
    throw new EmacError('config', `${layout.notes}: must be an object with title, note or isStarred`);
  for (const [name, value] of Object.entries(change)) {
    if (name === 'isStarred' && typeof value === 'boolean') continue;
    const limit = Object.hasOwn(longest, name) ? longest[name as keyof typeof longest] : null;
    if (limit !== null && (value === null || (typeof value === 'string' && value.length <= limit))) continue;
    const rule =
      limit === null
        ? 'title, note and isStarred are what can be noted'
        : `text of at most ${limit} characters, or null`;
    throw new EmacError(
      'config',
      `${layout.notes}: ${name}: ${rule}, got ${JSON.stringify(value)?.slice(0, 40)}`,
    );
  }
  return change as Partial<Notes>;
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : null);
