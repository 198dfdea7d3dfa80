/**
 * The lint's table of directions: it lists every package, allows and declares exactly the sources' imports, and a
 * forbidden import is really caught. ESLint reads made-up text under the name of a file that exists, so nothing is
 * written.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { ESLint } from 'eslint';
import { beforeAll, describe, expect, it } from 'vitest';
import { isTest, usedPackages } from './package-imports.ts';
import { packageNames, root } from './root.ts';

interface Direction {
  readonly imports: readonly string[];
  readonly thirdParty: readonly string[];
}

const { directions } = (await import(`${root}eslint.config.mjs`)) as {
  directions: Readonly<Record<string, Direction>>;
};

beforeAll(() => {
  // the boundaries rule reads Nx's stored project graph and says nothing without one
  execFileSync('npx', ['nx', 'show', 'projects'], { cwd: root, stdio: 'ignore' });
});

async function broken(file: string, text: string): Promise<(string | null)[]> {
  const [result] = await new ESLint({ cwd: root }).lintText(text, { filePath: `${root}${file}` });
  return result!.messages.filter(({ severity }) => severity === 2).map(({ ruleId }) => ruleId);
}

const use = (name: string) => `import * as all from '${name}';\nexport const keys = Object.keys(all);\n`;

describe('the table of directions', () => {
  it('has one row for each package', () => {
    expect(Object.keys(directions).sort()).toEqual(packageNames());
  });

  it.each(packageNames())("allows %s exactly its sources' imports", (name) => {
    const used = usedPackages(`packages/${name}`, (path) => !isTest(path));
    const { imports, thirdParty } = directions[name]!;
    const allowed = [...imports.map((each) => `@emac/${each}`), ...thirdParty];
    expect(
      allowed.filter((pattern) => ![...used].some((each) => matches(each, pattern))),
      'allowed, but not used',
    ).toEqual([]);
    // all may use core
    const known = ['@emac/core', ...allowed];
    expect(
      [...used].filter((each) => !known.some((pattern) => matches(each, pattern))),
      'used, but not allowed',
    ).toEqual([]);
  });

  it.each([...packageNames().map((name) => `packages/${name}`), 'apps/cli'])(
    'is matched by %s: its dependencies equal its imports',
    (path) => {
      const { dependencies = {}, peerDependencies = {} } = JSON.parse(
        readFileSync(`${root}${path}/package.json`, 'utf8'),
      ) as Partial<Record<'dependencies' | 'peerDependencies', Record<string, string>>>;
      const used = usedPackages(path, (file) => !isTest(file));
      // optional packages are optional peers
      expect(Object.keys({ ...dependencies, ...peerDependencies }).sort()).toEqual([...used].sort());
    },
  );
});

/** `@scope/*` stands for all packages of a scope. */
function matches(name: string, pattern: string): boolean {
  return pattern.endsWith('/*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

describe('lint', () => {
  const boundary = '@nx/enforce-module-boundaries';

  it.each([
    ['a leaf imports another leaf', 'packages/losses/src/dpo.ts', use('@emac/prompt'), boundary],
    ['core imports a sibling', 'packages/core/src/error.ts', use('@emac/files'), boundary],
    ['an algorithm imports the student', 'packages/algorithms/src/dagger.ts', use('@emac/model'), boundary],
    ['the rollout imports a world', 'packages/rollout/src/rollout.ts', use('@emac/world'), boundary],
    ['a part imports the framework', 'packages/runs/src/run.ts', use('@emac/experiment'), boundary],
    ['sources import what is for tests', 'packages/model/src/student.ts', use('@emac/testing'), boundary],
    ['a package imports the command', 'packages/runs/src/run.ts', use('@emac/cli'), boundary],
    ['a sibling is reached by path', 'packages/losses/src/dpo.ts', use('../../graph/src/graph.ts'), boundary],
    ['the world uses tfjs', 'packages/world/src/world.ts', use('@tensorflow/tfjs'), boundary],
    ['core uses node:fs', 'packages/core/src/error.ts', use('node:fs'), 'no-restricted-imports'],
    [
      'buffers pack on their own',
      'packages/buffers/src/records.ts',
      use('msgpackr'),
      'no-restricted-imports',
    ],
    ['a test packs on its own', 'packages/runs/src/runs.test.ts', use('msgpackr'), 'no-restricted-imports'],
    ['a package prints', 'packages/losses/src/dpo.ts', "console.log('loss');\n", 'no-console'],
    ['a package exits', 'packages/losses/src/dpo.ts', 'process.exit(1);\n', 'no-restricted-syntax'],
    [
      'chance is unseeded',
      'packages/losses/src/dpo.ts',
      'export const x = Math.random();\n',
      'no-restricted-properties',
    ],
    [
      'a clock is read',
      'packages/losses/src/dpo.ts',
      'export const x = Date.now();\n',
      'no-restricted-properties',
    ],
    [
      'folders are made in a way that may never return',
      'tools/src/world/write-transcripts.ts',
      "mkdirSync('a/b', { mode: 0o700, recursive: true });\n",
      'no-restricted-syntax',
    ],
    [
      'everything is exported',
      'packages/losses/src/index.ts',
      "export * from './dpo.ts';\n",
      'no-restricted-syntax',
    ],
    [
      'an object literal is spread inside another',
      'packages/files/src/journal.ts',
      'export const pair = { ...{ a: 1, b: 2 }, c: 3 };\n',
      'no-restricted-syntax',
    ],
    [
      'the same in a test',
      'packages/files/src/msgpack.test.ts',
      'export const pair = { ...{ a: 1, b: 2 }, c: 3 };\n',
      'no-restricted-syntax',
    ],
    [
      'four parameters',
      'apps/cli/src/main.ts',
      'export const f = (a = 1, b = 2, c = 3, d = 4) => [a, b, c, d];\n',
      'max-params',
    ],
  ])('refuses: %s', async (_case, file, text, rule) => {
    expect(await broken(file, text)).toContain(rule);
  });

  it.each([
    ['the model uses the graph', 'packages/model/src/student.ts', use('@emac/graph')],
    ['the framework uses algorithms', 'packages/experiment/src/agent.ts', use('@emac/algorithms')],
    ['tests use what is for tests', 'packages/model/src/student.test.ts', use('@emac/testing')],
    ['everyone uses core', 'packages/losses/src/dpo.ts', use('@emac/core')],
    ['tests use any package', 'packages/losses/src/losses.test.ts', use('@emac/graph')],
    ['one folder is made', 'packages/runs/src/run-folder.ts', "mkdirSync('a', { mode: 0o700 });\n"],
    ['the command prints', 'apps/cli/src/main.ts', "console.log('done');\n"],
    [
      'what may be absent is spread',
      'packages/files/src/journal.ts',
      'export const of = (b: number | null) => ({ a: 1, ...(b !== null && { b }) });\n',
    ],
    ['files owns the coder', 'packages/files/src/msgpack.ts', use('msgpackr')],
  ])('accepts: %s', async (_case, file, text) => {
    expect(await broken(file, text)).toEqual([]);
  });
});
