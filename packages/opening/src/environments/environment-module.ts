/**
 * A custom environment: a JavaScript file or an installed package that exports a kind, or tasks with a function that begins an
 * episode. It is code, so it is loaded only by an explicit call, with a name that a
 * person has typed; naming it in a configuration loads nothing.
 */
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { EmacError, messageOf, type EnvironmentKind, type KindSettings, type OpenedKind } from '@emac/core';
import { sha256 } from '@emac/files';
import { failedToLoad } from '../code-file.ts';
import { moduleCode, type ModuleCode } from './module-code.ts';
import { loadedIn, partsOf } from './module-parts.ts';
import { moduleThread, NoAnswer } from './module-thread.ts';
import { openedModule } from './module-episodes.ts';
import { isFunction, isRecord, refused } from './module-faults.ts';
import { triedOut } from './module-trial.ts';
import { policyTexts } from './texts.ts';

/** An environment that is given to a command, not found by its id. */
export interface GivenEnvironment {
  /** its file or package, as typed, for people */
  readonly name: string;
  /** of its code, which must be the same on resume; packages that it imports are not included */
  readonly sha256: string;
  readonly kind: EnvironmentKind;
}

/** How a custom environment runs. */
export interface ModuleOptions {
  /** receives what its code prints; default nobody */
  readonly said?: (text: string) => void;
  /**
   * environment variables, from which it sees no keys; default the process's. `EMAC_ENV_SECONDS`: longest time of one call
   * of its code, 60 without it
   */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** enough for a step that asks a service, short enough to wait for */
const usualSeconds = 60;

/** Longest time of one call. Errors: `usage`. */
export function secondsOf({ EMAC_ENV_SECONDS: given }: Readonly<Record<string, string | undefined>>): number {
  const seconds = given === undefined || given === '' ? usualSeconds : Number(given);
  if (seconds > 0 && seconds <= 86_400) return seconds;
  throw new EmacError('usage', `EMAC_ENV_SECONDS: must be a number above 0 to 86400, got ${given}`);
}

/**
 * Runs the file, or the installed package, and takes its default export, or for `my-package/hard` its export `hard`;
 * opens nothing yet. Tasks and `begin` stay in a thread of their own. A kind shares functions with this thread and is
 * loaded here. Errors: `missing`; `data` if it fails or exports no environment.
 */
export async function loadEnvironmentModule(
  name: string,
  { said = () => {}, env = process.env }: ModuleOptions = {},
): Promise<GivenEnvironment> {
  const code = moduleCode(name);
  const { exported, sha256 } = code;
  const url = `${pathToFileURL(resolve(code.entry)).href}?${sha256}`;
  const seconds = secondsOf(env);
  const thread = moduleThread({ url, exported, seconds, env: withoutKeys(env), said });
  const found = await whileLoading(name, () => loadedIn(thread));
  if (found.isWhole) await thread.close();
  const whole = found.isWhole
    ? exportOf(code, await whileLoading(name, () => import(/* @vite-ignore */ url) as Promise<object>))
    : null;
  if (found.isMissing) throw noExport(code, found.names);
  return { name, sha256, kind: kindFrom(code, whole ?? partsOf(thread, found)) };
}

/**
 * The environment of a file whose module the caller has loaded, such as a page that has only its text. It runs in this thread. Errors:
 * `data` if it exports no environment.
 */
export function loadedEnvironment(
  name: string,
  { text, module }: { readonly text: string; readonly module: object },
): GivenEnvironment {
  const code = { name, id: `./${basename(name)}`, exported: null };
  const given = (module as { readonly default?: unknown }).default;
  if (given === undefined) throw noExport(code, Object.keys(module));
  return { name, sha256: sha256(Buffer.from(text)), kind: kindFrom(code, given) };
}

async function whileLoading<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (thrown) {
    const rule = thrown instanceof NoAnswer ? thrown.message : failedToLoad(name, thrown);
    throw new EmacError('data', `--env ${name}: ${rule}`, { cause: thrown });
  }
}

function exportOf({ exported }: ModuleCode, found: object): unknown {
  return (found as Readonly<Record<string, unknown>>)[exported ?? 'default'];
}

function noExport(
  { name, exported }: Pick<ModuleCode, 'name' | 'exported'>,
  names: readonly string[],
): EmacError {
  if (exported === null) return refused(name, 'has no default export; write export default { tasks, begin }');
  return refused(name, `exports no ${exported}; it has ${names.join(', ') || 'no exports'}`);
}

/** The variables whose names are not those of secrets. */
export function withoutKeys(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const kept = Object.entries(env).filter(([name, value]) => value !== undefined && !secret.test(name));
  return Object.fromEntries(kept) as Record<string, string>;
}

const secret = /key|token|secret|password|credential/i;

/** Any name matches: a resumed run, or a worker, may have the code elsewhere. Errors: `data` for an object that is no environment. */
export function kindFrom({ name, id }: Pick<ModuleCode, 'name' | 'id'>, exported: unknown): EnvironmentKind {
  const opened = openerOf(name, exported);
  return {
    name: id,
    about: 'custom',
    ids: [id],
    idOf: () => id,
    open: async (_id, settings) => triedOut(name, await opened(id, settings)),
  };
}

type Opener = (id: string, settings: KindSettings) => Promise<OpenedKind>;

function openerOf(path: string, exported: unknown): Opener {
  const found = isRecord(exported) ? exported : {};
  if (isFunction(found['open'])) {
    const kind = exported as EnvironmentKind;
    return async (id, settings) =>
      openedAs(path, id, await attempted(path, () => kind.open(kind.ids?.[0] ?? id, settings)));
  }
  if (isFunction(found['begin'])) return async (id, settings) => openedModule({ path, id, settings }, found);
  throw refused(
    path,
    'exports no environment; its default export needs tasks and a function begin(taskId, seed)',
  );
}

/** What a kind opened, under its file's id; without its own texts it uses ALFWorld's form. */
function openedAs(path: string, id: string, given: unknown): OpenedKind {
  const { maxSteps, tasks, begin } = (given ?? {}) as Partial<OpenedKind>;
  if (!isFunction(begin) || !isFunction(tasks?.training?.at) || !isFunction(tasks.heldOut?.at))
    throw refused(path, 'needs tasks.training.at, tasks.heldOut.at and begin(task, seed)');
  if (!Number.isSafeInteger(maxSteps) || maxSteps! < 1)
    throw refused(path, `needs maxSteps, a whole number from 1, got ${String(maxSteps)}`);
  const opened = given as OpenedKind;
  return {
    id,
    maxSteps: maxSteps!,
    tasks,
    begin: (task, seed) => opened.begin(task, seed),
    speech: (policy, form) => (opened.speech ? opened.speech(policy, form) : policyTexts(policy, form)),
    ...(opened.player && { player: opened.player }),
    ...(opened.close && { close: () => opened.close!() }),
    ...(opened.hasGoal !== undefined && { hasGoal: opened.hasGoal }),
    ...(opened.rewards && { rewards: opened.rewards }),
    ...(opened.anchor && { anchor: (moment) => opened.anchor!(moment) }),
  };
}

async function attempted<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof EmacError) throw thrown;
    throw new EmacError('data', `--env ${path}: cannot be opened: ${messageOf(thrown)}`, { cause: thrown });
  }
}
