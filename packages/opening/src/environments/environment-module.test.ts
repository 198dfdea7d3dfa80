/** Custom environments as files, folders and packages, in their own thread: errors, time limit, output, keys, hashes. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createHash } from 'node:crypto';
import type { EnvironmentKind, Episode } from '@emac/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { loadEnvironmentModule, type ModuleOptions } from './environment-module.ts';
import { kindOf } from './kind-of.ts';

const folder = temporaryFolder();
const before = process.cwd();
beforeAll(() => process.chdir(folder));
afterAll(() => process.chdir(before));

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

function write(path: string, text: string): string {
  const whole = join(folder, path);
  mkdirSync(dirname(whole), { recursive: true });
  writeFileSync(whole, text);
  return whole;
}

/** `step` is the body of the function, in which `action` and `task` are known. */
const source = (step: string, more = '', named = 'default'): string => `
const environment = {
  tasks: { training: ['a', 'b'], heldOut: ['c'] },
  begin: (task) => ({ observation: 'Begin.', actions: ['go', 'stay'], step(action) { ${step} } }),
  ${more}
};
export ${named === 'default' ? 'default environment' : `{ environment as ${named} }`};
`;

const fine = "return { observation: 'On.', reward: action === 'go' ? 1 : 0, done: action === 'go' }";

async function opened(name: string, options: ModuleOptions = {}) {
  const given = await loadEnvironmentModule(name, options);
  return { given, kind: await given.kind.open(given.kind.ids[0]!, { maxSteps: null }) };
}

async function begun(name: string, options: ModuleOptions = {}): Promise<Episode> {
  const { kind } = await opened(name, options);
  const task = kind.tasks.training.at(1);
  return kind.begin(task, '0');
}

describe('a custom environment in a thread', () => {
  it('steps as in this one, offers the actions of begin and step, and gives arrays', async () => {
    const env = write(
      'arrays.mjs',
      source(`return {
        observation: { text: task + action, arrays: { place: { shape: [2], data: new Float32Array([1, 2]) } } },
        reward: 0.5, done: action === 'go', actions: ['go'] }`),
    );
    const episode = await begun(env);
    expect(episode.first).toEqual({ text: 'Begin.', frames: [], admissible: ['go', 'stay'] });
    expect(await episode.step('go')).toEqual({
      observation: {
        text: 'bgo',
        frames: [],
        arrays: { place: { shape: [2], data: new Float32Array([1, 2]) } },
        admissible: ['go'],
      },
      reward: 0.5,
      terminated: true,
      truncated: false,
      info: { won: true },
    });
    await episode.close();
  });

  it('takes tasks from a function, and names states by anchor', async () => {
    const endless = source(fine, "anchor: ({ turns }) => 'after ' + turns.length,").replace(
      "{ training: ['a', 'b'], heldOut: ['c'] }",
      "{ training: (n) => 'even ' + 2 * n, heldOut: (n) => 'odd ' + (2 * n + 1) }",
    );
    const { kind } = await opened(write('endless.mjs', endless));
    expect(kind.tasks.training.count).toBeNull();
    expect([kind.tasks.training.at(3).id, kind.tasks.heldOut.at(3).id]).toEqual(['even 6', 'odd 7']);
    const observation = { text: '', frames: [], admissible: null };
    expect(kind.anchor!({ history: { initial: '', turns: [] }, observation })).toBe('after 0');
  });

  it('prints to the given function and sees no keys', async () => {
    const printed: string[] = [];
    const env = write(
      'prints.mjs',
      source(
        `console.log('printed'); return { observation: String(process.env.OPENAI_API_KEY) + process.env.PLACE, reward: 0, done: true }`,
      ),
    );
    const episode = await begun(env, {
      env: { OPENAI_API_KEY: 'secret', PLACE: 'here' },
      said: (text) => void printed.push(text),
    });
    expect((await episode.step('go')).observation.text).toBe('undefinedhere');
    await expect.poll(() => printed.join('')).toContain('printed\n');
  });

  it.each<[string, string, RegExp]>([
    ['throws', "throw new Error('oh')", /step of b threw: oh$/],
    ['gives NaN', "return { observation: '', reward: NaN, done: false }", /finite reward, got NaN$/],
    [
      'never returns',
      // computing without an end would cost a core; the test of loading does
      'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);',
      /step of b gave no answer within 8 s; mend it, or raise EMAC_ENV_SECONDS$/,
    ],
    ['never settles', 'return new Promise(() => {})', /step of b gave no answer within 8 s/],
    ['ends its thread', 'process.exit(3)', /step of b ended its thread$/],
    [
      'gives an array of another size',
      "return { observation: { text: '', arrays: { a: { shape: [3], data: new Float32Array(2) } } }, reward: 0, done: false }",
      /step of b must give arrays by name, each with a shape and as many numbers/,
    ],
    [
      'gives a frame of another size',
      "return { observation: { text: '', frames: [{ width: 2, height: 2, data: new Uint8Array(5) }] }, reward: 0, done: false }",
      /step of b must give frames of width, height and RGB bytes/,
    ],
  ])('names the step that %s', async (what, step, message) => {
    // the trial at opening plays the first task only
    const env = write(
      `bad-${what.replaceAll(' ', '-')}.mjs`,
      source(`if (task === 'b') { ${step} } ${fine}`),
    );
    const episode = await begun(env, { env: what.startsWith('never') ? { EMAC_ENV_SECONDS: '8' } : {} });
    await expect(episode.step('stay')).rejects.toMatchObject({
      code: 'data',
      message: expect.stringMatching(message) as string,
    });
    // closing does not hide the fault
    await episode.close();
  });

  it('stops code that never loads', async () => {
    const env = write('never.mjs', 'for (;;);');
    const loading = loadEnvironmentModule(env, { env: { EMAC_ENV_SECONDS: '1' } });
    await expect(loading).rejects.toThrow(/^--env .*never.mjs: gave no answer within 1 s/);
  });

  it('escapes control characters, and keeps line breaks and tabs', async () => {
    const env = write(
      'hostile.mjs',
      source("return { observation: 'a\\u001b[2J\\tb\\nc\\u202e', reward: 0, done: true }"),
    );
    const { observation } = await (await begun(env)).step('go');
    expect(observation.text).toBe('a\\x1b[2J\tb\nc\\u{202e}');
  });
});

describe('an installed package', () => {
  const manifest = (main: object) => JSON.stringify({ name: 'my-package', type: 'module', ...main });

  it('gives its default export, or one by name, under its own name', async () => {
    write('node_modules/my-package/package.json', manifest({ exports: { '.': { import: './main.js' } } }));
    write(
      'node_modules/my-package/main.js',
      `${source(fine)}export const hard = { ...environment, maxSteps: 3 };`,
    );
    const [easy, hard] = [await opened('my-package'), await opened('my-package/hard')];
    expect([easy.kind.id, easy.kind.maxSteps]).toEqual(['my-package', 50]);
    expect([hard.kind.id, hard.kind.maxSteps]).toEqual(['my-package/hard', 3]);
    expect(kindOf('my-package/hard', hard.given)).toBe(hard.given.kind satisfies EnvironmentKind);
    await expect(loadEnvironmentModule('my-package/soft')).rejects.toThrow(
      /^--env my-package\/soft: exports no soft; it has default, hard$/,
    );
    expect(() => kindOf('my-package', null)).toThrow(/is code, .*; add --env my-package$/);
    expect(() => kindOf('other-package', null)).toThrow(/no package of this name is installed here$/);
  });

  it('is a folder too, whose hash covers the files that it imports by path', async () => {
    const [main, other] = ["export { default } from './lib/other.js';\n", source(fine)];
    write('mine/package.json', manifest({ main: 'main.js' }));
    write('mine/main.js', main);
    write('mine/lib/other.js', other);
    const { given, kind } = await opened('./mine');
    expect(kind.id).toBe('./mine');
    const lines = [`lib/other.js ${sha256(other)}`, `main.js ${sha256(main)}`];
    expect(given.sha256).toBe(sha256(lines.join('\n')));
    const alone = write('alone.mjs', source(fine));
    expect((await loadEnvironmentModule(alone)).sha256).toBe(sha256(source(fine)));
  });

  it.each<[string, Record<string, string>, RegExp]>([
    ['no package.json', { 'main.js': '' }, /is a folder without package.json/],
    ['a broken one', { 'package.json': '{' }, /package.json: is no JSON; mend it$/],
    ['no code', { 'package.json': '{}' }, /names .*index.js, which does not exist$/],
  ])('is refused with %s', async (what, files, message) => {
    const name = `bad-${what.replaceAll(/\W/g, '-')}`;
    for (const [path, text] of Object.entries(files)) write(`${name}/${path}`, text);
    await expect(loadEnvironmentModule(`./${name}`)).rejects.toThrow(message);
  });
});
