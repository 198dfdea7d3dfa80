/** Completions of typed words, and the script of a real shell; a shell that is not installed is skipped. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../captured-io.test.fixture.ts';
import { catalogue } from '../commands/catalogue.ts';
import { isBuilt } from '../emac-process.test.fixture.ts';
import { emacCommand, hasTerminal, isInstalled, onTerminal } from '../terminal-process.test.fixture.ts';
import { offers } from './offers.ts';

const folder = temporaryFolder();
const runs = ['2026-11-22T1310-bc-s0-2a95', '2026-11-22T1400-dpo-s0-77aa'] as const;
/** A name that some shells would run as a command in a list of words. */
const hostile = 'bad$(touch hacked)';
const path = `${join(folder, 'bin')}${delimiter}${process.env['PATH']}`;

beforeAll(async () => {
  for (const run of [...runs, hostile]) {
    mkdirSync(join(folder, 'runs', run), { recursive: true });
    writeFileSync(join(folder, 'runs', run, 'run.json'), '{}');
  }
  mkdirSync(join(folder, 'runs', 'no-run'));
  mkdirSync(join(folder, 'bin'));
  for (const name of ['my.yaml', 'mine.mjs', '.hidden']) writeFileSync(join(folder, name), '');
  writeFileSync(join(folder, 'bin', 'emac'), `#!/bin/sh\nexec ${emacCommand([])} "$@"\n`, { mode: 0o755 });
  for (const shell of ['bash', 'zsh', 'fish'])
    writeFileSync(join(folder, `emac.${shell}`), (await emac(['completion', shell])).stdout);
});

describe('completions', () => {
  async function wordsFor(line: string): Promise<string[]> {
    const words = line.split(' ');
    const text = await offers(words.slice(1, -1), words.at(-1)!, { commands: catalogue, folder });
    return text.split('\n').map((each) => each.split('\t')[0]!);
  }

  /** Typed words, the completions offered, and some not offered. */
  it.each<readonly [line: string, offered: readonly string[], others: readonly string[]]>([
    ['emac ', ['train', 'eval', 'games', 'ckpt', 'completion', '--help'], ['ls', 'list']],
    ['emac tr', ['train'], ['eval']],
    ['emac ckpt ', ['ls', 'export'], ['train', 'list', '--help']],
    ['emac train --ph', ['--phase'], ['--ref']],
    ['emac train --phase ', ['bc', 'dpo', 'bc,dpo'], ['latest']],
    ['emac train --phase=b', ['--phase=bc', '--phase=bc,dpo'], ['bc', '--phase=dpo']],
    ['emac train --method gi', ['gigpo'], ['grpo']],
    ['emac train --phase bc --games-per-round 3 --loss-', ['--loss-scaling'], ['--phase']],
    ['emac train --phase bc --loss-scaling d', ['dynamic'], ['none']],
    ['emac train --dry-run optim', ['optimization.learningRate='], ['play.rounds=']],
    ['emac train --config m', ['my.yaml', 'mine.mjs'], ['runs/', '.hidden']],
    ['emac train --config .', ['.hidden'], ['my.yaml']],
    ['emac train --config=my', ['--config=my.yaml'], ['my.yaml']],
    ['emac eval --ckpt ', ['latest', 'emma-tiny', ...runs, hostile], ['no-run']],
    ['emac eval --ckpt 2026-11-22T1310', [runs[0]], [runs[1]]],
    ['emac eval --out ', ['none', 'runs/'], []],
    ['emac eval --out runs/n', ['runs/no-run/'], ['no-run']],
    ['emac ckpt inspect 2026-11-22T1400', [runs[1]], [runs[0]]],
    [`emac eval --ckpt ${runs[0]}@`, [`${runs[0]}@best`, `${runs[0]}@latest`], []],
    ['emac preset s', ['small-scale'], ['tiny']],
    ['emac games generate --dialect ', ['put', 'move'], []],
    ['emac train --seed ', [''], ['seed=']],
    ['emac train --expert ', ['handcoded', 'planner', 'openai', 'mine.mjs'], ['module']],
    ['emac collect --expert pl', ['planner'], ['mine.mjs']],
    ['emac games fetch json_2.1.1_', ['json_2.1.1_tw-pddl', 'json_2.1.1_pddl'], ['json_2.1.3_tw-pddl']],
    ['emac model fetch ', ['instructblip-vicuna-7b'], ['my.yaml']],
    ['emac completion ', ['bash', 'zsh', 'fish'], []],
  ])('of %j', async (line, offered, others) => {
    const words = await wordsFor(line);
    expect(words).toEqual(expect.arrayContaining([...offered]));
    for (const each of others) expect(words).not.toContain(each);
  });

  it('know earlier names and the flags of a method, and say nothing about unknown words', async () => {
    const told = async (...words: string[]) => (await emac(['completion', '--', ...words])).stdout;
    expect(await told('train', '--method', 'grpo', '--advant')).toMatch(/^--advantages\tgroup: compares/);
    expect(await told('ckpt', 'verify', '--js')).toMatch(/^--json\t/);
    expect(await told('train', '--method', 'none', '--seed')).toMatch(/^--seed\t/);
    expect(await told('dance', '')).toBe('\n');
    expect((await emac(['completion', 'tcsh'])).stderr).toBe('emac: tcsh: must be bash or zsh or fish\n');
  });
});

describe.skipIf(!isInstalled('bash') || !isBuilt)('bash (where it is installed; needs the build)', () => {
  function offered(line: string): string[] {
    const call = 'source "$1"; COMP_LINE=$2 COMP_POINT=${#2}; _emac; printf "%s\\n" "${COMPREPLY[@]}"';
    const argv = ['--norc', '--noprofile', '-c', call, 'bash', join(folder, 'emac.bash'), line];
    const env = { ...process.env, PATH: path };
    const { stdout, stderr } = spawnSync('bash', argv, { cwd: folder, encoding: 'utf8', env });
    expect(stderr).toBe('');
    return stdout.split('\n').filter(Boolean);
  }

  it('completes after a colon or an equals sign the part that readline replaces, and runs no code', () => {
    expect(offered('emac train --games builtin:valid_')).toEqual(['valid_seen', 'valid_unseen']);
    expect(offered('emac train --games=builtin:tr')).toEqual(['train']);
    expect(offered('emac train --phase=b')).toEqual(['bc', 'bc,dpo', 'bc,kto', 'bc,simpo', 'bc,orpo']);
    expect(offered('emac eval --ckpt bad')).toEqual([hostile]);
    expect(readdirSync(folder)).not.toContain('hacked');
  });

  it.skipIf(!hasTerminal)('completes at Tab on a terminal', async () => {
    const { stdout } = await onTerminal('bash --norc --noprofile -i', {
      cwd: folder,
      env: { PS1: 'ready> ', PATH: path },
      typed: [
        [/ready> $/, `source ./emac.bash; PS1='go> '\r`],
        [/go> $/, 'emac tra\t'],
        [/emac train $/, '--pha\t'],
        [/--phase $/, '\t\t'],
        [/bc,orpo/, '\u0015exit\r'],
      ],
    });
    expect(stdout).toMatch(/emac train --phase /);
  });
});

describe.skipIf(!isInstalled('fish') || !isBuilt)('fish (where it is installed; needs the build)', () => {
  it.each([
    ['emac tr', 'train'],
    ['emac train --phase=b', '--phase=bc'],
    ['emac eval --ckpt 2026-11-22T14', runs[1]],
  ])('completes %j', (line, word) => {
    const call = 'source $argv[1]; complete -C $argv[2]';
    const { stdout, stderr } = spawnSync('fish', ['--no-config', '-c', call, './emac.fish', line], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, HOME: folder, PATH: path },
    });
    expect(stderr).toBe('');
    expect(stdout.split('\n').map((each) => each.split('\t')[0]!)).toContain(word);
  });
});

describe.skipIf(!isInstalled('zsh') || !isBuilt)('zsh (where it is installed; needs the build)', () => {
  it('reads the script', () => {
    const { stderr, status } = spawnSync('zsh', ['-n', join(folder, 'emac.zsh')], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
  });
});
