/** The scripts and the style that pages load or contain, as texts. */
import { readFileSync } from 'node:fs';
import { EmacError, messageOf } from '@emac/core';

/** A page's script, with everything it needs. Errors: `unavailable` if it was not built. */
export function scriptOf(name: 'board'): string {
  return builtFile(`${name}.js`);
}

/** The style of all pages. Errors: likewise. */
export function pageStyle(): string {
  return builtFile('style.css');
}

function builtFile(name: string): string {
  try {
    return readFileSync(new URL(`../bundles/${name}`, import.meta.url), 'utf8');
  } catch (cause) {
    throw new EmacError('unavailable', `pages: ${messageOf(cause)}; build them with npm run build`, {
      cause,
    });
  }
}
