/** Completion in real shells; a shell that is not installed is skipped. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../captured-io.test.fixture.ts';
import { hasTerminal, isInstalled, onTerminal } from '../terminal-process.test.fixture.ts';

const folder = temporaryFolder();
const script = (shell: string) => join(folder, `emac.${shell}`);
const runs = ['2026-11-22T1310-bc-s0-2a95', '2026-11-22T1400-dpo-s0-77aa'] as const;
/** A name that some shells would run as a command in a list of words. */
const hostile = 'bad$(touch hacked)';

beforeAll(async () => {
  for (const shell of ['bash', 'zsh', 'fish'])
    writeFileSync(script(shell), (await emac(['completion', shell])).stdout);
  for (const run of [...runs, hostile]) {
    mkdirSync(join(folder, 'runs', run), { recursive: true });
    writeFileSync(join(folder, 'runs', run, 'run.json'), '{}');
  }
  mkdirSync(join(folder, 'runs', 'no-run'));
  for (const name of ['my.yaml', 'mine.mjs']) writeFileSync(join(folder, name), '');
});

/** Typed words, the completions offered, and some not offered. */
const cases: readonly (readonly [line: string, offered: readonly string[], others: readonly string[]])[] = [
  ['emac ', ['train', 'eval', 'games', 'ckpt', 'completion'], ['ls', 'list']],
  ['emac tr', ['train'], ['eval']],
  ['emac ckpt ', ['ls', 'export'], ['train', 'list']],
  ['emac train --ph', ['--phase'], ['--ref']],
  ['emac train --phase ', ['bc', 'dpo', 'bc,dpo'], ['latest']],
  ['emac train --phase bc --games-per-round 3 --loss-', ['--loss-scaling'], ['--phase']],
  ['emac train --phase bc --loss-scaling d', ['dynamic'], ['none']],
  ['emac train optim', ['optimization.learningRate='], ['play.rounds=']],
  ['emac train --config m', ['my.yaml'], ['runs']],
  ['emac eval --ckpt ', ['latest', 'emma-tiny', ...runs], ['no-run']],
  ['emac eval --ckpt 2026-11-22T1310', [runs[0]], [runs[1]]],
  ['emac eval --out ', ['none', 'runs/'], []],
  ['emac ckpt inspect 2026-11-22T1400', [runs[1]], [runs[0]]],
  [`emac eval --ckpt ${runs[0]}@`, [`${runs[0]}@best`, `${runs[0]}@latest`], []],
  ['emac preset s', ['small-scale'], ['tiny']],
  ['emac games generate --dialect ', ['put', 'move'], []],
  ['emac train --seed ', [], ['seed=']],
  ['emac train --expert ', ['handcoded', 'planner', 'openai', 'mine.mjs'], ['module']],
  ['emac collect --expert pl', ['planner'], ['mine.mjs']],
  ['emac games fetch json_2.1.1_', ['json_2.1.1_tw-pddl', 'json_2.1.1_pddl'], ['json_2.1.3_tw-pddl']],
  ['emac model fetch ', ['instructblip-vicuna-7b'], ['my.yaml']],
  ['emac completion ', ['bash', 'zsh', 'fish'], []],
];

function requireOffered(
  offers: readonly string[],
  offered: readonly string[],
  others: readonly string[],
): void {
  expect(offers).toEqual(expect.arrayContaining([...offered]));
  for (const each of others) expect(offers).not.toContain(each);
}

describe('emac completion', () => {
  it('lists the supported shells', async () => {
    const { status, stderr } = await emac(['completion', 'tcsh']);
    expect([status, stderr]).toEqual([64, 'emac: tcsh: must be bash or zsh or fish\n']);
  });
});

const hasBash = isInstalled('bash');

describe.skipIf(!hasBash)('bash (where it is installed)', () => {
  function offers(line: string): string[] {
    const call = 'source "$1"; COMP_LINE=$2 COMP_POINT=${#2}; _emac; printf "%s\\n" "${COMPREPLY[@]}"';
    const argv = ['--norc', '--noprofile', '-c', call, 'bash', script('bash'), line];
    const { stdout, stderr } = spawnSync('bash', argv, { cwd: folder, encoding: 'utf8' });
    expect(stderr).toBe('');
    return stdout.split('\n').filter(Boolean);
  }

  it.each(cases)('completes %j', (line, offered, others) => {
    requireOffered(offers(line), offered.map(withoutSlash), others);
  });

  it('completes after a colon or an equals sign the part that readline replaces', () => {
    expect(offers('emac train --games builtin:valid_')).toEqual(['valid_seen', 'valid_unseen']);
    expect(offers('emac train --eval-on builtin:valid_')).toEqual(['valid_seen', 'valid_unseen']);
    expect(offers('emac train --phase=bc')).toEqual(['bc', 'bc,dpo']);
    expect(offers('emac train --games=builtin:tr')).toEqual(['train']);
  });

  it('never runs code in the name of a folder', () => {
    expect(offers('emac eval --ckpt bad')).toEqual([hostile]);
    expect(readdirSync(folder)).not.toContain('hacked');
  });

  it.skipIf(!hasTerminal)('completes at Tab on a terminal', async () => {
    const { stdout } = await onTerminal('bash --norc --noprofile -i', {
      cwd: folder,
      env: { PS1: 'ready> ' },
      typed: [
        [/ready> $/, `source ${script('bash')}; PS1='go> '\r`],
        [/go> $/, 'emac tra\t'],
        [/emac train $/, '--pha\t'],
        [/--phase $/, '\t\t'],
        [/bc +bc,dpo +dpo/, '\u0015exit\r'],
      ],
    });
    expect(stdout).toMatch(/emac train --phase /);
  });
});

describe.skipIf(!isInstalled('fish'))('fish (where it is installed)', () => {
  function offers(line: string): string[] {
    const call = 'source $argv[1]; complete -C $argv[2]';
    const { stdout, stderr } = spawnSync('fish', ['--no-config', '-c', call, script('fish'), line], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, HOME: folder },
    });
    expect(stderr).toBe('');
    return stdout.split('\n').map((each) => each.split('\t')[0]!);
  }

  it.each(cases)('completes %j', (line, offered, others) => {
    requireOffered(offers(line), offered, others);
  });

  it('completes after an equals sign, and runs no code', () => {
    expect(offers('emac train --phase=bc')).toEqual(expect.arrayContaining(['--phase=bc', '--phase=bc,dpo']));
    expect(offers('emac train --eval-on b')).toContain('builtin:valid_seen');
    expect(offers('emac eval --ckpt bad').some((each) => each.startsWith('bad'))).toBe(true);
    expect(readdirSync(folder)).not.toContain('hacked');
  });
});

describe.skipIf(!isInstalled('zsh') || !hasTerminal)(
  'zsh (where it and util-linux script are installed)',
  () => {
    /** At its first prompt zsh inserts the line, requests the list, notes every match and ends. */
    const settings = `
autoload -U compinit
compinit -u -D
source ${script('zsh')}
typeset -ga offers
compadd() {
  local -a hits
  if [[ \${@[(I)-[ADO]]} -eq 0 ]]; then builtin compadd -A hits "$@"; offers+=($hits); fi
  builtin compadd "$@"
}
zle -C offer list-choices _main_complete
zle-line-init() {
  BUFFER=$LINE
  CURSOR=$#BUFFER
  zle offer
  print -rl -- $offers > $OFFERS
  exit
}
zle -N zle-line-init
`;

    async function offers(line: string): Promise<string[]> {
      const list = join(folder, 'offers.txt');
      writeFileSync(join(folder, '.zshrc'), settings);
      const env = { ZDOTDIR: folder, HOME: folder, LINE: line, OFFERS: list };
      await onTerminal('zsh -d -i', { cwd: folder, env, typed: [] });
      return readFileSync(list, 'utf8').split('\n').filter(Boolean);
    }

    it.each(cases)('completes %j', async (line, offered, others) => {
      requireOffered(await offers(line), offered.map(withoutSlash), others);
    });

    it('completes after an equals sign, and runs no code', async () => {
      expect(await offers('emac train --eval-on builtin:t')).toEqual(['builtin:train']);
      expect(await offers('emac train --phase=bc')).toEqual(['bc', 'bc,dpo']);
      // zsh escapes it in the line, so that it stays a name
      expect(await offers('emac eval --ckpt bad')).toEqual(['bad\\$\\(touch\\ hacked\\)']);
      expect(readdirSync(folder)).not.toContain('hacked');
    });
  },
);

/** The display adds the slash after a folder. */
function withoutSlash(word: string): string {
  return word.replace(/\/$/, '');
}
