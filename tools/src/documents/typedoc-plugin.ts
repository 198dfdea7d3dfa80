/**
 * Joins documents and API reference into one site (`npm run docs`). Links to folders, as in the READMEs, lead to the
 * pages of these folders; a document is listed under its heading, not its file name.
 */
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Application, PageEvent, ReflectionKind, type NormalizedPath, type ProjectReflection } from 'typedoc';
import { root } from '../workspace/root.ts';

/** Called by TypeDoc. */
export function load(app: Application): void {
  app.on(Application.EVENT_PROJECT_REVIVE, joined);
  app.renderer.on(PageEvent.END, (page) => {
    if (page.contents !== undefined) page.contents = openedFromDisk(page.contents);
  });
}

function joined(project: ProjectReflection): void {
  const { files } = project;
  const lead = (path: string, page: Parameters<typeof files.registerReflectionPath>[1]) =>
    files.registerReflectionPath(path.replace(/\/$/, '') as NormalizedPath, page);
  lead(root, project);
  lead(`${root}README.md`, project);
  for (const page of project.getReflectionsByKind(ReflectionKind.Module)) {
    const folder = `${root}packages/${page.name.replace('@emac/', '')}`;
    lead(folder, page);
    lead(`${folder}/README.md`, page);
  }
  for (const page of project.getReflectionsByKind(ReflectionKind.Document)) {
    const path = files.getReflectionPath(page);
    if (path === undefined) continue;
    if (path.endsWith('/README.md')) lead(dirname(path), page);
    page.name = headingOf(readFileSync(path, 'utf8')) ?? page.name;
  }
}

/**
 * A page whose folder links lead to the page inside: a server would resolve them, a browser reading from disk does not.
 */
export function openedFromDisk(page: string): string {
  return page.replace(/href="((?:\.\.?\/)+)(#[^"]*)?"/g, (_, folder: string, place = '') => {
    return `href="${folder}index.html${place}"`;
  });
}

/** The first heading of a Markdown document; null if it has none. */
export function headingOf(markdown: string): string | null {
  return /^# (.+)$/m.exec(markdown)?.[1]?.replaceAll('`', '') ?? null;
}
