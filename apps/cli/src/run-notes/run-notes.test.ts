import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../captured-io.test.fixture.ts';
import { commandText, headText, withoutSecrets } from './command-text.ts';
import { commitOf } from './commit.ts';
import { readmeText } from './readme-text.ts';

const folder = temporaryFolder();

/** A shell's words for a line, one by one. */
function wordsOf(line: string): string[] {
  const { stdout } = spawnSync('bash', ['-c', `emac() { printf '%s\\0' "$@"; }; ${line}`], {
    encoding: 'utf8',
  });
  return stdout.split('\0').slice(0, -1);
}

describe('command.txt', () => {
  it.each([
    [['train', '--phase', 'bc']],
    [['train', '--games', "it's mine; rm -rf $HOME", '--out', '', 'a b=\\n', '*', '~']],
    [['train', '--out', 'two\nlines\t\u0007']],
  ])('is read by a shell as the same words: %j', (argv) => {
    const line = commandText(argv, {});
    expect(line.split('\n')).toHaveLength(2);
    expect(wordsOf(line)).toEqual(argv);
  });

  it('names version and commit, if known', () => {
    expect(headText('1.2.3', 'abc1234')).toBe('# emac 1.2.3, commit abc1234\n');
    expect(headText('1.2.3', null)).toBe('# emac 1.2.3\n');
    expect(commitOf(folder)).toBe(null);
    mkdirSync(join(folder, 'theirs', 'node_modules', '@emac', 'cli'), { recursive: true });
    spawnSync('git', ['init', '-q', join(folder, 'theirs')]);
    expect(commitOf(join(folder, 'theirs', 'node_modules', '@emac', 'cli'))).toBe(null);
  });

  const env = {
    OPENAI_API_KEY: 'my-own-secret-value',
    FIRST_TOKEN: 'my-own-secret',
    'AUTH.PASSWORD': 'a+b(c)d.e',
    SOME_KEY: 'x',
    SECRETS_DIR: '/data/secrets',
    TOKENIZER: 'emma-tiny',
    KEY_PLACE: folder,
  };
  const random = 'hf_abcdefGHIJKL0123456789abcdefGH';

  it.each([
    ['http://user:secret@host/v1', 'http://***@host/v1'],
    ['http://user:p@ss@host/v1@2', 'http://***@host/v1@2'],
    ['--expert-base-url=http://user:p/ss@host/v1', '--expert-base-url=http://***@host/v1'],
    ['//user:p?ss@host', '//***@host'],
    ['https://host/v1?key=12345&x=1', 'https://host/v1?key=***&x=1'],
    ['https://host/v1?a=1&token=12345#top', 'https://host/v1?a=1&token=***'],
    ['https://host/v1?sig=a%2Bb&x=1', 'https://host/v1?sig=***&x=1'],
    ['https://host/v1?X-Amz-Signature=0a&X-Amz-Date=1', 'https://host/v1?X-Amz-Signature=***&X-Amz-Date=1'],
    ['https://host/sk-0123456789abcdef/v1', 'https://host/***/v1'],
    ['sk-proj-0123456789abcdef', '***'],
    ['github_pat_11ABCDEFG0_abcdefghij', '***'],
    ['ghp_0123456789abcdef', '***'],
    ['gho_0123456789abcdef', '***'],
    ['glpat-0123456789abcdef', '***'],
    ['expert.languageModel.model=xoxb-0123456789-abcdef', 'expert.languageModel.model=***'],
    ['Authorization: Bearer abc.def', 'Authorization: Bearer ***'],
    ['expert.languageModel.model=my-own-secret-value', 'expert.languageModel.model=***'],
    ['my-own-secret-values-of-old/v1', '***/v1'],
    ['my-own-secret', '***'],
    ['x,a+b(c)d.e', 'x,***'],
    [`models/${random}`, 'models/***'],
  ])('keeps no key: %s', (typed, kept) => {
    expect(withoutSecrets(typed, env)).toBe(kept);
  });

  it.each([
    'runs/2026-11-22T1310-bc-s0-2a95',
    '--expert-max-tokens-total=5000',
    'task-solving-model',
    'emma-tiny',
    'models/hf_instructblip-7b',
    './sk-learn-experiments',
    '--out=hf_experiments/first',
    '/data/secrets/games',
    'https://host/@scope/games@2.zip',
    'runs/mine@best',
    join(folder, 'runs'),
    join(folder, random),
    `--model=${join(folder, random)}`,
    join(folder, 'my-own-secret-value'),
  ])('keeps what is no key: %s', (typed) => {
    for (const name of [random, 'my-own-secret-value']) mkdirSync(join(folder, name), { recursive: true });
    expect(withoutSecrets(typed, env)).toBe(typed);
  });
});

describe('README.md', () => {
  it.each([
    [
      { phase: 'grpo', method: 'gigpo' },
      { env: './walk.mjs', rewards: { attempt: './reward.mjs' } },
      [
        'train --method gigpo`',
        'train --resume RUN --env ./walk.mjs --reward ./reward.mjs`',
        'eval --env ./walk.mjs --ckpt RUN`',
      ],
    ],
    [
      { phase: 'grpo' },
      { env: 'lewis', role: 'listener' },
      ['train --resume RUN`', 'eval --env lewis --listener RUN`'],
    ],
    [
      { phase: 'bc' },
      { env: './walk.mjs', expert: { module: './expert.mjs' } },
      [
        'train --resume RUN --expert ./expert.mjs --env ./walk.mjs`',
        'train --phase dpo --env ./walk.mjs --ref RUN`',
      ],
    ],
  ])('of %j %j has commands for its own method and code', (record, config, commands) => {
    const text = readmeText(record, config);
    for (const command of commands) expect(text).toContain(command);
  });
});

describe('the folder of a run', () => {
  const small =
    '--rounds 1 --games-per-round 1 --max-steps 2 --updates-per-episode 1 --beams 1 --eval-games 0 --probe none'.split(
      ' ',
    );

  it('has the commands that started and resumed it, and lists its contents', async () => {
    const out = join(folder, 'runs here');
    const argv = ['train', '--phase', 'bc', ...small, '--out', out, '--run-name', 'first try'];
    expect((await emac(argv)).status).toBe(0);
    const run = join(out, readdirSync(out)[0]!);
    const read = (name: string) => readFileSync(join(run, name), 'utf8');
    const first = read('command.txt');
    expect(first).toMatch(/^# emac \d+\.\d+\.\d+(, commit [0-9a-f]+(-dirty)?)?\nemac train .*\n$/);
    expect(wordsOf(first)).toEqual(argv);
    expect(JSON.parse(read('run.json'))).toMatchObject({ title: 'first try' });
    expect(read('report.html')).toContain(`<title>EMAC: first try (${run.split('/').at(-1)})</title>`);
    const readme = read('README.md');
    expect(readme).toBe(readmeText({ phase: 'bc' }, {}));
    // every name in its table is in the folder, or belongs to some runs only
    const named = [...readme.matchAll(/^\| `([\w.-]+)\/?`/gm)].map(([, name]) => name!);
    const others = ['eval-before.json', 'eval.json', 'traces.jsonl', 'reference', 'llm.jsonl', 'tb'];
    const there = readdirSync(run).filter((name) => !name.startsWith('.') && name !== 'README.md');
    expect(named.filter((name) => !others.includes(name))).toEqual(
      expect.arrayContaining(['DONE', 'report.html']),
    );
    for (const name of there) expect(readme).toContain(`\`${name}`);
    for (const name of named) expect([...there, ...others]).toContain(name);

    rmSync(join(run, 'DONE'));
    writeFileSync(join(run, 'README.md'), 'my own words\n');
    expect((await emac(['train', '--resume', run])).status).toBe(0);
    expect(read('command.txt')).toBe(`${first}emac train --resume '${run}'\n`);
    expect(read('README.md')).toBe('my own words\n');
    // a finished run stays unchanged
    await emac(['train', '--resume', run]);
    expect(read('command.txt')).toBe(`${first}emac train --resume '${run}'\n`);
  });
});
