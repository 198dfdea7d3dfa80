/** Where a document stands in the site: the group it is listed under, its order in the group, and its address. */
import { dirname, posix } from 'node:path';

/** Groups of the navigation, in order. Packages come last: everything that is no document. */
export const groups = [
  'Start',
  'Guides',
  'Reference',
  'Background',
  'Decisions and log',
  'Project',
  'Packages',
] as const;

export type Group = (typeof groups)[number];

const ofFolder: Readonly<Record<string, Group>> = {
  'docs/start': 'Start',
  'docs/guides': 'Guides',
  'docs/reference': 'Reference',
  'docs/background': 'Background',
  'docs/decisions': 'Decisions and log',
  'docs/log': 'Decisions and log',
};

/** The group of a document by its path from the repository's root. */
export function groupOf(path: string): Group {
  return path === 'docs/log.md' ? 'Decisions and log' : (ofFolder[dirname(path)] ?? 'Project');
}

/** Sorts paths as an index (`docs/README.md`) links them; paths without a link follow, in the order given. */
export function inOrderOf(index: { path: string; text: string }, paths: readonly string[]): string[] {
  const links = [...index.text.matchAll(/\]\(([^)#\s]+\.md)/g)].map(([, link]) =>
    posix.join(dirname(index.path), link!),
  );
  const place = (path: string) => (links.includes(path) ? links.indexOf(path) : links.length);
  return [...paths].sort((one, other) => place(one) - place(other));
}

/** The address of a document without its ending: that of the file, so that a new heading breaks no link. */
export function addressOf(path: string): string {
  return path.replace(/(^|\/)README\.md$/, '$1index').replace(/\.md$/, '');
}

/** The first heading of a Markdown document; null if it has none. */
export function headingOf(markdown: string): string | null {
  return /^# (.+)$/m.exec(markdown)?.[1]?.replaceAll('`', '') ?? null;
}
