/** Names of JavaScript files of one's own, and why one does not load. */
import { messageOf } from '@emac/core';

/** True for the name of a file rather than of a built-in part. */
export function isModulePath(text: string): boolean {
  return /\.[cm]?js$/i.test(text);
}

/** The end of a sentence about code that does not load, with the remedy for TypeScript in a Node that does not strip types. */
export function failedToLoad(path: string, thrown: unknown): string {
  const message = messageOf(thrown);
  return /\.[cm]?ts$/.test(path) && message.includes('Unknown file extension')
    ? `is TypeScript, which Node ${process.versions.node} does not run; compile it with tsc and give the .js file, or use Node 22.18 or newer`
    : `failed to load: ${message}`;
}
