/** Decides whether a word names an environment or a game of ALFWorld. */
import { join } from 'node:path';
import { isFile, isThere } from '@emac/files';
import { beginsAsEnvironment, isWorded, kindMeant, kinds, nearEnvironmentIds } from '@emac/opening';
import { installedPackage, isEnvironmentModule, isMcpName } from '@emac/settings';

/**
 * True for a word that begins like the ids of environments, known or not. Also true for a probable typing error: no such path, and an id or a kind's name is
 * near.
 */
export function isEnvironmentId(name: string): boolean {
  if (isPlayedModule(name)) return false;
  if (beginsAsEnvironment(name)) return true;
  if (name.startsWith('builtin:') || isThere(name)) return false;
  return nearEnvironmentIds(name, 3).length > 0 || kindMeant(name) !== null;
}

/** True for the id of an environment with words as actions. */
export function isWordedId(name: string): boolean {
  return !isThere(name) && kinds.some((kind) => kind.idOf(name) !== null) && isWorded(name);
}

/** True for a custom environment: a file of code, a folder of one, an installed package, or a server of tools; games are files and folders too. */
export function isPlayedModule(name: string): boolean {
  if (!isEnvironmentModule(name)) return false;
  if (isMcpName(name)) return true;
  if (isFile(name)) return /\.[cm]?[jt]s$/i.test(name);
  return installedPackage(name) !== null || isFile(join(name, 'package.json'));
}
