/** A page as one HTML file with everything inside. */
import { EmacError } from '@emac/core';
import { pageStyle, scriptOf } from './bundles.ts';
import type { PageData } from './data/page-data.ts';

/** Opens from disk and requests nothing: data, script and style are inside. Errors: `unavailable` if it was not built. */
export function pageFile(title: string, data: PageData): string {
  const policy =
    "default-src 'none'; img-src 'self' data: file:; style-src 'unsafe-inline'; script-src 'unsafe-inline'";
  const inside = `${jsonScript('data', data)}<script type="module">${scriptOf('board').replaceAll('</script', '<\\/script')}</script>`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,"><title>${escaped(title)}</title><meta http-equiv="Content-Security-Policy" content="${policy}">
<style>${pageStyle()}</style></head>
<body><div id="page"></div><noscript>This page needs JavaScript.</noscript>${inside}</body></html>
`;
}

/** The data of such a page. Errors: `data` if it has none. */
export function dataIn(page: string): PageData {
  const json = /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(page)?.[1];
  if (json === undefined) throw new EmacError('data', 'page: has no data; write it with emac report');
  return JSON.parse(json) as PageData;
}

const marks: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as it stands between tags or in a quoted attribute. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (mark) => marks[mark]!);
}

/** JSON within `<script type="application/json">`; no text in it can end the script. */
export function jsonScript(id: string, value: unknown): string {
  const json = JSON.stringify(value)
    .replace(/</g, '\\u003c')
    .replace(/\u2028/g, '\\u2028')
    .replace(/\u2029/g, '\\u2029');
  return `<script type="application/json" id="${escaped(id)}">${json}</script>`;
}
