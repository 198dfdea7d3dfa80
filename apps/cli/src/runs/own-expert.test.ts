/** `--expert FILE`: custom code labels. Only the flag runs it; its errors are not labels. */
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readRecord } from '@emac/runs';
import { describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../captured-io.test.fixture.ts';

const folder = temporaryFolder();
const small = [
  '--games-per-round',
  '1',
  '--rounds',
  '1',
  '--updates-per-episode',
  '1',
  '--max-steps',
  '3',
  '--probe',
  'none',
];
const quick = ['--batch-size', '1', '--accumulate', '1', '--eval-games', '0'];
const bc = ['train', '--phase', 'bc', ...small, ...quick];

/** A file that leaves a trace at every run. */
function expertFile(name: string, body: string): { path: string; wasRun: () => boolean } {
  const path = join(folder, `${name}.mjs`);
  const trace = join(folder, `${name}.trace`);
  const mark = `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(trace)}, 'run');\n`;
  writeFileSync(path, mark + body);
  return { path, wasRun: () => existsSync(trace) };
}

function place(name: string): { out: string; run: () => string } {
  const out = join(folder, name);
  return {
    out,
    run: () =>
      join(
        out,
        readdirSync(out).find((each) => !each.startsWith('.'))!,
      ),
  };
}

describe('emac train --expert FILE', () => {
  it('labels with it, and records its path and hash', async () => {
    const { path } = expertFile('first', 'export const label = async ({ admissible }) => admissible[0];');
    const { out, run } = place('first');
    const result = await emac([...bc, '--expert', path, '--out', out]);
    expect([result.status, result.stderr]).toEqual([0, expect.stringContaining('1 game')]);
    expect(readRecord(run()).versions['expert']).toMatch(/^[0-9a-f]{64}$/);
    expect(readFileSync(join(run(), 'config.yaml'), 'utf8')).toContain(`module: ${path}`);
  });

  it('skips invalid labels, and reports them', async () => {
    const { path } = expertFile('nonsense', 'export const label = () => "fly to the moon";');
    const { out, run } = place('nonsense');
    const result = await emac([...bc, '--expert', path, '--out', out]);
    expect([result.status, result.stderr]).toEqual([
      2,
      expect.stringContaining('the world does not accept "fly to the moon"'),
    ]);
    const metrics = readFileSync(join(run(), 'metrics.jsonl'), 'utf8').trim().split('\n');
    const lines = metrics.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.find(({ kind }) => kind === 'round')).toMatchObject({ samples: 0 });
    expect(lines.some(({ kind }) => kind === 'update')).toBe(false);
  });

  it('is not called in a dry run: a label may cost money', async () => {
    const asked = join(folder, 'asked');
    const { path } = expertFile(
      'dry',
      `export const label = () => { writeFileSync(${JSON.stringify(asked)}, ''); return 'look'; };`,
    );
    const result = await emac([...bc, '--expert', path, '--dry-run']);
    expect([result.status, existsSync(asked)]).toEqual([0, false]);
  });

  it('an exception stops the run, and it resumes with the repaired file, reporting the drift', async () => {
    const { path } = expertFile('throws', 'export const label = () => { throw new Error("no idea"); };');
    const { out, run } = place('throws');
    const thrown = await emac([...bc, '--expert', path, '--out', out]);
    expect(thrown.status).toBe(69);
    expect(thrown.stderr).toMatch(/threw 3 times in .*: no idea; fix it, then resume/);
    expect(thrown.stderr).toContain(`to resume: npx emac train --resume ${run()} --expert ${path}`);
    writeFileSync(path, 'export const label = ({ admissible }) => admissible[0];');
    const other = await emac(['train', '--resume', run(), '--expert', path]);
    expect([other.status, other.stderr]).toEqual([
      78,
      expect.stringMatching(/expert [0-9a-f]{12} instead of/),
    ]);
    const mended = await emac(['train', '--resume', run(), '--expert', path, '--allow-drift']);
    expect([mended.status, mended.stderr]).toEqual([0, expect.any(String)]);
  });

  it('reports a missing file in a sentence, before a run is made', async () => {
    const argv = [...bc, '--expert', join(folder, 'absent.mjs'), '--out', join(folder, 'faulty')];
    const result = await emac(argv);
    expect([result.status, result.stderr]).toEqual([
      66,
      expect.stringContaining('absent.mjs: does not exist'),
    ]);
    expect(existsSync(join(folder, 'faulty'))).toBe(false);
  });
});

describe('custom code runs for the flag alone', () => {
  const body = 'export const label = ({ admissible }) => admissible[0];';

  it.each([
    [
      'a configuration file',
      (path: string, file: string) => {
        writeFileSync(file, `expert: { kind: module, module: ${path} }\n`);
        return { argv: ['--config', file], env: {} };
      },
    ],
    ['SETTING=VALUE', (path: string) => ({ argv: ['expert.kind=module', `expert.module=${path}`], env: {} })],
    [
      'the kind in a file named as a path',
      (path: string, file: string) => {
        writeFileSync(file, `expert: { kind: ${path} }\n`);
        return { argv: ['--config', file], env: {} };
      },
    ],
  ])('not for %s', async (what, given) => {
    const { path, wasRun } = expertFile(`not-${what.length}`, body);
    const { argv, env } = given(path, join(folder, `not-${what.length}.yaml`));
    const result = await emac([...bc, ...argv, '--out', join(folder, 'not')], { env });
    expect([64, 78]).toContain(result.status);
    expect(wasRun()).toBe(false);
    expect(existsSync(join(folder, 'not'))).toBe(false);
    // beside the flag, the same settings are allowed
    if (what === 'the kind in a file named as a path') return;
    const both = await emac(
      [...bc, ...argv, '--expert', path, '--out', join(folder, `both-${what.length}`)],
      { env },
    );
    expect([both.status, wasRun()]).toEqual([0, true]);
  });

  it('not for an environment variable or a preset', async () => {
    const { path, wasRun } = expertFile('environment', body);
    const env = { EMAC_EXPERT: path, EMAC_EXPERT_MODULE: path };
    const result = await emac([...bc, '--out', join(folder, 'environment')], { env });
    expect([result.status, wasRun()]).toEqual([0, false]);
    for (const preset of ['paper', 'published-code', 'small-scale', 'tiny'])
      expect((await emac(['preset', 'cat', preset])).stdout).not.toMatch(/module: (?!null)/);
  });

  it('not for a resumed run, unless the flag names it again; then its hash is checked', async () => {
    const { path, wasRun } = expertFile(
      'resumed',
      'export const label = () => { throw new Error("later"); };',
    );
    const { out, run } = place('resumed');
    expect((await emac([...bc, '--expert', path, '--out', out])).status).toBe(69);
    const trace = join(folder, 'resumed.trace');
    writeFileSync(path, readFileSync(path, 'utf8'));
    writeFileSync(trace, '');
    const alone = await emac(['train', '--resume', run()]);
    expect([alone.status, alone.stderr]).toEqual([64, expect.stringContaining(`add --expert ${path}`)]);
    expect([wasRun(), readFileSync(trace, 'utf8')]).toEqual([true, '']);
    const builtIn = await emac(['train', '--resume', run(), '--expert', 'handcoded']);
    expect([builtIn.status, builtIn.stderr]).toEqual([
      64,
      expect.stringContaining('resumes with its own settings'),
    ]);
    const stored = readFileSync(join(run(), 'config.yaml'), 'utf8');
    writeFileSync(join(folder, 'run.yaml'), stored);
    const copied = await emac([
      'train',
      '--config',
      join(folder, 'run.yaml'),
      '--out',
      join(folder, 'copied'),
    ]);
    expect([copied.status, readFileSync(trace, 'utf8')]).toEqual([64, '']);
  });
});

describe('emac collect --expert FILE', () => {
  const example = fileURLToPath(new URL('../../../../docs/examples/my-expert.mjs', import.meta.url));

  it('the document shows the example verbatim', () => {
    const read = (name: string) =>
      readFileSync(fileURLToPath(new URL(`../../../../docs/${name}`, import.meta.url)), 'utf8');
    const [, shown] = /<!-- file: examples\/my-expert\.mjs -->\n\n```js\n([^]*?)```/.exec(
      read('guides/your-own-expert.md'),
    )!;
    expect(shown).toBe(read('examples/my-expert.mjs'));
  });

  it('writes the labels of the documented example, and they win games', async () => {
    const out = join(folder, 'collected');
    const games = ['--games', 'builtin:valid_unseen', '--num-games', '6'];
    const result = await emac([
      'collect',
      '--expert',
      example,
      '--out',
      out,
      ...games,
      '--observe',
      'text',
      '--verbose',
    ]);
    expect([result.status, result.stderr]).toEqual([0, expect.stringContaining('won in')]);
    const records = JSON.parse(readFileSync(join(out, 'train.json'), 'utf8')) as { text_output: string }[];
    expect(records.some(({ text_output }) => text_output.includes('take '))).toBe(true);
  });

  it('a stopped collection resumes only with the same code, from any path', async () => {
    const path = join(folder, 'collecting.mjs');
    copyFileSync(example, path);
    const out = join(folder, 'going-on');
    const argv = [
      'collect',
      '--out',
      out,
      '--num-games',
      '3',
      '--max-steps',
      '4',
      '--parallel-episodes',
      '1',
      '--verbose',
    ];
    const interruption = new AbortController();
    let games = 0;
    const onStderr = (text: string) =>
      void (/: (not )?won/.test(text) && ++games === 1 && interruption.abort());
    const stopped = await emac([...argv, '--expert', path], { interruption, onStderr });
    expect(stopped.status).toBe(75);
    writeFileSync(path, `${readFileSync(path, 'utf8')}\n// changed\n`);
    const changed = await emac([...argv, '--expert', path]);
    expect([changed.status, changed.stderr]).toEqual([64, expect.stringContaining('other settings')]);
    mkdirSync(join(folder, 'moved'));
    const moved = join(folder, 'moved', 'same.mjs');
    copyFileSync(example, moved);
    expect((await emac([...argv, '--expert', moved])).status).toBe(0);
  });
});

describe('emac train --eval-on', () => {
  it('evaluates on its games, before and after, and says so', async () => {
    const games = join(folder, 'eval-games');
    await emac(['games', 'generate', '--out', games, '--seed', '3', '--count', '3']);
    const { out, run } = place('eval-on');
    const argv = [...bc.filter((word) => word !== '--eval-games' && word !== '0'), '--eval-games', '2'];
    const result = await emac([...argv, '--eval-on', games, '--out', out]);
    expect([result.status, result.stdout]).toEqual([
      0,
      expect.stringContaining(`on 2 held-out games of ${games}`),
    ]);
    const listed = JSON.parse((await emac(['games', 'list', '--games', games, '--json'])).stdout) as {
      games: { id: string }[];
    };
    const ids = new Set(listed.games.map(({ id }) => id));
    for (const name of ['eval-before.json', 'eval.json']) {
      const { games: played } = JSON.parse(readFileSync(join(run(), name), 'utf8')) as typeof listed;
      expect(played.map(({ id }) => ids.has(id))).toEqual([true, true]);
    }
  });

  it.each([
    ['builtin:nothing', 64, '--eval-on builtin:nothing: is not a suite'],
    ['/nowhere', 66, '--eval-on /nowhere: does not exist'],
  ])('rejects %s', async (source, status, sentence) => {
    const argv = [...bc.slice(0, -1), '1', '--eval-on', source, '--out', join(folder, 'refused')];
    const result = await emac(argv);
    expect([result.status, result.stderr]).toEqual([status, expect.stringContaining(sentence)]);
    expect(existsSync(join(folder, 'refused'))).toBe(false);
  });
});
