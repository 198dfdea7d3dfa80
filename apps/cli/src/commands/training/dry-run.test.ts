/** `--dry-run` as a process: its text; it leaves nothing behind and calls no service. */
import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { alsoLong } from '@emac/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../../captured-io.test.fixture.ts';
import { emacProcess, isBuilt } from '../../emac-process.test.fixture.ts';
// commands load on their first call: here, outside any test's time
import '../collection/collect.ts';
import '../evaluation/eval.ts';
import './grpo.ts';
import './ppo.ts';
import './train.ts';

const folder = temporaryFolder();
/** also home, cache and temporary files of the process */
const places = { HOME: 'home', XDG_CACHE_HOME: 'cache', TMPDIR: 'tmp' };
const env = Object.fromEntries(Object.entries(places).map(([name, at]) => [name, join(folder, at)]));
for (const at of Object.values(env)) mkdirSync(at);

/** Every path below, files with size and time. */
function tree(at = folder): string[] {
  return readdirSync(at, { recursive: true })
    .map(String)
    .sort()
    .map((name) => {
      const stats = statSync(join(at, name));
      return stats.isFile() ? `${name} ${stats.size} ${stats.mtimeMs}` : name;
    });
}

let connections = 0;
const server = createServer((_request, response) => response.end('{}'));
server.on('connection', () => connections++);
let baseUrl = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
});
afterAll(() => server.close());

const openai = () => [
  ...['--expert', 'openai', '--expert-model', 'gpt-4o', '--expert-base-url', baseUrl],
  ...['--expert-price-in', '2.5', '--expert-price-out', '10', '--expert-budget', '3'],
];
const small = ['--max-steps', '4', '--beams', '1'];
const oneGame = ['--games-per-round', '1'];

describe.skipIf(!isBuilt)('emac --dry-run', () => {
  it.each([
    ['train', () => ['--phase', 'bc', '--rounds', '1', ...oneGame, '--eval-games', '1', ...openai()]],
    ...alsoLong<[string, () => string[]]>([
      ['train', () => ['--phase', 'bc,dpo', '--rounds', '1', '--eval-games', '1', '--weights', 'int8']],
      ['train', () => ['--phase', 'bc', '--rounds', '1', '--tracker', 'tensorboard']],
      ['eval', () => ['--ckpt', 'emma-tiny', '--num-games', '1']],
      ['collect', () => ['--out', 'made', '--num-games', '1', '--phase', 'dpo', ...openai()]],
    ]),
  ])('%s leaves nothing behind and asks nobody', async (name, flags) => {
    const before = tree();
    const done = await emacProcess([name, '--dry-run', ...small, ...flags()], { cwd: folder, env });
    expect(done.stderr).toBe('');
    expect(done.status).toBe(0);
    expect(done.stdout).toMatch(/^dry run: \w+; nothing is kept, no paid service is called$/m);
    expect(done.stdout).toMatch(/what the model reads, of .*: (16 visual tokens, then )?\d+ tokens of text:/);
    expect(done.stdout).toMatch(/answer.*: \d+ tokens, end token included:\n {2}"/);
    expect(done.stdout).toMatch(/parameters: 12,416 trained, [\d,]+ frozen/);
    expect(done.stdout).toMatch(/memory of this process: .*\nmemory of the run at most: .*\ndisk: /);
    expect(done.stdout).toMatch(/time: .*measured on this machine/s);
    expect(tree()).toEqual(before);
    expect(connections).toBe(0);
  });
});

describe('emac --dry-run', () => {
  it('estimates a language model’s calls, tokens and price', async () => {
    const flags = ['--phase', 'bc', '--rounds', '1', ...oneGame, '--eval-games', '0'];
    const { stdout } = await emac(['train', '--dry-run', ...flags, ...small, ...openai()]);
    expect(stdout).toMatch(/expert: \d+ to 5 calls, each with a prompt of [\d,]+ to [\d,]+ tokens/);
    expect(stdout).toMatch(/prompt tokens and .* answer tokens, \$0\.\d+ to \$\d\.\d+/);
    expect(stdout).toMatch(/stops, and can be resumed, when \$3\.00 are used/);
    expect(connections).toBe(0);
  });

  it.each([
    ['ppo', ['--env', 'NumberLine', '--policy', 'mlp', '--num-processes', '2', '--num-steps', '4']],
    [
      'grpo',
      [
        '--env',
        'NumberLine',
        '--group-size',
        '2',
        '--prompts-per-update',
        '1',
        '--updates',
        '2',
        '--max-new-tokens',
        '12',
      ],
    ],
  ])('of %s, by its own command or by --method, reports updates and writes nothing', async (name, flags) => {
    const before = tree();
    const own = ['--dry-run', ...flags, '--eval-episodes', '1', '--out', join(folder, 'updates')];
    const words = await emac([name, ...own]);
    expect([words.status, words.stderr]).toEqual([0, '']);
    expect(words.stdout).toMatch(/playing .* and learning .* for each \(updating: \d+ (steps|attempts)/);
    const { stdout } = await emac(['train', '--method', name, ...own, '--json', '--quiet']);
    const { runs } = JSON.parse(stdout) as { runs: { name: string; time: { total: { least: number } } }[] };
    expect(runs).toMatchObject([{ name }]);
    expect(runs[0]!.time.total.least).toBeGreaterThan(0);
    expect((await emac([name, '--dry-run', '--resume', folder])).status).toBe(64);
    expect(tree()).toEqual(before);
  });

  it('is rejected beside --resume', async () => {
    const { status, stderr } = await emac(['train', '--dry-run', '--resume', folder]);
    expect([status, stderr]).toEqual([64, expect.stringMatching(/--dry-run: is for a new run/)]);
  });

  it('rejects an unknown wandb mode before anything opens, like the run', async () => {
    const flags = ['train', '--phase', 'bc', '--tracker', 'wandb', '--out', join(folder, 'no-mode')];
    for (const dry of [[], ['--dry-run']]) {
      const { status, stderr } = await emac([...flags, ...dry], { env: { WANDB_MODE: 'online' } });
      expect([status, stderr]).toEqual([64, expect.stringMatching(/WANDB_MODE: must be/)]);
    }
    expect(existsSync(join(folder, 'no-mode'))).toBe(false);
  });

  it('fails like the run, with its exit code', async () => {
    const tried = async (...flags: string[]) =>
      (await emac(['train', '--dry-run', '--phase', 'bc', ...flags])).status;
    expect(await tried('--games', join(folder, 'none'))).toBe(66);
    expect(await tried('--expert', 'openai', '--expert-model', 'x')).toBe(77);
    expect(await tried('--provider', 'cuda')).toBe(69);
    expect(await tried('seed=-1')).toBe(78);
  });

  const one = ['--num-games', '1', ...small];
  const commands = {
    train: ['train', '--phase', 'bc,dpo', '--rounds', '1', ...oneGame, '--eval-games', '0', ...small],
    eval: ['eval', '--ckpt', 'emma-tiny', ...one],
    collect: ['collect', '--out', join(folder, 'none'), ...one],
  };
  const names = { train: ['bc', 'dpo'], eval: ['evaluation'], collect: ['collection'] };

  it.each(['train', 'eval', 'collect'] as const)(
    '%s --json: one object on standard output, words on standard error',
    async (name) => {
      const loud = await emac([...commands[name], '--dry-run', '--json']);
      const { runs } = JSON.parse(loud.stdout) as { runs: { name: string; time: object }[] };
      expect(runs.map((run) => run.name)).toEqual(names[name]);
      expect(runs[0]).toMatchObject({
        warnings: expect.any(Array) as string[],
        time: { total: { least: expect.any(Number) as number } },
      });
      for (const each of names[name]) expect(loud.stderr).toContain(`dry run: ${each}; nothing is kept`);
    },
  );

  it.each(['eval', ...alsoLong(['train', 'collect'] as const)] as const)(
    '%s --quiet: the object or words on standard output, nothing on standard error',
    async (name) => {
      const quiet = await emac([...commands[name], '--dry-run', '--json', '--quiet']);
      expect([quiet.status, quiet.stderr]).toEqual([0, '']);
      expect(Object.keys(JSON.parse(quiet.stdout) as object)).toEqual(['runs']);
      const words = await emac([...commands[name], '--dry-run', '--quiet']);
      expect(words.stdout).toContain(`dry run: ${names[name][0]}; nothing is kept`);
      expect(words.stderr).toBe('');
    },
  );

  it('eval --events prints the object last', async () => {
    const { stdout, stderr } = await emac([...commands.eval, '--dry-run', '--events', '--quiet']);
    const last = JSON.parse(stdout.trimEnd().split('\n').at(-1)!) as object;
    expect([Object.keys(last), stderr]).toEqual([['runs'], '']);
  });
});
