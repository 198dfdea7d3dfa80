/**
 * `docs/background/architecture.md` leads the reader to files and symbols. Each must exist and be used by the product: the
 * program's first file imports the file, directly or not, and one of these files imports the symbol, or its own file
 * uses it.
 */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { declaredSymbols, namedSymbols, usesItself } from './named-symbols.ts';
import { importsOf, reachedFrom } from './reachable-files.ts';
import { root } from './root.ts';

describe('a table of files and symbols', () => {
  it('is read row by row, also with several symbols in a cell; heads, rules and other tables are skipped', () => {
    const markdown = [
      '| what | where | symbol |',
      '| --- | --- | --- |',
      '| **a loss** | `packages/losses/src/dpo.ts` | `dpo` |',
      '| … and its kin | `packages/losses/src/ipo.ts` | `ipo`, `Kin.of` |',
      '| a package | `core` | `Random` |',
      '| no symbol | `packages/core/src/random.ts` | below |',
      'text | `packages/a/src/b.ts` | `c`',
    ].join('\n');
    expect(namedSymbols(markdown)).toEqual([
      { what: '**a loss**', file: 'packages/losses/src/dpo.ts', symbols: ['dpo'] },
      { what: '… and its kin', file: 'packages/losses/src/ipo.ts', symbols: ['ipo', 'Kin.of'] },
    ]);
  });
});

describe('a symbol', () => {
  const text = [
    "import { imported } from './other.ts';",
    'export function f() { const inner = 1; return inner; }',
    'export const { a, b: [c] } = imported;',
    'export class Kin { static of() { return 1; } size = 2; }',
    'interface Shape { side: number }',
    'type Name = string;',
    "export { passedOn } from './more.ts';",
  ].join('\n');

  it('is declared at the top of a file or as a class member, not imported or re-exported', () => {
    expect([...declaredSymbols(text)]).toEqual([
      ...['f', 'a', 'c', 'Kin', 'Kin.of', 'Kin.size'],
      ...['Shape', 'Name'],
    ]);
  });

  it('is used by its own file if named beyond its declaration', () => {
    expect(usesItself('f();', 'f')).toBe(true);
    expect(usesItself('function f() {}\nconst rules = { MatMul: f };', 'f')).toBe(true);
    expect(usesItself('interface Shape {}\nlet shape: Shape;', 'Shape')).toBe(true);
    expect(usesItself(text, 'f')).toBe(false);
    expect(usesItself(text, 'passedOn')).toBe(false);
  });
});

describe('the imports of a file', () => {
  it("are names of the repository's files and packages; all names if it imports everything", () => {
    const text = [
      "import { a, type B as C } from '@emac/core';",
      "import type { D } from '../d.ts';",
      "import * as every from './every.ts';",
      "import 'zod';",
      "const x = () => import('./deep/x.ts');",
      "export { e, f as g } from './e.ts';",
      "export * as h from './h.ts';",
    ].join('\n');
    expect(importsOf('apps/cli/src/main.ts', text)).toEqual([
      { from: '@emac/core', names: ['a', 'B'] },
      { from: 'apps/cli/d.ts', names: ['D'] },
      { from: 'apps/cli/src/every.ts', names: null },
      { from: 'apps/cli/src/e.ts', names: ['e', 'f'], passedOnAs: ['e', 'g'] },
      { from: 'apps/cli/src/h.ts', names: null, passedOnAs: ['h'] },
      { from: 'apps/cli/src/deep/x.ts', names: null },
    ]);
  });

  it("reaches a name's file through its package's index, and not the others", () => {
    const { files, names } = reachedFrom(root, 'packages/runs/src/run.ts');
    expect(files).toContain('packages/core/src/error.ts');
    expect(names).toContain('packages/core/src/error.ts#EmacError');
    expect(files).not.toContain('packages/core/src/lockstep.ts');
    expect(files).not.toContain('packages/core/src/index.ts');
    // the namespace `op`
    const { files: ofNetworks } = reachedFrom(root, 'packages/backbone/src/networks/vision.ts');
    expect(ofNetworks).toContain('packages/graph/src/op/matrix.ts');
  });
});

describe('the architecture', () => {
  const rows = namedSymbols(readFileSync(`${root}docs/background/architecture.md`, 'utf8'));
  const { files, names } = reachedFrom(root, 'apps/cli/src/main.ts');
  const named = rows.flatMap(({ file, symbols }) => symbols.map((symbol) => ({ file, symbol })));

  it('has rows of files and symbols', () => {
    expect(rows.length).toBeGreaterThan(10);
    expect([...files].filter((file) => file.includes('.test.'))).toEqual([]);
  });

  it.each(named)('names $symbol of $file, which is declared there and used in production', (row) => {
    const { file, symbol } = row;
    expect(existsSync(`${root}${file}`), `${file} is there`).toBe(true);
    const text = readFileSync(`${root}${file}`, 'utf8');
    expect([...declaredSymbols(text)]).toContain(symbol);
    expect(files.has(file), `${file} is imported, directly or not, by the program`).toBe(true);
    const [name] = symbol.split('.');
    const isUsed = names.has(`${file}#${name}`) || names.has(`${file}#*`) || usesItself(text, name!);
    expect(isUsed, `${name} is used, not only declared`).toBe(true);
  });
});
