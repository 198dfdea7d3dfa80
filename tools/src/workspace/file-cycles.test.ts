import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { importCycles, importGraph, importsOf } from './file-cycles.ts';
import { packageNames, root } from './root.ts';

const graphOf = (imports: Readonly<Record<string, string>>) =>
  new Map(Object.entries(imports).map(([file, names]) => [file, [...names]]));

describe('import cycles', () => {
  it('are groups of files that reach each other', () => {
    // a → b → c → a; d reaches them, and is not reached; e and f form a second circle
    const graph = graphOf({ a: 'b', b: 'cg', c: 'a', d: 'ae', e: 'f', f: 'e', g: '' });
    expect(importCycles(graph)).toEqual([
      ['a', 'b', 'c'],
      ['e', 'f'],
    ]);
  });

  it('are one group if two cycles share a file, and none if paths merely meet again', () => {
    expect(importCycles(graphOf({ a: 'b', b: 'ac', c: 'b' }))).toEqual([['a', 'b', 'c']]);
    expect(importCycles(graphOf({ a: 'bc', b: 'd', c: 'd', d: '' }))).toEqual([]);
    expect(importCycles(graphOf({ a: 'a' }))).toEqual([['a']]);
  });

  it('count values, types, exports and imports inside a function, but not packages', () => {
    const text = [
      "import { a } from './a.ts';",
      "import type { B } from '../b.ts';",
      "export { c } from './deep/c.ts';",
      "export type { D } from './d.ts';",
      "import '@emac/core';",
      "const e = () => import('./e.ts');",
      "type F = import('./f.ts').F;",
      "// import { g } from './g.ts';",
    ].join('\n');
    const paths = ['x/a.ts', 'b.ts', 'x/deep/c.ts', 'x/d.ts', 'x/e.ts', 'x/f.ts'];
    expect(importsOf('x/here.ts', text).sort()).toEqual(paths.sort());
  });
});

describe('the files of the repository', () => {
  const folders = [
    ...packageNames().map((name) => `packages/${name}/src`),
    ...readdirSync(`${root}apps`).map((name) => `apps/${name}/src`),
    'tools/src',
  ];
  const graph = importGraph(root, folders);

  it('are all checked', () => {
    expect(graph.size).toBeGreaterThan(400);
    expect(graph.get('tools/src/workspace/file-cycles.test.ts')).toContain('tools/src/workspace/root.ts');
    const unknown = [...graph].flatMap(([file, names]) =>
      names.filter((name) => name.endsWith('.ts') && !graph.has(name)).map((name) => `${file}: ${name}`),
    );
    expect(unknown).toEqual([]);
  });

  it('form no cycles', () => {
    expect(importCycles(graph)).toEqual([]);
  });
});
