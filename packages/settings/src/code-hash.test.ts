import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from './temporary-folder.test.support.ts';
import { codeHash } from './code-hash.ts';

const folder = temporaryFolder();
let made = 0;

/** An installed application that needs `direct`, which needs `deep`, which needs `direct`; no package needs `other`. */
const files = {
  'node_modules/@emac/app/package.json': packageFile('app', ['@emac/direct', 'openai']),
  'node_modules/@emac/app/src/main.ts': 'main',
  'node_modules/@emac/app/src/inner/part.ts': 'part',
  'node_modules/@emac/app/src/main.test.ts': 'test',
  'node_modules/@emac/app/src/main.test.fixture.ts': 'fixture',
  'node_modules/@emac/app/src/main.d.ts': 'types',
  'node_modules/@emac/app/README.md': 'words',
  'node_modules/@emac/direct/package.json': packageFile(
    'direct',
    ['@emac/deep'],
    ['dist', 'worker', '!worker/x'],
  ),
  'node_modules/@emac/direct/src/index.ts': 'direct',
  'node_modules/@emac/direct/worker/thread.mjs': 'thread',
  'node_modules/@emac/direct/fixtures/made.mjs': 'fixture',
  'node_modules/@emac/deep/package.json': packageFile('deep', ['@emac/direct']),
  'node_modules/@emac/deep/src/index.ts': 'deep',
  'node_modules/@emac/other/package.json': packageFile('other', []),
  'node_modules/@emac/other/src/index.ts': 'other',
};

function packageFile(
  name: string,
  needs: readonly string[],
  published: readonly string[] = ['dist'],
): string {
  const dependencies = Object.fromEntries(needs.map((each) => [each, '*']));
  return JSON.stringify({ name: `@emac/${name}`, dependencies, files: published });
}

/** The folder of the application's code, after `change` was done to the folder above its packages. */
function application(change: (scope: string) => void = () => {}): string {
  const place = join(folder, `${made++}`);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(place, name)), { recursive: true });
    writeFileSync(join(place, name), content);
  }
  const scope = join(place, 'node_modules', '@emac');
  change(scope);
  return join(scope, 'app', 'src');
}

const writing = (name: string, content: string) => (scope: string) =>
  writeFileSync(join(scope, name), content);

describe('codeHash', () => {
  it('is a SHA-256 of this package, the same every time', () => {
    expect(codeHash()).toMatch(/^[0-9a-f]{64}$/);
    expect(codeHash()).toBe(codeHash());
  });

  it("does not depend on the code's folder", () => {
    expect(codeHash(application())).toBe(codeHash(application()));
    expect(codeHash(application())).not.toBe(codeHash());
  });

  it.each([
    ['a source file', writing('app/src/main.ts', 'other')],
    ['a file in a folder', writing('app/src/inner/part.ts', 'other')],
    ['a new file', writing('app/src/new.ts', '')],
    [
      'a name',
      (scope: string) => renameSync(join(scope, 'app/src/main.ts'), join(scope, 'app/src/start.ts')),
    ],
    ['a package that it needs', writing('direct/src/index.ts', 'other')],
    ['code that is published as it stands', writing('direct/worker/thread.mjs', 'other')],
    ['a package that one of these needs', writing('deep/src/index.ts', 'other')],
  ])('changes with %s', (_, change) => {
    expect(codeHash(application(change))).not.toBe(codeHash(application()));
  });

  it.each([
    ['a test', writing('app/src/main.test.ts', 'other')],
    ['what tests use', writing('app/src/main.test.fixture.ts', 'other')],
    ['a new test', writing('deep/src/index.test.ts', '')],
    ['a type declaration', writing('app/src/main.d.ts', 'other')],
    ['a map', writing('app/src/main.js.map', '')],
    ['a program that is not published', writing('direct/fixtures/made.mjs', 'other')],
    ['words', writing('app/README.md', 'other')],
    ['a package that nobody needs', writing('other/src/index.ts', 'other')],
  ])('does not change with %s', (_, change) => {
    expect(codeHash(application(change))).toBe(codeHash(application()));
  });

  it.each([
    ['a package that it needs', writing('app/package.json', packageFile('app', ['openai']))],
    ['a package that one of these needs', writing('direct/package.json', packageFile('direct', []))],
  ])('changes if %s is left out', (_, change) => {
    expect(codeHash(application(change))).not.toBe(codeHash(application()));
  });

  it('names a package that is not installed', () => {
    const lacking = application((scope) => rmSync(join(scope, 'deep'), { recursive: true }));
    expect(() => codeHash(lacking)).toThrow(expect.objectContaining({ code: 'missing' }));
    expect(() => codeHash(lacking)).toThrow('@emac/deep: is needed by');
  });
});
