import { describe, expect, it } from 'vitest';
import { emacCommands, shellBlocks } from './shell-blocks.ts';

const block = (code: string, directive?: string) =>
  `${directive === undefined ? '' : `<!-- tests: ${directive} -->\n\n`}\`\`\`sh\n${code}\n\`\`\`\n`;

const plain = { interruptedAt: null, status: 0, isLong: false, prints: [] };

describe('the commands of a document', () => {
  it('come from blocks marked sh, with their lines, and are tested unchanged', () => {
    expect(shellBlocks(`# Title\n\n${block('echo 1')}\n\`\`\`js\n1\n\`\`\`\n${block('echo 2')}`)).toEqual([
      { ...plain, line: 4, code: 'echo 1\n', tested: 'echo 1\n' },
      { ...plain, line: 11, code: 'echo 2\n', tested: 'echo 2\n' },
    ]);
  });

  it('are made small by flags, before a comment, in training, evaluation and collecting alone', () => {
    const code =
      'npx emac train --phase bc  # learns\nnpx emac board\nbin/emac eval --rounds 12 \\\n  --json';
    const [found] = shellBlocks(block(code, 'add --rounds 1 --stop'));
    expect(found!.tested).toBe(
      'npx emac train --phase bc --rounds 1 --stop # learns\nnpx emac board\nbin/emac eval --rounds 1    --json --stop \n',
    );
  });

  it('are followed by their output, if it is a block without a language', () => {
    const [first, second] = shellBlocks(`${block('a')}It prints\n\n\`\`\`\n1\n2\n\`\`\`\n${block('b')}`);
    expect([first!.prints, second!.prints]).toEqual([['1', '2'], []]);
  });

  it('may be interrupted, end with a status, be replaced, or be skipped', () => {
    const [stopped, other, none] = shellBlocks(
      block('npx emac train', 'add --seed 1 | Ctrl-C at "round 1" | ends with 75') +
        block('MODEL=large', 'instead MODEL=small') +
        block('npx emac train', 'none, needs a graphics card'),
    );
    expect(stopped).toMatchObject({
      tested: 'npx emac train --seed 1 \n',
      interruptedAt: 'round 1',
      status: 75,
    });
    expect(other).toMatchObject({ code: 'MODEL=large\n', tested: 'MODEL=small\n' });
    expect(none!.tested).toBeNull();
    expect(shellBlocks(block('x', 'long | instead y'))[0]).toMatchObject({ tested: 'y\n', isLong: true });
    expect(() => shellBlocks(block('x', 'skip'))).toThrow('line 4: unknown directive for tests: skip');
  });
});

describe('a command of emac', () => {
  it('has words and flags, also over several lines', () => {
    const code =
      'npx emac games generate --out games \\\n  --count=3 # many\nA=1 emac train x.y=1 --phase bc | tail\nls';
    expect(emacCommands(code)).toEqual([
      { words: ['games', 'generate'], flags: ['--out', '--count'] },
      { words: ['train'], flags: ['--phase'] },
    ]);
  });

  it.each([
    ['train --method grpo --env alfworld', ['train', '--method', 'grpo'], ['--env']],
    ['serve --role speaker --pictures p', ['serve', '--role', 'speaker'], ['--pictures']],
    ['eval --env lewis --speaker RUN', ['eval', '--env', 'lewis'], ['--speaker']],
    ['eval --env alfworld --ckpt RUN', ['eval'], ['--env', '--ckpt']],
  ])('has the flag that decides about others among its words: %s', (typed, words, flags) => {
    expect(emacCommands(`npx emac ${typed}`)).toEqual([{ words, flags }]);
  });
});

it('code in another language is no output', () => {
  const js = ['```js', 'one();', '```'].join('\n');
  const page = ['```sh', 'emac', '```', '', js, '', 'text', '', js, '', '```', 'said', '```'].join('\n');
  expect(shellBlocks(page)[0]!.prints).toEqual(['said']);
});
