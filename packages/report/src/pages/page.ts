/** A whole page: head, style, content, data, scripts. It is self-contained and loads nothing from outside. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Chart } from './charts.ts';
import { Html, html, jsonScript } from './html.ts';
import { style } from './style.ts';

export interface PageContent {
  readonly title: string;
  readonly main: Html;
  readonly charts: readonly Chart[];
  /** pictures as `data:` URLs by name; empty if they are served */
  readonly frames: Readonly<Record<string, string>>;
  /** URL of server-sent events for changes; null for a static page */
  readonly events: string | null;
}

/** The page as text. */
export function page({ title, main, charts, frames, events }: PageContent): string {
  const installed = createRequire(import.meta.url);
  const inside = (path: string) => readFileSync(path, 'utf8');
  const own = readFileSync(new URL('../../page/page.mjs', import.meta.url), 'utf8');
  const body = html`<body ${events === null ? null : html`data-events="${events}"`}>
    ${main} ${jsonScript('charts', charts)} ${jsonScript('frames', frames)}
    ${script(inside(installed.resolve('uplot/dist/uPlot.iife.min.js')))}${script(own, 'module')}
  </body>`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">${html`<title>${title}</title>`.markup}
<style>${inside(installed.resolve('uplot/dist/uPlot.min.css'))}${style}</style></head>
${body.markup}</html>
`;
}

/** Code of ours or of a library, never of a run. */
function script(code: string, type = 'text/javascript'): Html {
  return new Html(`<script type="${type}">${code.replaceAll('</script', '<\\/script')}</script>`);
}
