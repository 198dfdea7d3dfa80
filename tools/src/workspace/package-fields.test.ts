/** The registry's view of every package: licence, address, description, contents. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { fieldsOf, publishedFolders, sharedFields } from './package-fields.ts';
import { tryPublishing, type TriedPublishing } from './publish-complaints.ts';
import { readmeOf } from './readme-examples.ts';
import { root } from './root.ts';

// npm starts as a process, slowly on a busy machine
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

describe.each(publishedFolders())('%s', (folder) => {
  it('has the licence, address and versions of Node of the repository', () => {
    const fields = fieldsOf(folder);
    for (const [name, value] of Object.entries(sharedFields(folder)))
      expect(fields[name], name).toEqual(value);
    expect(readFileSync(`${root}${folder}/LICENSE`, 'utf8')).toBe(readFileSync(`${root}LICENSE`, 'utf8'));
  });

  it('has a one-sentence description and its own keywords', () => {
    const { description, keywords } = fieldsOf(folder);
    expect(description).toMatch(/^\S.{19,139}\.$/);
    expect(keywords[0]).toBe('emac');
    expect(keywords.length).toBeGreaterThan(3);
    expect(new Set(keywords).size).toBe(keywords.length);
  });

  it('shows an example in the first ten lines of its README', () => {
    const first = readmeOf(folder).split('\n').slice(0, 10);
    expect(first.some((line) => /^```(js|sh)$/.test(line))).toBe(true);
  });

  it('names in sideEffects every module that does something when it is loaded', () => {
    const { sideEffects } = fieldsOf(folder);
    const named = sideEffects === false ? [] : (sideEffects as readonly string[]);
    const effectful = sourcesOf(folder).filter((path) => hasEffect(readFileSync(path, 'utf8')));
    expect(effectful.map((path) => path.slice(root.length + folder.length))).toEqual(
      named.filter((path) => path.startsWith('./src/')).map((path) => path.slice(1)),
    );
  });
});

describe('the tarballs', () => {
  let tried: TriedPublishing;
  beforeAll(async () => {
    tried = await tryPublishing();
  });

  it('hold licence, README and everything that exports and source maps name', () => {
    for (const folder of publishedFolders()) {
      const { exports, name } = fieldsOf(folder);
      const paths = new Set(tried.packed[name]!.files.map(({ path }) => path));
      const named = filesNamedBy(exports);
      const mapped = [...paths]
        .filter((path) => path.endsWith('.map'))
        .flatMap((map) => sourcesOfMap(folder, map));
      const needed = ['LICENSE', 'README.md', ...named, ...mapped].map((path) => join(path));
      expect(
        needed.filter((path) => !paths.has(path)),
        name,
      ).toEqual([]);
    }
  });

  it('satisfy npm publish', () => {
    expect(tried.complaints).toEqual([]);
  });
});

/** Sources that are packed: no tests, no benchmarks. */
function sourcesOf(folder: string): string[] {
  return ts.sys
    .readDirectory(`${root}${folder}/src`, ['.ts'])
    .filter((path) => !/\.(test|bench)\./.test(path));
}

/** Whether a module calls something when it is loaded, or imports another only for that. */
function hasEffect(text: string): boolean {
  const { statements } = ts.createSourceFile('module.ts', text, ts.ScriptTarget.Latest);
  return statements.some(
    (statement) =>
      ts.isExpressionStatement(statement) ||
      (ts.isImportDeclaration(statement) && statement.importClause === undefined),
  );
}

/** Paths inside a package that a source map names. */
function sourcesOfMap(folder: string, map: string): string[] {
  const path = `${root}${folder}/${map}`;
  if (!existsSync(path)) return [map];
  const { sources } = JSON.parse(readFileSync(path, 'utf8')) as { readonly sources: readonly string[] };
  return sources.map((source) => join(map, '..', source));
}

/** The files of nested conditions. */
function filesNamedBy(conditions: unknown): string[] {
  return typeof conditions === 'string'
    ? [conditions]
    : Object.values(conditions as object).flatMap(filesNamedBy);
}
