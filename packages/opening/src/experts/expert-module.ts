/**
 * A custom expert: a JavaScript file that exports `label(request)`. It is code, so it is loaded only by an explicit
 * call, with a path that a person has typed; naming it in a configuration loads nothing.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { EmacError, messageOf, type LabelRequest } from '@emac/core';
import { isFile, isThere, sha256, whileReading } from '@emac/files';

/** An expert that is given to a run, not made from its configuration. */
export interface GivenExpert {
  /** for people, such as the path of its file */
  readonly name: string;
  /** of its code, which must be the same on resume. Imported files are not included */
  readonly sha256: string;
  /** A command, a label as core's contract has it, or nothing; may be a promise, may throw. */
  label(request: LabelRequest): unknown;
}

/** True for the name of a file rather than of a built-in expert. */
export function isModulePath(text: string): boolean {
  return /\.[cm]?js$/i.test(text);
}

/**
 * Runs the file and takes its `label`: exported by name, as the default, or as a method of the default. Errors:
 * `missing`; `data` if it fails or exports no such function.
 */
export async function loadExpertModule(path: string): Promise<GivenExpert> {
  if (!isThere(path)) throw new EmacError('missing', `--expert ${path}: does not exist`);
  if (!isFile(path)) throw new EmacError('data', `--expert ${path}: is not a file; give a JavaScript file`);
  const hash = sha256(whileReading(path, () => readFileSync(path)));
  const exported = await imported(path, hash);
  const label = labelOf(exported);
  if (label === null)
    throw new EmacError(
      'data',
      `--expert ${path}: exports no function label; write export function label(request) { … }`,
    );
  return { name: path, sha256: hash, label };
}

/** Another content is another module, also in one process. */
async function imported(path: string, hash: string): Promise<object> {
  try {
    return (await import(/* @vite-ignore */ `${pathToFileURL(resolve(path)).href}?${hash}`)) as object;
  } catch (thrown) {
    throw new EmacError('data', `--expert ${path}: failed to load: ${messageOf(thrown)}`, { cause: thrown });
  }
}

function labelOf(exported: object): GivenExpert['label'] | null {
  const { label, default: standard } = exported as { readonly label?: unknown; readonly default?: unknown };
  if (isFunction(label)) return (request) => label(request);
  if (isFunction(standard)) return (request) => standard(request);
  if (typeof standard !== 'object' || standard === null || !('label' in standard)) return null;
  const { label: method } = standard;
  return isFunction(method) ? (request) => method.call(standard, request) : null;
}

function isFunction(value: unknown): value is (this: unknown, request: LabelRequest) => unknown {
  return typeof value === 'function';
}
