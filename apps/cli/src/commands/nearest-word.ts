/** In a file of its own, so that it is loaded only where something was mistyped. */
import { nearestCommand } from '@emac/postprocess';

/** The word that may have been meant. */
export function nearestWord(typed: string, words: readonly string[]): string | undefined {
  return nearestCommand(typed, words)?.command;
}
