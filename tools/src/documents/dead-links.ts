/** Links that lead nowhere: in a built site, and between the documents as they lie in the repository. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/** `page: link` for every link on the site's pages to a missing file or anchor; external addresses are not checked. */
export function deadLinksOfSite(folder: string): string[] {
  const pages = filesBelow(folder).filter((path) => path.endsWith('.html'));
  const places = new Map(pages.map((path) => [path, idsOf(readFileSync(path, 'utf8'))]));
  return pages.flatMap((path) => {
    const links = [...readFileSync(path, 'utf8').matchAll(/(?:href|src)="([^"]*)"/g)].map(
      ([, link]) => link!,
    );
    return [...new Set(links)]
      .filter((link) => !isOutside(link) && !leadsSomewhere(path, link, places))
      .map((link) => `${relative(folder, path)}: ${link}`);
  });
}

/** `file: link` for every link of these documents to a file, folder or heading that does not exist. */
export function deadLinksOfDocuments(paths: readonly string[]): string[] {
  return paths.flatMap((path) => {
    const text = withoutCode(readFileSync(path, 'utf8'));
    return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, link]) => link!)
      .filter((link) => !isOutside(link) && !isThere(path, link))
      .map((link) => `${path}: ${link}`);
  });
}

function isThere(path: string, link: string): boolean {
  const [file, anchor] = link.split('#') as [string, string?];
  const target = file === '' ? path : resolve(dirname(path), file);
  if (!existsSync(target)) return false;
  // an anchor of a folder is one of the README that is shown with it
  const text = statSync(target).isDirectory() ? join(target, 'README.md') : target;
  return anchor === undefined || anchorsOf(readFileSync(text, 'utf8')).has(anchor);
}

/** Anchors as GitHub makes them of headings. */
function anchorsOf(markdown: string): Set<string> {
  const headings = [...withoutCode(markdown, '').matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading!);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

/** Fenced blocks are not prose; `#` in them begins a comment. */
function withoutCode(markdown: string, by = ''): string {
  return markdown.replace(/^(```|~~~)[^]*?^\1/gm, by);
}

const isOutside = (link: string) => /^[a-z][a-z+.-]*:/i.test(link);

function leadsSomewhere(
  page: string,
  link: string,
  places: ReadonlyMap<string, ReadonlySet<string>>,
): boolean {
  const [file, anchor] = link.replaceAll('&amp;', '&').split('#') as [string, string?];
  const path = file === '' ? page : resolve(dirname(page), decodeURIComponent(file.split('?')[0]!));
  if (!existsSync(path) || statSync(path).isDirectory()) return false;
  const ids = places.get(path);
  return !anchor || ids === undefined || ids.has(decodeURIComponent(anchor));
}

function idsOf(page: string): Set<string> {
  return new Set([...page.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id!.replaceAll('&amp;', '&')));
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
