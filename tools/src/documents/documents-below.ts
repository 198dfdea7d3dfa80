/** The Markdown files of a folder of the repository. */
import { readdirSync } from 'node:fs';
import { root } from '../workspace/root.ts';

/** Paths from the root, sorted: `docs/start/faq.md`. */
export function documentsBelow(folder: string): string[] {
  return readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`)
    .sort();
}
