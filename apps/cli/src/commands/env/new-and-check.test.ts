/** `emac env new` writes packages that pass their own tests and `emac env check`; a broken module is refused with one sentence. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ModuleKind, ScriptTarget, transpileModule } from 'typescript';
import { alsoLong } from '@emac/testing';
import { describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../../captured-io.test.fixture.ts';
import { isBuilt } from '../../emac-process.test.fixture.ts';

const folder = temporaryFolder();

describe.each(['game', 'tools'])('emac env new --template %s', (template) => {
  it('writes a package that passes its tests and the check', async () => {
    const path = join(folder, `my-${template}`);
    const made = await emac(['env', 'new', path, '--template', template]);
    expect([made.status, made.stdout]).toEqual([
      0,
      expect.stringContaining(`next: npx emac env check ${path}`),
    ]);
    expect(readFileSync(join(path, 'package.json'), 'utf8')).toContain(`"name": "my-${template}"`);
    // throws unless every test passes
    execFileSync(process.execPath, ['--test'], { cwd: path, stdio: 'pipe' });
    const checked = await emac(['env', 'check', path, '--steps', '300', '--json']);
    expect(checked.status).toBe(0);
    const report = JSON.parse(checked.stdout) as { player: { won: number; episodes: number } };
    // four training tasks and four held-out ones
    expect(report).toMatchObject({ env: `./my-${template}`, findings: [], player: { won: 8, episodes: 8 } });
    expect(await emac(['env', 'new', path])).toMatchObject({ status: 73 });
  });
});

// the compiler takes seconds for each
describe.skipIf(!isBuilt).each(['game', ...alsoLong(['tools'])])(
  'emac env new --typescript --template %s',
  (template) => {
    const path = join(folder, `typed-${template}`);
    const options = { cwd: path, encoding: 'utf8' } as const;
    const compiler = fileURLToPath(
      new URL('../../../../../node_modules/typescript/bin/tsc', import.meta.url),
    );

    it('compiles without any package of EMAC, and passes its tests and the check', async () => {
      const { status } = await emac(['env', 'new', path, '--template', template, '--typescript']);
      expect(status).toBe(0);
      const manifest = readFileSync(join(path, 'package.json'), 'utf8');
      expect(manifest).not.toContain('@emac/');
      // as npm install would
      mkdirSync(join(path, 'node_modules'));
      for (const name of ['typescript', '@types'])
        symlinkSync(
          new URL(`../../../../../node_modules/${name}`, import.meta.url),
          join(path, 'node_modules', name),
        );
      // throws unless it compiles and every test passes
      execFileSync(process.execPath, [compiler], options);
      execFileSync(process.execPath, ['--test', 'dist/test.js'], options);
      const checked = await emac(['env', 'check', path, '--steps', '300', '--json']);
      expect(checked.status).toBe(0);
      expect(JSON.parse(checked.stdout)).toMatchObject({ findings: [], player: { won: 8, episodes: 8 } });
    });

    it.runIf(template === 'game')('is refused by the compiler where it breaks the contract', () => {
      const file = join(path, 'src', 'index.ts');
      const whole = readFileSync(file, 'utf8');
      writeFileSync(file, whole.replaceAll('reward: 0', "reward: 'none'"));
      const { status, stdout } = spawnSync(process.execPath, [compiler, '--noEmit'], options);
      writeFileSync(file, whole);
      expect([status, stdout]).toEqual([
        2,
        expect.stringContaining("Type 'string' is not assignable to type"),
      ]);
    });

    it.runIf(template === 'game')(
      'has tests for observations with arrays, and the types of @emac/opening',
      () => {
        const file = join(path, 'src', 'index.ts');
        const whole = readFileSync(file, 'utf8');
        const arrays = '{ map: { shape: [1], data: new Float32Array(1) } }';
        const observation = /observation: (`Take the keychain 1[^`]*`)/;
        expect(whole).toMatch(observation);
        writeFileSync(file, whole.replace(observation, `observation: { text: $1, arrays: ${arrays} }`));
        const opening = fileURLToPath(
          new URL('../../../../../packages/opening/dist/index.d.ts', import.meta.url),
        );
        writeFileSync(
          join(path, 'src', 'same.ts'),
          `import type { InlineEnvironment as Whole } from '${opening.replace(/d\.ts$/, 'js')}';
         import type { InlineEnvironment } from './emac.js';
         export const there = (given: Omit<Whole, 'name'>): InlineEnvironment => given;
         export const back = (given: InlineEnvironment): Whole => given;`,
        );
        const compiled = [compiler, '--noEmit', '--rootDir', '/'];
        const { status, stdout } = spawnSync(process.execPath, compiled, options);
        rmSync(join(path, 'src', 'same.ts'));
        writeFileSync(file, whole);
        expect([status, stdout]).toEqual([0, '']);
      },
    );

    it('is the JavaScript template with types', async () => {
      const untyped = join(folder, `untyped-${template}`);
      await emac(['env', 'new', untyped, '--template', template]);
      for (const name of ['index', 'test']) {
        const compiled = (file: string) =>
          transpileModule(readFileSync(file, 'utf8').replaceAll(basename(untyped), basename(path)), {
            compilerOptions: { target: ScriptTarget.ES2023, module: ModuleKind.ESNext },
          }).outputText;
        const plain = join(untyped, `${name}.js`);
        expect(compiled(plain)).toBe(compiled(join(path, 'src', `${name}.ts`)));
        expect(readFileSync(plain, 'utf8')).not.toMatch(/satisfies|import type|: string/);
      }
    });
  },
);

it('emac env new --typescript pins what this repository builds with', () => {
  interface Manifest {
    readonly devDependencies: Record<string, string>;
  }
  const read = (path: string): unknown =>
    JSON.parse(readFileSync(new URL(`../../../../../${path}`, import.meta.url), 'utf8'));
  const written = read('packages/opening/templates/typescript.json') as Record<'package.json', Manifest>;
  const { devDependencies } = written['package.json'];
  const { devDependencies: root } = read('package.json') as Manifest;
  expect(devDependencies).toEqual({
    '@types/node': root['@types/node'],
    typescript: root['typescript'],
  });
});

it('emac env new refuses a name that npm does not accept', async () => {
  const { status, stderr } = await emac(['env', 'new', join(folder, 'My Game')]);
  expect([status, stderr]).toEqual([64, expect.stringContaining('small letters, digits, dots and dashes')]);
});

describe('emac env check', () => {
  const broken = `export default {
    tasks: { training: ['a'], heldOut: ['b'] },
    rewards: [0, 1],
    begin: () => ({ observation: 'Begin.', actions: ['go'], step: () => {
      if (!globalThis.count) console.log('not JSON');
      return { observation: 'On.', reward: globalThis.count = (globalThis.count ?? 0) + 1, done: false };
    } }),
  };`;

  it('says each finding in one sentence, exits with 1, and keeps printed text out of its JSON', async () => {
    const env = join(folder, 'broken.mjs');
    writeFileSync(env, broken);
    const { status, stdout } = await emac(['env', 'check', env, '--steps', '100', '--json']);
    expect(status).toBe(1);
    const { findings } = JSON.parse(stdout) as { findings: { check: string; sentence: string }[] };
    expect(findings.map(({ check }) => check)).toEqual(['seeds', 'restore', 'rewards']);
    expect(findings[0]!.sentence).toMatch(/^step 1 of a \(".*"\) gives another reward, although/);
    expect((await emac(['env', 'check', env, '--steps', '100'])).stdout).toMatch(/^rewards: step \d+ of a /m);
  });

  it('passes a built-in environment', async () => {
    const { status, stdout } = await emac(['env', 'check', 'MiniGrid-Empty-5x5', '--steps', '200']);
    expect([status, stdout]).toEqual([
      0,
      expect.stringMatching(/^MiniGrid-Empty-5x5-v0: 200 random steps in /),
    ]);
  });

  it('names the remedy for TypeScript in a Node that does not run it', async () => {
    const env = join(folder, 'typed.ts');
    writeFileSync(env, 'const tasks: string[] = []; export default { tasks };');
    const { stderr } = await emac(['env', 'check', env]);
    expect(stderr).toMatch(
      'typescript' in process.features && process.features.typescript
        ? /exports no environment/
        : /is TypeScript, which Node [\d.]+ does not run; compile it with tsc and give the \.js file/,
    );
  });

  it('ends with the usual codes for bad input', async () => {
    expect(await emac(['env', 'check', './nothing.mjs'])).toMatchObject({ status: 66 });
    const env = join(folder, 'nan.mjs');
    writeFileSync(env, broken.replace('globalThis.count = (globalThis.count ?? 0) + 1', 'NaN'));
    expect(await emac(['env', 'check', env])).toMatchObject({
      status: 65,
      stderr: expect.stringContaining('step of a must give a finite reward, at most 1e+100, got NaN'),
    });
  });
});

describe('words that the model has to spell', () => {
  const spelling = `export default {
    tasks: { training: ['a', 'b'], heldOut: ['c'] },
    begin: () => ({ observation: 'Begin.', actions: ['fill 1', 'go to 1'], step: () => ({ observation: 'Full.', reward: 1, done: true }) }),
    expert: () => 'fill 1',
  };`;
  const short = '--max-steps 1 --max-new-tokens 4 --eval-episodes 0'.split(' ');

  it('are named by the check, which passes', async () => {
    const env = join(folder, 'spelling.mjs');
    writeFileSync(env, spelling);
    const { status, stdout } = await emac(['env', 'check', env, '--steps', '100']);
    expect([status, stdout]).toEqual([
      0,
      expect.stringContaining('words: emma-tiny has to spell fill in pieces'),
    ]);
    const json = await emac(['env', 'check', env, '--steps', '100', '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({ notes: [expect.stringContaining('spell fill')] });
  });

  it.each([
    ['bc', '--rounds 1 --games-per-round 1 --updates-per-episode 1 --batch-size 1 --probe none'],
    ['ppo', '--num-processes 2 --num-steps 1 --steps 2 --batch-size 2'],
    ['grpo', '--updates 1 --prompts-per-update 1 --group-size 2'],
  ])('are named when %s begins', async (method, words) => {
    const env = join(folder, 'spelling.mjs');
    writeFileSync(env, spelling);
    const out = join(folder, `spelling-${method}`);
    const run = await emac([
      'train',
      '--method',
      method,
      '--env',
      env,
      '--out',
      out,
      ...words.split(' '),
      ...short,
    ]);
    expect([run.status, run.stderr]).toEqual([0, expect.stringContaining('has to spell fill in pieces')]);
  });
});
