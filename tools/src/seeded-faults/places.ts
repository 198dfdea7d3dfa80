/** Finds a fault's text in a checkout. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Fault } from './fault.ts';

/** The non-test sources of all packages, by path from the root. */
export function sourcesOf(root: string): ReadonlyMap<string, string> {
  const projects = ['packages', 'apps'].flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) => `${folder}/${name}`),
  );
  const files = projects.flatMap((project) =>
    readdirSync(join(root, project, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !/\.(test|bench)\./.test(name))
      .map((name) => `${project}/src/${name}`),
  );
  return new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
}

/** The only file with the fault's text; else the reason why there is none. */
export function placeOf(
  { text }: Pick<Fault, 'text'>,
  sources: ReadonlyMap<string, string>,
): { readonly file: string } | { readonly gone: string } {
  const found = [...sources].flatMap(([file, source]) =>
    Array.from({ length: source.split(text).length - 1 }, () => file),
  );
  const [file] = found;
  if (file === undefined) return { gone: 'its text occurs nowhere: write it again, or replace the fault' };
  if (found.length > 1)
    return {
      gone: `its text must occur once, occurs ${found.length} times (${found.join(', ')}): use more of the line`,
    };
  return { file };
}

/** Of `packages/model/src/rows/rows.ts`, say. */
export function projectOf(file: string): string {
  return file.split('/').slice(0, 2).join('/');
}
