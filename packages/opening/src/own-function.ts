/**
 * A function of one's own, such as an expert, a reward or a policy, in a thread of its own, as custom environments are. It is code,
 * so it is loaded only by an explicit call, with a path that a person has typed.
 */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { EmacError } from '@emac/core';
import { failedToLoad } from './code-file.ts';
import { moduleCode } from './environments/module-code.ts';
import { secondsOf, withoutKeys, type ModuleOptions } from './environments/environment-module.ts';
import { loadedIn } from './environments/module-parts.ts';
import { moduleThread, NoAnswer, type ModuleThread } from './environments/module-thread.ts';

export interface OwnFunction {
  /** of its code, which must be the same on resume; packages that it imports are not included */
  readonly sha256: string;
  readonly thread: ModuleThread;
}

export interface WantedFunction {
  /** that names the file */
  readonly flag: string;
  /** exported by this name, as the default, or as a method of the default */
  readonly name: string;
  /** its parameters, as a message shows them */
  readonly parameters: string;
  /** whether it sees keys among the environment variables; default false */
  readonly seesKeys?: boolean;
}

/** Runs the file. Errors: `missing`; `data` if it fails or exports no such function. */
export async function ownFunction(
  path: string,
  { flag, name, parameters, seesKeys = false }: WantedFunction,
  { said = () => {}, env = process.env }: ModuleOptions = {},
): Promise<OwnFunction> {
  const { entry, sha256 } = moduleCode(path, flag);
  const thread = moduleThread({
    // another content is another module, also in one process
    url: `${pathToFileURL(resolve(entry)).href}?${sha256}`,
    exported: null,
    seconds: secondsOf(env),
    env: seesKeys ? given(env) : withoutKeys(env),
    said,
  });
  try {
    if ((await loadedIn(thread, name)).isFunction) return { sha256, thread };
  } catch (thrown) {
    await thread.close();
    const rule = thrown instanceof NoAnswer ? thrown.message : failedToLoad(path, thrown);
    throw new EmacError('data', `${flag} ${path}: ${rule}`, { cause: thrown });
  }
  await thread.close();
  throw new EmacError(
    'data',
    `${flag} ${path}: exports no function ${name}; write export function ${name}(${parameters}) { … }`,
  );
}

function given(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined)) as Record<
    string,
    string
  >;
}
