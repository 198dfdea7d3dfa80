/** The shipped models by name. */
import { modelFolder as emmaTiny } from '@emac/emma-tiny';
import { lewisTiny, rlTiny, vlaTiny } from '@emac/tiny-models';

const folders: ReadonlyMap<string, string> = new Map([
  ['emma-tiny', emmaTiny],
  ['rl-tiny', rlTiny],
  ['lewis-tiny', lewisTiny],
  ['vla-tiny', vlaTiny],
]);

/** The words. */
export const shippedModels: readonly string[] = [...folders.keys()];

/** Absolute path of the model that a word names; null for another word. */
export function shippedModelFolder(name: string): string | null {
  return folders.get(name) ?? null;
}
