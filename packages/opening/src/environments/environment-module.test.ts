/** Custom environments as files, folders and packages, in their own thread: errors, time limit, output, keys, hashes. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createHash } from 'node:crypto';
import type { EnvironmentKind, Episode } from '@emac/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { loadEnvironmentModule, type ModuleOptions } from './environment-module.ts';
import { kindOf } from './kind-of.ts';
import { moduleCode } from './module-code.ts';

const folder = temporaryFolder();
const before = process.cwd();
beforeAll(() => process.chdir(folder));
afterAll(() => process.chdir(before));

let reading = 0;
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

// computing without an end would cost a core; the test of loading does
const forever = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);';

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

  it.concurrent.each<[string, string, RegExp]>([
    ['throws', "throw new Error('oh')", /step of b threw: oh$/],
    [
      'gives NaN',
      "return { observation: '', reward: NaN, done: false }",
      /finite reward, at most 1e\+100, got NaN$/,
    ],
    [
      'gives a reward whose sums are infinite',
      "return { observation: '', reward: 1e308, done: false }",
      /finite reward, at most 1e\+100, got 1e\+308$/,
    ],
    ['never returns', forever, /step of b gave no answer within 5 s; mend it, or raise EMAC_ENV_SECONDS$/],
    ['never settles', 'return new Promise(() => {})', /step of b gave no answer within 5 s/],
    ['ends its thread', 'process.exit(3)', /step of b ended its thread$/],
    [
      'gives an array of another size',
      "return { observation: { text: '', arrays: { a: { shape: [3], data: new Float32Array(2) } } }, reward: 0, done: false }",
      /step of b must give arrays by name, each with a shape and as many numbers/,
    ],
    [
      'gives a frame of another size',
      "return { observation: { text: '', frames: [{ width: 2, height: 2, data: new Uint8Array(5) }] }, reward: 0, done: false }",
      /step of b must give frames of width and height, whole numbers from 1, and RGB bytes in data$/,
    ],
    ...['"2"', '1.5'].map((side): [string, string, RegExp] => [
      `gives a frame of ${side.replaceAll('"', '')} pixels`,
      `return { observation: { text: '', frames: [{ width: ${side}, height: 2, data: new Uint8Array(${side} * 6) }] }, reward: 0, done: false }`,
      /step of b must give frames of width and height, whole numbers from 1/,
    ]),
    [
      'gives an array with a number that is none',
      "return { observation: { text: '', arrays: { a: { shape: [2], data: Float32Array.of(0, NaN) } } }, reward: 0, done: false }",
      /step of b must give finite numbers, a has NaN at 1$/,
    ],
  ])('names the step that %s', async (what, step, message) => {
    // the trial at opening plays the first task only
    const env = write(
      `bad-${what.replaceAll(' ', '-')}.mjs`,
      source(`if (task === 'b') { ${step} } ${fine}`),
    );
    const episode = await begun(env, { env: what.startsWith('never') ? { EMAC_ENV_SECONDS: '5' } : {} });
    await expect(episode.step('stay')).rejects.toMatchObject({
      code: 'data',
      message: expect.stringMatching(message) as string,
    });
    // closing does not hide the fault
    await episode.close();
  });

  it.concurrent.each([
    ['an expert', `expert(task) { if (task === 'b') ${forever} return 'go'; },`, 'expert for b'],
    ['close', `close(task) { if (task === 'b') return new Promise(() => {}); },`, 'close of b'],
  ])('names %s that never ends, not a call that waits for it', async (what, hanging, named) => {
    const text = source(fine, what === 'close' ? '' : hanging);
    const closing =
      what === 'close' ? `close: () => (${hanging.replace('close', 'function').slice(0, -1)})(task), ` : '';
    const env = write(`${what.replace(' ', '-')}.mjs`, text.replace('step(action)', `${closing}$&`));
    const { kind } = await opened(env, { env: { EMAC_ENV_SECONDS: '5' } });
    const task = kind.tasks.training.at(1);
    const episode = await kind.begin(task, '0');
    const history = { initial: '', turns: [] };
    const hung =
      what === 'close'
        ? episode.close()
        : kind.player!.label({ task, history, memories: [], admissible: null });
    const [first, second] = await Promise.allSettled([hung, kind.begin(task, '1')]);
    const fault = `: ${named} gave no answer within 5 s`;
    expect(first).toMatchObject({ reason: { message: expect.stringContaining(fault) as string } });
    // a thread that waits serves other calls
    if (what === 'close') expect(second.status).toBe('fulfilled');
    else expect(second).toMatchObject({ reason: { message: expect.stringContaining(fault) as string } });
  });

  it('counts the time of a call from its begin, not from its place in the queue', async () => {
    const slow = 'const end = performance.now() + 900; while (performance.now() < end);';
    const env = write('slow.mjs', source(`if (task === 'b') { ${slow} } ${fine}`));
    const { kind } = await opened(env, { env: { EMAC_ENV_SECONDS: '3' } });
    const task = kind.tasks.training.at(1);
    const episodes = await Promise.all(['0', '1', '2', '3'].map((seed) => kind.begin(task, seed)));
    // 3.6 s altogether
    const steps = await Promise.all(episodes.map((episode) => episode.step('go')));
    expect(steps.map(({ reward }) => reward)).toEqual([1, 1, 1, 1]);
  });

  it('names an anchor that never ends, for which the trainer waits', async () => {
    const env = write('hanging-anchor.mjs', source(fine, `anchor() { ${forever} },`));
    const { kind } = await opened(env, { env: { EMAC_ENV_SECONDS: '3' } });
    const observation = { text: '', frames: [], admissible: null };
    const anchor = () => kind.anchor!({ history: { initial: '', turns: [] }, observation });
    expect(anchor).toThrow(/: anchor gave no answer within 3 s/);
  });

  it('survives what its code sends by itself', async () => {
    const sent = `import { parentPort, workerData } from 'node:worker_threads';
      parentPort.postMessage(null); parentPort.postMessage({ number: 1, value: 7 });
      if (Object.keys(workerData).length > 0) throw new Error('has ports');`;
    const episode = await begun(write('sends.mjs', sent + source(fine)));
    expect((await episode.step('go')).reward).toBe(1);
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

  it.each([
    ['import(`./read.mjs`)', 'read.mjs'],
    ['import(`./levels/${name}.mjs`)', 'levels/two.mjs'],
    ['import(/* a level */ `./${place / 2}/two.mjs`)', 'levels/two.mjs'],
    ["require('./levels/two.mjs')", 'levels/two.mjs'],
    ["createRequire(import.meta.url)('./read')", 'read.js'],
    ['require(`./re${name}`)', 'read/index.js'],
    ["new URL('./levels.json', import.meta.url)", 'levels.json'],
    ["import.meta.resolve('./levels.json')", 'levels.json'],
  ])('has another hash after a change of what it reads by %s', (call, file) => {
    const place = `reads-${reading++}`;
    const entry = write(`${place}/main.mjs`, `export const read = (name, place) => ${call};`);
    write(`${place}/other.mjs`, '');
    const hashes = ['1', '2', '2'].map((text) => {
      write(`${place}/${file}`, text);
      return moduleCode(entry).sha256;
    });
    expect(hashes[0]).not.toBe(hashes[1]);
    write(`${place}/other.mjs`, 'not read');
    write(`moved-${place}/main.mjs`, readFileSync(entry, 'utf8'));
    write(`moved-${place}/${file}`, '2');
    const moved = moduleCode(join(folder, `moved-${place}/main.mjs`)).sha256;
    expect([hashes[2], moved]).toEqual([hashes[1], hashes[1]]);
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
