/** Reads what the README promises, so that tests can hold it to that. */
import { readFileSync } from 'node:fs';
import { root } from './root.ts';

export interface Example {
  /** the package that the first line imports, e.g. `losses` */
  readonly name: string;
  readonly code: string;
  /** what the comments after `console.log(…); //` say is printed, one entry a line */
  readonly printed: readonly string[];
}

/** The runnable examples: blocks marked `js`. */
export function readmeExamples(): Example[] {
  const blocks = readFileSync(`${root}README.md`, 'utf8').matchAll(/```js\n([^]*?)```/g);
  return [...blocks].map(([, code]) => ({
    name: /from '@emac\/([^']+)'/.exec(code!)?.[1] ?? '',
    code: code!,
    printed: [...code!.matchAll(/console\.log\(.*\); \/\/ (.*)/g)].map(([, text]) => text!),
  }));
}

/** Names in the first column of the README's tables, where they are written `[name](packages/name)` or alike. */
export function readmePackages(): { name: string; folder: string }[] {
  const rows = readFileSync(`${root}README.md`, 'utf8').matchAll(/^\| \[`?([^`\]]+)`?\]\(([^)]+)\)/gm);
  return [...rows].map(([, name, folder]) => ({ name: name!, folder: folder! }));
}
