/** The models that come with this product, by the words that name them. */
import { modelFolder } from '@emac/emma-tiny';
import { rlTinyFolder } from '@emac/rl-tiny';

const folders: ReadonlyMap<string, string> = new Map([
  ['emma-tiny', modelFolder],
  ['rl-tiny', rlTinyFolder()],
]);

/** The words. */
export const shippedModels: readonly string[] = [...folders.keys()];

/** Absolute path of the model that a word names; null for another word. */
export function shippedModelFolder(name: string): string | null {
  return folders.get(name) ?? null;
}
