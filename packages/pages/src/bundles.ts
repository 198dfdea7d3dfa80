/** The scripts and the style that pages load or contain, as texts. */
import { readFileSync } from 'node:fs';
import { EmacError, messageOf } from '@emac/core';

export type PageName = 'board' | 'game' | 'teach';

/** A page's script, with everything it needs. Errors: `unavailable` if it was not built. */
export function scriptOf(name: PageName): string {
  return builtFile(`${name}.js`);
}

/** The style of all pages. Errors: likewise. */
export function pageStyle(): string {
  return builtFile('style.css');
}

/** A page that loads its script and style from its server. */
export function servedPage(title: string, name: PageName): string {
  const escaped = title.replace(/[&<>]/g, (mark) => ({ '&': '&amp;', '<': '&lt;' })[mark] ?? '&gt;');
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,"><title>${escaped}</title><link rel="stylesheet" href="/style.css">
<script type="module" src="/${name}.js"></script></head><body><div id="page"></div></body></html>
`;
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
