/**
 * The packages from a user's side: packed, installed in an empty folder outside the repository, run by plain node. One
 * folder has all packages. In `npm run check:long` every package without ONNX Runtime (200 MB) also gets its own folder
 * with only its declared siblings, and npm installs all; otherwise it installs one package, and all are unpacked. Each has the names in its `index.ts`, and its README's
 * examples print what they say.
 */
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isLong } from '@emac/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { emptyProject, installTarballs, run } from './empty-folder.ts';
import { languageService, putGguf, putNetwork } from './example-surroundings.ts';
import { indexExports } from './index-exports.ts';
import { manifestOf, pack, withSiblings, type Manifest, type Packed } from './packed-set.ts';
import { blocksOf, listedPackages, packagesPage, readmeExamples, readmeOf } from './readme-examples.ts';
import { packageNames, root } from './root.ts';
import { unpackTarballs } from './unpacked.ts';

const minutes = 60_000;
// npm and node start slowly on a busy machine
vi.setConfig({ testTimeout: 3 * minutes, hookTimeout: 5 * minutes });

const examplesOf = (name: string) => readmeExamples(readmeOf(`packages/${name}`));

/** The packages to install for a package and its examples. */
function neededFor(name: string): string[] {
  return withSiblings([name, ...examplesOf(name).flatMap(({ imports }) => imports)]);
}

function needsRuntime(name: string): boolean {
  return neededFor(name).some((each) => 'onnxruntime-node' in (manifestOf(each).dependencies ?? {}));
}

const alone = packageNames().filter((name) => (isLong ? !needsRuntime(name) : name === 'losses'));
const groups = [
  ...alone.map((name) => ({ title: name, names: [name], needed: neededFor(name) })),
  {
    title: 'everything',
    names: packageNames().filter((name) => !alone.includes(name)),
    needed: packageNames(),
  },
];

let folder: string;
let packed: readonly Packed[];
let service: { server: Server; url: string };

const tarballs = (names: readonly string[]) =>
  packed
    .filter(({ name }) => names.includes(name.slice('@emac/'.length)))
    .map(({ filename }) => join(folder, filename));

const byName = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, tarballs([name])[0]!]));

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'emac-packaging-'));
  // brings `dist` up to date; nothing to do right after `npm run check` has built it
  await run('npx', ['tsc', '-b'], { cwd: root });
  packed = await pack(packageNames(), ['--pack-destination', folder]);
  service = await languageService('go to desk 1');
}, 10 * minutes);

afterAll(async () => {
  service.server.close();
  await once(service.server, 'close');
  rmSync(folder, { recursive: true, force: true });
});

/** Output of a process that runs one example after another; an example's error replaces its output. */
async function printedBy(examples: readonly { readonly code: string }[], project: string) {
  const names = examples.map(({ code }, place) => {
    writeFileSync(join(project, `example-${place}.js`), code);
    return `./example-${place}.js`;
  });
  const runner = `import { writeFileSync } from 'node:fs';
    import { format } from 'node:util';
    const printed = [];
    for (const name of ${JSON.stringify(names)}) {
      const lines = [];
      console.log = (...words) => lines.push(...format(...words).split('\\n'));
      try {
        await import(name);
        printed.push(lines);
      } catch (thrown) {
        printed.push(String(thrown.stack));
      }
    }
    writeFileSync('printed.json', JSON.stringify(printed));`;
  writeFileSync(join(project, 'examples.js'), runner);
  const env = { OPENAI_BASE_URL: service.url, OPENAI_API_KEY: 'sk-0' };
  const node = await run(process.execPath, ['examples.js'], { cwd: project, env });
  expect(node).toEqual({ stdout: '', stderr: '' });
  return JSON.parse(readFileSync(join(project, 'printed.json'), 'utf8')) as readonly (readonly string[])[];
}

describe.each(groups)('in an empty folder: $title', ({ title, names, needed }) => {
  const project = () => join(folder, title);

  beforeAll(async () => {
    emptyProject(project());
    const fromNpm = isLong || title !== 'everything';
    await (fromNpm
      ? installTarballs(project(), tarballs(needed))
      : unpackTarballs(project(), byName(needed)));
    putNetwork(project());
    putGguf(project());
  });

  afterAll(() => rmSync(project(), { recursive: true, force: true }));

  it('the packages are copies, not links into the repository', () => {
    const installed = readdirSync(join(project(), 'node_modules/@emac'), { withFileTypes: true });
    expect(installed.map((entry) => [entry.name, entry.isSymbolicLink()])).toEqual(
      needed.map((name) => [name, false]),
    );
  });

  it('each has exactly the exports of its index.ts, and prints nothing', async () => {
    const code = `const found = {};
      for (const name of ${JSON.stringify(names)}) found[name] = Object.keys(await import('@emac/' + name)).sort();
      process.stdout.write(JSON.stringify(found));`;
    const node = await run(process.execPath, ['--input-type=module', '--eval', code], { cwd: project() });
    expect(JSON.parse(node.stdout)).toEqual(
      Object.fromEntries(names.map((name) => [name, indexExports(name).values])),
    );
    expect(node.stderr).toBe('');
  });

  if (title === 'everything') {
    it('the types of every index.ts exist', async () => {
      // one module per package, since two may use the same type name
      const modules = needed.map((name) => {
        const types = indexExports(name).types.join(', ');
        writeFileSync(join(project(), `${name}.ts`), `export type { ${types} } from '@emac/${name}';\n`);
        return `${name}.ts`;
      });
      const flags = ['--noEmit', '--skipLibCheck', '--module', 'nodenext', '--types', 'node'];
      const roots = ['--typeRoots', `${root}node_modules/@types`];
      await run(
        process.execPath,
        [`${root}node_modules/typescript/bin/tsc`, ...flags, ...roots, ...modules],
        {
          cwd: project(),
        },
      );
    });
  }

  const examples = names.flatMap((name) =>
    examplesOf(name).map((example, index) => ({ name, number: index + 1, example })),
  );
  if (title === 'everything')
    for (const [name, page] of [
      ['the repository', readmeOf()],
      ['the page of packages', packagesPage()],
    ] as const)
      for (const [index, example] of readmeExamples(page).entries())
        examples.push({ name, number: index + 1, example });
  it('the README examples print what the READMEs say', async () => {
    const printed = await printedBy(
      examples.map(({ example }) => example),
      project(),
    );
    const named = (lines: (place: number) => unknown) =>
      Object.fromEntries(
        examples.map(({ name, number }, place) => [`example ${number} of ${name}`, lines(place)]),
      );
    expect(named((place) => printed[place])).toEqual(named((place) => examples[place]!.example.printed));
  });
});

describe('every package', () => {
  it('packs its entry with types, and no tests, benchmarks or build notes', () => {
    expect(packed.map(({ name }) => name).sort()).toEqual(packageNames().map((name) => `@emac/${name}`));
    for (const { name, files } of packed) {
      const paths = files.map(({ path }) => path);
      expect(paths, name).toEqual(expect.arrayContaining(['dist/index.js', 'dist/index.d.ts', 'README.md']));
      expect(
        paths.filter((path) => /\.test\.|\.bench\.|\.tsbuildinfo$|^src\/fixtures\//.test(path)),
        name,
      ).toEqual([]);
    }
  });

  it.each(packageNames())('%s has an example in its README that prints something', (name) => {
    const readme = readmeOf(`packages/${name}`);
    const runs = examplesOf(name).some(({ printed }) => printed.length > 0);
    expect(runs).toBe(true);
    expect(blocksOf(readme, 'ts'), 'blocks that no test runs').toEqual([]);
  });

  it.each([...packageNames().map((name) => `packages/${name}`), 'apps/cli', 'apps/web', 'tools'])(
    '%s declares its siblings at exactly the version that they have',
    (path) => {
      const declared = (JSON.parse(readFileSync(`${root}${path}/package.json`, 'utf8')) as Manifest)
        .dependencies;
      const siblings = Object.entries(declared ?? {}).filter(
        ([name]) => name.startsWith('@emac/') && packageNames().includes(name.slice('@emac/'.length)),
      );
      expect(siblings).toEqual(
        siblings.map(([name]) => [name, manifestOf(name.slice('@emac/'.length)).version]),
      );
    },
  );
});

describe.each([
  { title: 'the README', page: readmeOf() },
  { title: 'the page of packages', page: packagesPage() },
])('$title', ({ title, page }) => {
  it.runIf(isLong)(
    'gives two lines that pack and install, and examples that then print what the page says',
    async () => {
      const [lines] = blocksOf(page, 'sh').filter((block) => block.includes('npm run pack'));
      const [packing, installing, ...others] = lines!.trim().split('\n');
      expect(others).toEqual([]);
      // ONNX Runtime's install script would download CUDA
      expect(installing).toContain('npm install --ignore-scripts ');
      const place = join(folder, title.replaceAll(' ', '-'));
      const [project, tarballFolder] = [join(place, 'my-project'), join(place, 'packed')];
      emptyProject(project);
      await run('bash', ['-c', packing!.replace(/ +#.*/, ` --out ${tarballFolder}`)], { cwd: root });
      const typed = installing!.replace('../my-project', project).replace('../emac/packed', tarballFolder);
      await run('bash', ['-c', typed], { cwd: root });
      const examples = readmeExamples(page);
      expect(examples.length).toBeGreaterThan(0);
      expect(await printedBy(examples, project)).toEqual(examples.map(({ printed }) => printed));
    },
  );
});

it('the page of packages lists every package and every app, each with its folder', () => {
  const listed = listedPackages();
  const packages = listed.filter(({ folder: path }) => path.startsWith('packages/'));
  expect(packages.map(({ name }) => name).sort()).toEqual(packageNames());
  for (const { name, folder: path } of packages) expect(path).toBe(`packages/${name}`);
  expect(listed.filter(({ folder: path }) => !existsSync(`${root}${path}`))).toEqual([]);
});
