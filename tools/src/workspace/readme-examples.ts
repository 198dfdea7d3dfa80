/** Reads the READMEs' promises for tests. */
import { readFileSync } from 'node:fs';
import { root } from './root.ts';

export interface Example {
  /** the packages that it imports, the first line's first, e.g. `losses` */
  readonly imports: readonly string[];
  readonly code: string;
  /** expected output, from the comments after `console.log(…); //`, one entry per line */
  readonly printed: readonly string[];
}

/** The runnable examples of a README: blocks marked `js`. */
export function readmeExamples(readme: string): Example[] {
  return blocksOf(readme, 'js').map((code) => ({
    imports: [...code.matchAll(/from '@emac\/([^']+)'/g)].map(([, name]) => name!),
    code,
    printed: [...code.matchAll(/console\.log\(.*\); \/\/ (.*)/g)].map(([, text]) => text!),
  }));
}

/** The code blocks of a README in one language, as it stands after the fence. */
export function blocksOf(readme: string, language: string): string[] {
  const fence = new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'gm');
  return [...readme.matchAll(fence)].map(([, code]) => code!);
}

/** The text of the repository's README, or of that in a folder such as `packages/losses`. */
export function readmeOf(folder = '.'): string {
  return readFileSync(`${root}${folder}/README.md`, 'utf8');
}

/** The page that lists the packages. */
export function packagesPage(): string {
  return readFileSync(`${root}docs/reference/packages.md`, 'utf8');
}

/** Names in the first column of that page's table, with their folders: `[name](../../packages/name/README.md)`. */
export function listedPackages(): { name: string; folder: string }[] {
  const rows = packagesPage().matchAll(/^\| \[`?([^`\]]+)`?\]\(\.\.\/\.\.\/([^)]+)\/README\.md\)/gm);
  return [...rows].map(([, name, folder]) => ({ name: name!, folder: folder! }));
}
