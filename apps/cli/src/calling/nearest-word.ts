/** A file of its own, loaded only after a typing error. */
import { nearestCommand } from '@emac/postprocess';

/** The closest known word. */
export function nearestWord(typed: string, words: readonly string[]): string | undefined {
  return nearestCommand(typed, words)?.command;
}
