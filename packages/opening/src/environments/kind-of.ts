/** Resolves a name to a kind and an environment. */
import { EmacError, type EnvironmentKind, type LocalWorld } from '@emac/core';
import { isThere } from '@emac/files';
import { editDistance } from '@emac/postprocess';
import { agentIn, isAgentName, isEnvironmentModule, isInlineEnvironment } from '@emac/settings';
import type { GivenEnvironment } from './environment-module.ts';
import { kinds } from './kinds.ts';
import { playedElsewhere } from './kinds-elsewhere.ts';

/**
 * `given`: the module from the command line, null without one; by default none is accepted. Errors: `usage` for an
 * unknown name, with similar ids, and for a path without its code.
 */
export function kindOf(name: string, given?: GivenEnvironment | null): EnvironmentKind {
  return found(name, given).kind;
}

/** Null for a name of no environment, such as a dataset's. */
export function kindNamed(name: string): EnvironmentKind | null {
  return kinds.find((kind) => kind.idOf(name) !== null) ?? null;
}

/** The published id of a name, whose version may be omitted; for a module its file's name. Errors: as `kindOf`. */
export function environmentId(name: string, given?: GivenEnvironment | null): string {
  return found(name, given).id;
}

/** The environment of a name as it runs in this process. Errors: as `kindOf`; `usage` for one that does not run here. */
export function localWorld(name: string): LocalWorld {
  const { kind, id } = found(name);
  if (kind.local) return kind.local(id);
  if (kind.isElsewhere) throw playedElsewhere(id);
  throw new EmacError(
    'usage',
    `${id}: needs numbered actions for this, but its actions are words; train there with emac train --phase bc`,
  );
}

function found(
  name: string,
  given?: GivenEnvironment | null,
): { readonly kind: EnvironmentKind; readonly id: string } {
  for (const kind of kinds) {
    const id = kind.idOf(name);
    if (id !== null) return { kind, id };
  }
  if (given) return { kind: given.kind, id: given.kind.idOf(name)! };
  if (isEnvironmentModule(name)) notGiven(name, given === null);
  const file = ['', '.mjs', '.js', '.ts'].map((end) => `./${name}${end}`).find(isThere);
  if (file !== undefined)
    throw new EmacError(
      'usage',
      `${name}: is not an environment; did you mean ${file}? A path of your own begins with ./`,
    );
  const [only, ...others] = nearEnvironmentIds(name, 0);
  if (only !== undefined && others.length === 0)
    throw new EmacError('usage', `${name}: is not an environment; did you mean ${only}?`);
  const meant = kindMeant(name);
  if (meant)
    throw new EmacError(
      'usage',
      `${name}: is a kind of environment; give one environment, such as ${meant.ids.slice(0, 3).join(', ')} (emac env ls lists all)`,
    );
  const near = nearEnvironmentIds(name, Infinity).slice(0, 3);
  throw new EmacError(
    'usage',
    `${name}: is not an environment; similar ones are ${near.join(', ')}; no package of this name is installed here`,
  );
}

function notGiven(path: string, isTaken: boolean): never {
  if (isInlineEnvironment(path))
    throw new EmacError(
      'usage',
      `env ${path}: was defined in a program, and no file holds it; use it from that program`,
    );
  throw new EmacError(
    'usage',
    isTaken
      ? `env ${path}: is code, which runs only if the command line names it; add ${flagOf(path)}`
      : `--env ${path}: custom environments are not supported here; give the id of an environment`,
  );
}

/** As a shell reads it: names of servers and commands have blanks and signs. */
function flagOf(path: string): string {
  const [flag, value] = isAgentName(path) ? ['--agent', agentIn(path)] : ['--env', path];
  const isPlain = /^[\w./@:+-]+$/.test(value);
  return `${flag} ${isPlain ? value : `'${value.replaceAll("'", "'\\''")}'`}`;
}

/** The kind whose name, or part of it, was typed, ignoring punctuation and case; null for any other word. */
export function kindMeant(typed: string): EnvironmentKind | null {
  const letters = (text: string) => text.toLowerCase().replace(/[^a-z]/g, '');
  const word = letters(typed);
  return kinds.find(({ name }) => word.length > 3 && letters(name).includes(word)) ?? null;
}

/** Ids within an edit distance of what was typed, nearest first; folder and version may be omitted. */
export function nearEnvironmentIds(typed: string, most: number): string[] {
  const distances = kinds.flatMap((kind) =>
    kind.ids.map((id) => {
      const forms = formsOf(kind, id).map((form) => editDistance(typed.toLowerCase(), form.toLowerCase()));
      return { id, distance: Math.min(...forms) };
    }),
  );
  return distances
    .filter(({ distance }) => distance <= most)
    .sort((one, other) => one.distance - other.distance)
    .map(({ id }) => id);
}

/** An id, and its unambiguous short forms without folder or version. */
function formsOf(kind: EnvironmentKind, id: string): string[] {
  const short = id.slice(id.lastIndexOf('/') + 1);
  const forms = [id, short, id.replace(/-v\d$/, ''), short.replace(/-v\d$/, '')];
  return forms.filter((form) => kind.idOf(form) === id);
}

/** True for a name that begins like all ids of a kind, whether or not it exists. */
export function beginsAsEnvironment(name: string): boolean {
  // the folders of ALFWorld's games may well be called after it
  return kinds.some((kind) => {
    // ids that nobody can list have a beginning of their own
    if (kind.ids.length === 0) return kind.idOf(name) !== null;
    if (!kind.local && !kind.isElsewhere) return false;
    const stem = stemOf(kind).toLowerCase();
    return stem.length > 2 && name.toLowerCase().startsWith(stem);
  });
}

/** How all ids of a kind begin: `MiniGrid-`. */
function stemOf({ ids }: EnvironmentKind): string {
  return ids.reduce((stem, id) => {
    const differs = [...stem].findIndex((letter, place) => id[place] !== letter);
    return differs < 0 ? stem : stem.slice(0, differs);
  });
}

/** Whether a remote client plays this environment; false also for an unknown name. */
export function isPlayedElsewhere(name: string): boolean {
  return kindNamed(name)?.isElsewhere ?? false;
}

/** Whether clients must play and describe this environment; false also for an unknown name. */
export function isDescribedElsewhere(name: string): boolean {
  const kind = kindNamed(name);
  return kind !== null && (kind.isElsewhere ?? false) && kind.robot === undefined;
}

/** True for environments that run here and take words alone, no numbered actions, as every module does. Errors: as `kindOf`. */
export function isWorded(name: string): boolean {
  if (isEnvironmentModule(name)) return true;
  const { local, isElsewhere = false } = kindOf(name);
  return !local && !isElsewhere;
}

/** Whether its actions and arrays are known only once it is opened: code, or a server's. */
export function isSeenWhenOpened(name: string): boolean {
  return isEnvironmentModule(name) || kindNamed(name)?.ids.length === 0;
}

/** The environments with a property, in words for error messages: `MiniGrid-…`. */
export function environmentsWith(holds: (kind: EnvironmentKind, world: LocalWorld) => boolean): string {
  const holding = kinds.filter((kind) => kind.local && holds(kind, kind.local(kind.ids[0]!)));
  return holding.map((kind) => `${stemOf(kind)}…`).join(' or ');
}
