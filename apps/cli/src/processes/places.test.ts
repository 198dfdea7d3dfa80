/** Output places that cannot be created or written. One of each kind runs as a process of the compiled command. */
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtinGame } from '@emac/world';
import { alsoLong } from '@emac/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../captured-io.test.fixture.ts';
import { emacProcess, isBuilt, once } from '../emac-process.test.fixture.ts';

const folder = temporaryFolder();
const short = '--num-games 1 --max-steps 1 --beams 1'.split(' ');

describe.skipIf(!isBuilt || !existsSync('/proc/self'))(
  'an output that cannot be made (needs the build)',
  () => {
    const below = '/proc/emac-test';
    it.each([
      ...alsoLong([
        ['pictures', ['play', 'builtin:train/0', '--commands', '-', '--frames', below]],
        ['games', ['games', 'generate', '--out', below]],
      ] as [string, string[]][]),
      ['a dataset', ['collect', '--out', below, '--num-games', '1']],
      ['runs', ['train', '--phase', 'bc', '--out', `${below}/runs`, '--eval-games', '0']],
      ['a result in a folder', ['eval', '--ckpt', 'emma-tiny', ...short, '--out', `${below}/`]],
    ])('for %s ends the command at once with 73, naming the path', async (_what, argv) => {
      const { status, stderr } = await emac(argv);
      expect([status, stderr]).toEqual([73, expect.stringContaining(below)]);
      expect(stderr).toMatch(/^emac: cannot|\nemac: |^emac: \/proc/);
    });

    it('for a result is checked before a game is played', async () => {
      const argv = ['eval', '--ckpt', 'emma-tiny', ...short, '--out', `${below}.json`];
      const { status, stderr } = await emac(argv);
      expect([status, stderr]).toEqual([73, expect.stringContaining(`${below}.json`)]);
      expect(stderr).not.toMatch(/evaluation: |won/);
    });

    it('keeps an older result while an evaluation is tried, played and stopped', async () => {
      const out = join(folder, 'result.json');
      writeFileSync(out, 'older');
      const short = ['--num-games', '8', '--max-steps', '9', '--parallel-episodes', '1', '--beams', '2'];
      const argv = ['eval', '--ckpt', 'emma-tiny', ...short, '--out', out, '--verbose'];
      const { status } = await emacProcess(
        argv,
        once(/won|circles/, (child) => child.kill('SIGINT')),
      );
      expect([status, readFileSync(out, 'utf8')]).toEqual([130, 'older']);
      expect(readdirSync(folder).filter((name) => name.startsWith('.tmp'))).toEqual([]);
    });
  },
);

const isRoot = process.getuid?.() === 0;
const nobody = isRoot ? 65534 : undefined;

/** root ignores permissions, so the process runs as another user */
async function asNobody<Result>(work: () => Promise<Result>): Promise<Result> {
  if (nobody === undefined) return work();
  process.seteuid!(nobody);
  try {
    return await work();
  } finally {
    process.seteuid!(0);
  }
}

/** The other user has to read the command, which may lie in a private folder. */
const isReadable = await asNobody(() => readFile(fileURLToPath(import.meta.url))).then(
  () => true,
  () => false,
);

describe.skipIf(!isBuilt || process.getuid === undefined || !isReadable)(
  'a folder without permission (needs the build; as root, in a folder that other users can read)',
  () => {
    const closed = join(folder, 'closed');
    mkdirSync(closed);
    const { id, file } = builtinGame('train', 0);
    const game = join(closed, id, 'game.tw-pddl');
    mkdirSync(join(game, '..'), { recursive: true });
    writeFileSync(game, JSON.stringify(file));
    for (const name of ['run', 'model']) mkdirSync(join(closed, name));
    for (const name of ['data.json', 'run/run.json', 'model/config.json'])
      writeFileSync(join(closed, name), '{}');
    chmodSync(folder, 0o755);
    chmodSync(closed, 0o000);
    afterAll(() => chmodSync(closed, 0o755));

    const at = (name: string) => join(closed, name);
    it.each([
      ['the run that goes on', ['train', '--resume', at('run')]],
      ...alsoLong<[string, string[]]>([
        ['new runs', ['train', '--phase', 'bc', '--eval-games', '0', '--out', at('runs')]],
      ]),
    ])('around %s ends a process with 77', async (_what, argv) => {
      const { status, stderr } = await emacProcess(argv, { user: nobody, cwd: folder });
      expect([status, stderr]).toEqual([77, expect.stringMatching(/^emac: .*permission denied/m)]);
    });

    it.each([
      ['the game that is played', ['play', game, '--commands', '-']],
      ['the file of commands', ['play', 'builtin:train/0', '--commands', at('words.txt')]],
      ['the games that are listed', ['games', 'list', '--games', closed]],
      ['the games that are verified', ['games', 'verify', closed]],
      ['a game that is listed', ['games', 'list', '--games', game]],
      ['the run that goes on', ['train', '--resume', at('run')]],
      ['the policy', ['eval', '--ckpt', at('run')]],
      ['the checkpoint of a reference', ['train', '--phase', 'dpo', '--ref', at('run@best')]],
      ['the model', ['eval', '--ckpt', 'emma-tiny', '--model', at('model')]],
      ['the dataset', ['train', '--phase', 'bc', '--data', at('data.json')]],
      ['the dataset that is answered', ['eval', '--ckpt', 'emma-tiny', '--data', at('data.json')]],
      ['what is compared', ['backbone', 'compare', at('model')]],
      ['new runs', ['train', '--phase', 'bc', '--eval-games', '0', '--out', at('runs')]],
      ['new games', ['games', 'generate', '--out', at('games')]],
      ['a new dataset', ['collect', '--num-games', '1', '--out', at('new')]],
      ['a result', ['eval', '--ckpt', 'emma-tiny', ...short, '--out', at('result.json')]],
      ['pictures', ['play', 'builtin:train/0', '--commands', '-', '--frames', at('frames')]],
    ])('around %s ends the command with 77 and one sentence with the path', async (_what, argv) => {
      const { status, stderr } = await asNobody(() => emac(argv));
      expect([status, stderr]).toEqual([77, expect.stringContaining(closed)]);
      expect(stderr).not.toMatch(/\n +at /);
      expect(stderr).toMatch(/permission denied/);
    });
  },
);
