/**
 * A custom environment: a JavaScript file whose default export is a kind, an opened environment, or tasks with a
 * function that begins an episode. It is code, so it is loaded only by an explicit call, with a path that a person has
 * typed; naming it in a configuration loads nothing.
 */
import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { EmacError, messageOf, type EnvironmentKind, type KindSettings, type OpenedKind } from '@emac/core';
import { isFile, isThere, sha256, whileReading } from '@emac/files';
import { isEnvironmentModule } from '@emac/settings';
import { isFunction, isRecord, openedModule, refused } from './module-episodes.ts';
import { triedOut } from './module-trial.ts';
import { policyTexts } from './texts.ts';

/** An environment that is given to a command, not found by its id. */
export interface GivenEnvironment {
  /** path of its file, as typed, for people */
  readonly name: string;
  /** of its code, which must be the same on resume. Imported files are not included */
  readonly sha256: string;
  readonly kind: EnvironmentKind;
}

/**
 * Runs the file and takes its default export; opens nothing yet. Errors: `missing`; `data` if it fails or exports no
 * environment.
 */
export async function loadEnvironmentModule(path: string): Promise<GivenEnvironment> {
  if (!isThere(path)) throw new EmacError('missing', `--env ${path}: does not exist`);
  if (!isFile(path)) throw refused(path, 'is not a file; give a JavaScript file');
  const hash = sha256(whileReading(path, () => readFileSync(path)));
  const { default: exported } = (await imported(path, hash)) as { readonly default?: unknown };
  if (exported === undefined)
    throw refused(path, 'has no default export; write export default { tasks, begin }');
  return { name: path, sha256: hash, kind: kindFrom(path, exported) };
}

/** Another content is another module, also in one process. */
async function imported(path: string, hash: string): Promise<object> {
  try {
    return (await import(/* @vite-ignore */ `${pathToFileURL(resolve(path)).href}?${hash}`)) as object;
  } catch (thrown) {
    throw new EmacError('data', `--env ${path}: failed to load: ${messageOf(thrown)}`, { cause: thrown });
  }
}

/**
 * Any module path matches, as a resumed run may have the file elsewhere; its id has no folder, since checkpoints hold
 * it.
 */
function kindFrom(path: string, exported: unknown): EnvironmentKind {
  const id = `./${basename(path)}`;
  const opened = openerOf(path, exported);
  return {
    name: id,
    about: 'custom',
    ids: [id],
    idOf: (name) => (isEnvironmentModule(name) ? id : null),
    open: async (_id, settings) => triedOut(path, await opened(id, settings)),
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
  if (isFunction(found['environment'])) return async (id) => openedAs(path, id, exported);
  if (isFunction(found['begin'])) return async (id, settings) => openedModule({ path, id, settings }, found);
  throw refused(
    path,
    'exports no environment; its default export needs tasks and a function begin(taskId, seed)',
  );
}

/** An already opened environment, under its file's id; without its own texts it uses ALFWorld's form. */
function openedAs(path: string, id: string, given: unknown): OpenedKind {
  const { maxSteps, tasks, environment } = (given ?? {}) as Partial<OpenedKind>;
  if (!isFunction(environment) || !isFunction(tasks?.training?.at) || !isFunction(tasks.heldOut?.at))
    throw refused(path, 'needs tasks.training.at, tasks.heldOut.at and environment(tasks)');
  if (!Number.isSafeInteger(maxSteps) || maxSteps! < 1)
    throw refused(path, `needs maxSteps, a whole number from 1, got ${String(maxSteps)}`);
  const opened = given as OpenedKind;
  return {
    id,
    maxSteps: maxSteps!,
    tasks,
    environment: (some) => opened.environment(some),
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
