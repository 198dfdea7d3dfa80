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

/** Names in the first column of the README's tables, written `[name](packages/name)` or similar. */
export function readmePackages(): { name: string; folder: string }[] {
  const rows = readmeOf().matchAll(/^\| \[`?([^`\]]+)`?\]\(([^)]+)\)/gm);
  return [...rows].map(([, name, folder]) => ({ name: name!, folder: folder! }));
}
