/** The packages a package's sources really use; lint's table of directions and `package.json` must equal them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { root } from './root.ts';

/**
 * Names of packages used by the sources in a folder such as `packages/graph`: imports of values and types, dynamic
 * imports, `require` and `require.resolve`; without `node:` modules. `which` selects files by path.
 */
export function usedPackages(folder: string, which: (path: string) => boolean): Set<string> {
  const paths = ['src', 'worker', 'bin'].flatMap((part) => filesIn(`${root}${folder}/${part}`)).filter(which);
  return new Set(paths.flatMap((path) => specifiersOf(readFileSync(path, 'utf8'))).flatMap(packageOf));
}

/** Whether a path is a test or benchmark, which may import every package. */
export function isTest(path: string): boolean {
  return /\.(test|bench)\./.test(path);
}

function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(tsx?|mjs)$/.test(file))
    .map((file) => `${folder}/${file}`);
}

function specifiersOf(text: string): string[] {
  const imported = ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName);
  // packages loaded by a name given elsewhere, or only looked for
  const named = [
    ...text.matchAll(/(?:importPackage|resolve|installed|native)\((?:[^()']|'\w+')*?'([^']+)'\s*\)/g),
  ].map(([, name]) => name!);
  return [...imported, ...named];
}

function packageOf(specifier: string): string[] {
  // a `#` names a file of the package itself
  if (/^(\.|#|node:)/.test(specifier)) return [];
  return [
    specifier
      .split('/')
      .slice(0, specifier.startsWith('@') ? 2 : 1)
      .join('/'),
  ];
}
