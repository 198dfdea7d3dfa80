/** JavaScript files of one's own: code that runs only by an explicit call, with a path that a person has typed. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { EmacError, messageOf } from '@emac/core';
import { isFile, isThere, sha256, whileReading } from '@emac/files';

/** True for the name of a file rather than of a built-in part. */
export function isModulePath(text: string): boolean {
  return /\.[cm]?js$/i.test(text);
}

export interface CodeFile {
  /** of its code, which must be the same on resume. Imported files are not included */
  readonly sha256: string;
  readonly exported: object;
}

/**
 * Runs the file that `flag` names. Another content is another module, also in one process. Errors: `missing`; `data` if it
 * fails.
 */
export async function loadCodeFile(flag: string, path: string): Promise<CodeFile> {
  if (!isThere(path)) throw new EmacError('missing', `${flag} ${path}: does not exist`);
  if (!isFile(path)) throw new EmacError('data', `${flag} ${path}: is not a file; give a JavaScript file`);
  const hash = sha256(whileReading(path, () => readFileSync(path)));
  try {
    const url = `${pathToFileURL(resolve(path)).href}?${hash}`;
    return { sha256: hash, exported: (await import(/* @vite-ignore */ url)) as object };
  } catch (thrown) {
    throw new EmacError('data', `${flag} ${path}: ${failedToLoad(path, thrown)}`, { cause: thrown });
  }
}

/** The end of a sentence about code that does not load, with the remedy for TypeScript in a Node that does not strip types. */
export function failedToLoad(path: string, thrown: unknown): string {
  const message = messageOf(thrown);
  return /\.[cm]?ts$/.test(path) && message.includes('Unknown file extension')
    ? `is TypeScript, which Node ${process.versions.node} does not run; compile it with tsc and give the .js file, or use Node 22.18 or newer`
    : `failed to load: ${message}`;
}

/** The function of this name: exported by name, as the default, or as a method of the default. Null without one. */
export function functionOf(exported: object, name: string): ((given: unknown) => unknown) | null {
  const { default: standard } = exported as { readonly default?: unknown };
  const named = (exported as Readonly<Record<string, unknown>>)[name];
  if (isFunction(named)) return (given) => named(given);
  if (isFunction(standard)) return (given) => standard(given);
  if (typeof standard !== 'object' || standard === null || !(name in standard)) return null;
  const method = (standard as Readonly<Record<string, unknown>>)[name];
  return isFunction(method) ? (given) => method.call(standard, given) : null;
}

function isFunction(value: unknown): value is (this: unknown, given: unknown) => unknown {
  return typeof value === 'function';
}
