/**
 * Every exit code of the tool. Signals, broken libraries and the like need a process of their own. The rest runs in this process: the command's status is the
 * exit code.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exitCodes } from '@emac/core';
import { onFailpoint } from '@emac/files';
import { isLong } from '@emac/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { emac, temporaryFolder } from '../captured-io.test.fixture.ts';
import { emacProcess, isBuilt, once, type Started } from '../emac-process.test.fixture.ts';

const folder = temporaryFolder();
const file = join(folder, 'a-file.json');
writeFileSync(file, 'no JSON');

/** Loaded before the command: a part of the machine that fails. */
function broken(name: string, code: string): Started {
  const path = join(folder, `${name}.cjs`);
  writeFileSync(path, code);
  return { env: { NODE_OPTIONS: `--require ${path}` } };
}

/** A game with a walkthrough that does not win. */
async function lostGame(): Promise<string> {
  const out = join(folder, 'games');
  mkdirSync(out);
  await emac(['games', 'generate', '--out', out, '--count', '1', '--seed', '1']);
  const name = readdirSync(out, { recursive: true })
    .map(String)
    .find((each) => each.endsWith('.tw-pddl'))!;
  const path = join(out, name);
  const game = JSON.parse(readFileSync(path, 'utf8')) as { walkthrough: string[] };
  writeFileSync(path, JSON.stringify({ ...game, walkthrough: game.walkthrough.slice(0, 1) }));
  return path;
}

const evaluation = ['eval', '--ckpt', 'emma-tiny', '--out', 'none'];
const train = ['train', '--phase', 'bc', '--eval-games', '0', '--out', join(folder, 'runs')];
const interrupted = (signal: NodeJS.Signals, after: RegExp) => once(after, (child) => child.kill(signal));
const commands = join(folder, 'commands.txt');
writeFileSync(commands, 'look\n'.repeat(1_000_000));
const playing = ['play', 'builtin:train/0', '--json', '--commands', commands];

/** Fails at the first written file, like a full disk. */
function diskIsFull(): void {
  onFailpoint((name) => {
    if (name !== 'file-written') return;
    throw Object.assign(new Error('ENOSPC: injected'), { code: 'ENOSPC' });
  });
  onTestFinished(() => onFailpoint(null));
}

type Words = string[] | (() => Promise<string[]>);
/** `null`: the command in this process */
type Reached = readonly [code: number, what: string, argv: Words, how?: Started | null];

const table: readonly Reached[] = [
  [0, 'what was asked for is done', ['--version']],
  [1, 'a mistake of the tool', ['doctor'], broken('bug', 'process.availableMemory = () => undefined.bytes;')],
  [exitCodes['check-failed'], 'a check failed', async () => ['games', 'verify', await lostGame()], null],
  [exitCodes.usage, 'a flag', [...train, '--lr', 'abc'], null],
  [exitCodes.data, 'a damaged file', [...train, '--data', file], null],
  [exitCodes.missing, 'a path', ['eval', '--ckpt', join(folder, 'none'), '--out', 'none'], null],
  [exitCodes.unavailable, 'a backend', [...evaluation, '--provider', 'cuda'], null],
  [
    exitCodes.internal,
    'ONNX Runtime cannot be loaded',
    [...evaluation, '--num-games', '1'],
    broken(
      'library',
      `const { dlopen } = process;
       process.dlopen = (module, path, ...more) => {
         if (/onnxruntime/.test(path)) throw new Error('cannot be loaded');
         return dlopen.call(process, module, path, ...more);
       };`,
    ),
  ],
  [exitCodes['cannot-create'], 'an output', ['preset', 'cp', 'tiny', '--out', file], null],
  [
    exitCodes.io,
    'a full disk',
    () => {
      diskIsFull();
      return Promise.resolve(['preset', 'cp', 'tiny', '--out', join(folder, 'never.yaml')]);
    },
    null,
  ],
  [
    exitCodes.interrupted,
    'a run that can go on',
    [...train, '--probe', 'none', '--rounds', '50', '--games-per-round', '20', '--no-skip-solved'],
    interrupted('SIGINT', /training: /),
  ],
  [exitCodes.auth, 'no key', [...train, '--expert', 'openai', '--expert-model', 'x'], null],
  [exitCodes.config, 'a setting', [...train, 'seed=-1'], null],
  [130, 'Ctrl-C where nothing can be saved', playing, interrupted('SIGINT', /"step":20/)],
  [143, 'SIGTERM there', playing, interrupted('SIGTERM', /"step":20/)],
];

/** By processes of `interruption.test.ts`, `process.test.ts` and `terminal.test.ts`; here in `npm run check:long`. */
const shownElsewhere: ReadonlySet<number> = new Set([exitCodes.interrupted, 130, 143]);

describe.skipIf(!isBuilt)('the process (needs the build)', () => {
  const cases = table
    .filter(([code]) => isLong || !shownElsewhere.has(code))
    .map(([code, what, argv, how = {}]) => ({ code, what, argv, how }));
  it.each(cases)('ends with $code: $what', async ({ code, argv, how }) => {
    const words = typeof argv === 'function' ? await argv() : argv;
    const { status, stdout, stderr } = await (how === null ? emac(words) : emacProcess(words, how));
    expect([status, stdout + stderr]).toEqual([code, expect.stringMatching(/./)]);
  });

  it('ends with 69 if a part of the installation does not load', async () => {
    const hook =
      "export const resolve = (name, context, next) => { if (name === 'zod') throw new Error('is damaged'); return next(name, context); };";
    const how = broken(
      'parts',
      `require('node:module').register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(hook)}));`,
    );
    const { status, stderr } = await emacProcess([...evaluation, '--num-games', '1'], how);
    expect([status, stderr]).toEqual([
      exitCodes.unavailable,
      expect.stringMatching(/^emac: emac eval: .*npm ci/),
    ]);
  });

  it('has no other codes', () => {
    const known = [0, 1, ...Object.values(exitCodes), 130, 143].sort((a, b) => a - b);
    expect(table.map(([code]) => code).sort((a, b) => a - b)).toEqual(known);
  });
});
