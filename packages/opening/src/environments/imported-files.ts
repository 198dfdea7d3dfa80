/**
 * The hash of a file of code with all files that it reads by relative paths: `import`, `export from`, `import()`, `require` and
 * `new URL`, with a text or a template. Packages, and paths that are computed otherwise, are not included.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { isFile, isFolder, sha256, whileReading } from '@emac/files';

/** Of the file; if it reads others, of all of them with their names, so that it may lie elsewhere. */
export function codeHashOf(entry: string): string {
  const files = new Map<string, string>();
  const add = (path: string): void => {
    if (files.has(path)) return;
    const content = whileReading(path, () => readFileSync(path));
    files.set(path, sha256(content));
    for (const [, , named] of content.toString('utf8').matchAll(relativePath))
      for (const found of filesOf(dirname(path), named!)) add(found);
  };
  add(resolve(entry));
  const [only, ...others] = files.values();
  if (others.length === 0) return only!;
  const folder = dirname(resolve(entry));
  const lines = [...files].map(([path, hash]) => `${relative(folder, path).replaceAll('\\', '/')} ${hash}`);
  return sha256(Buffer.from(lines.sort().join('\n')));
}

const relativePath =
  /(?:\b(?:from|import(?:\.meta\.resolve)?|require(?:\.resolve)?|URL)\s*\(?|\bcreateRequire\([^)]*\)\s*\()\s*(?:\/\*[^]*?\*\/\s*)?(['"`])(\.{1,2}\/(?:(?!\1)[^\n])+)\1/g;

/** Every file that the path may mean: a place in a template stands for any part of a name, and `require` adds endings. */
function filesOf(folder: string, named: string): string[] {
  let places = [folder];
  for (const part of named.split('?')[0]!.split(/\/(?![^{]*\})/)) {
    if (!part.includes('${')) places = places.map((place) => resolve(place, part));
    else places = places.flatMap((place) => namesIn(place, part).map((name) => resolve(place, name)));
  }
  return places.flatMap((place) => {
    const found = endings.map((ending) => place + ending).find(isFile);
    return found === undefined ? [] : [found];
  });
}

/** in the order in which Node tries them */
const endings = ['', '.js', '.json', '.node', '/index.js', '/index.json'];

function namesIn(folder: string, template: string): string[] {
  if (!isFolder(folder)) return [];
  const fixed = template.split(/\$\{[^}]*\}?/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const pattern = new RegExp(`^${fixed.join('.*')}$`);
  return whileReading(folder, () => readdirSync(folder))
    .flatMap((name) => [name, name.replace(/\.(?:js|json|node)$/, '')])
    .filter((name) => pattern.test(name));
}
