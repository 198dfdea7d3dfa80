/** Which words name an environment that is stepped by number, and not a game of ALFWorld. */
import { beginsAsEnvironment, nearEnvironmentIds } from '@emac/experiment';
import { isThere } from '@emac/files';

/** True for what begins as the ids of a kind, known or not, and for what is mistyped: nothing lies at that path and an id is near. */
export function isEnvironmentId(name: string): boolean {
  if (beginsAsEnvironment(name)) return true;
  if (name.startsWith('builtin:') || isThere(name)) return false;
  return nearEnvironmentIds(name, 3).length > 0;
}
