/** Which words name an environment, and not a game of ALFWorld. */
import { isFile, isThere } from '@emac/files';
import { beginsAsEnvironment, isWorded, kindMeant, kinds, nearEnvironmentIds } from '@emac/opening';
import { isEnvironmentModule } from '@emac/settings';

/** True for what begins as the ids of a kind that is stepped by number, known or not, and for what is mistyped: nothing lies at that path and an id is near, or it is the name of a kind. */
export function isEnvironmentId(name: string): boolean {
  if (beginsAsEnvironment(name)) return true;
  if (name.startsWith('builtin:') || isThere(name)) return false;
  return nearEnvironmentIds(name, 3).length > 0 || kindMeant(name) !== null;
}

/** True for the id of an environment whose actions are words. */
export function isWordedId(name: string): boolean {
  return !isThere(name) && kinds.some((kind) => kind.idOf(name) !== null) && isWorded(name);
}

/** True for a file of code, which is an environment of one's own; games are files, too. */
export function isPlayedModule(name: string): boolean {
  return isEnvironmentModule(name) && isFile(name) && /\.[cm]?[jt]s$/i.test(name);
}
