import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../captured-io.test.fixture.ts';
import { commandText, headText, withoutSecrets } from './command-text.ts';
import { commitOf } from './commit.ts';
import { readmeText } from './readme-text.ts';

const folder = temporaryFolder();

/** The words that a shell makes of a line, each by itself. */
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
  ])('is what a shell reads as the same words: %j', (argv) => {
    const line = commandText(argv, {});
    expect(line.split('\n')).toHaveLength(2);
    expect(wordsOf(line)).toEqual(argv);
  });

  it('names version and commit, where that is known', () => {
    expect(headText('1.2.3', 'abc1234')).toBe('# emac 1.2.3, commit abc1234\n');
    expect(headText('1.2.3', null)).toBe('# emac 1.2.3\n');
    expect(commitOf(folder)).toBe(null);
    mkdirSync(join(folder, 'theirs', 'node_modules', '@emac', 'cli'), { recursive: true });
    spawnSync('git', ['init', '-q', join(folder, 'theirs')]);
    expect(commitOf(join(folder, 'theirs', 'node_modules', '@emac', 'cli'))).toBe(null);
  });

  it.each([
    ['http://user:secret@host/v1', 'http://***@host/v1'],
    ['https://host/v1?key=12345&x=1', 'https://host/v1?key=***&x=1'],
    ['sk-proj-0123456789abcdef', '***'],
    ['expert.languageModel.model=my-own-secret-value', 'expert.languageModel.model=***'],
    ['runs/2026-11-22T1310-bc-s0-2a95', 'runs/2026-11-22T1310-bc-s0-2a95'],
    ['--expert-max-tokens-total=5000', '--expert-max-tokens-total=5000'],
    ['task-solving-model', 'task-solving-model'],
  ])('keeps no key: %s', (typed, kept) => {
    expect(withoutSecrets(typed, { OPENAI_API_KEY: 'my-own-secret-value', SOME_KEY: 'x' })).toBe(kept);
  });
});

describe('the folder of a run', () => {
  const small =
    '--rounds 1 --games-per-round 1 --max-steps 2 --updates-per-episode 1 --beams 1 --eval-games 0'.split(
      ' ',
    );

  it('has the command that began it and those that went on with it, and says what is in it', async () => {
    const out = join(folder, 'runs here');
    const argv = ['train', '--phase', 'bc', ...small, '--out', out];
    expect((await emac(argv)).status).toBe(0);
    const run = join(out, readdirSync(out)[0]!);
    const read = (name: string) => readFileSync(join(run, name), 'utf8');
    const first = read('command.txt');
    expect(first).toMatch(/^# emac \d+\.\d+\.\d+(, commit [0-9a-f]+(-dirty)?)?\nemac train .*\n$/);
    expect(wordsOf(first)).toEqual(argv);
    const readme = read('README.md');
    expect(readme).toBe(readmeText('bc'));
    // every name in its table is in the folder, or is one that only some runs have
    const named = [...readme.matchAll(/^\| `([\w.-]+)\/?`/gm)].map(([, name]) => name!);
    const others = ['eval-before.json', 'eval.json', 'reference', 'llm.jsonl', 'tb'];
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
    // a finished run is left as it is
    await emac(['train', '--resume', run]);
    expect(read('command.txt')).toBe(`${first}emac train --resume '${run}'\n`);
  });
});
