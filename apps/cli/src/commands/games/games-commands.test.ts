import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../../captured-io.test.fixture.ts';

const folder = temporaryFolder();

async function generated(name: string, ...more: string[]): Promise<string[]> {
  const out = join(folder, name);
  const { status, stdout } = await emac(['games', 'generate', '--out', out, '--seed', '4', ...more]);
  expect(status).toBe(0);
  return stdout.trim().split('\n');
}

describe('emac games generate', () => {
  it('makes equal bytes for equal seeds, in the documented layout', async () => {
    const [first, again] = [await generated('a', '--count', '2'), await generated('b', '--count', '2')];
    expect(first).toHaveLength(2);
    for (const [index, path] of first.entries()) {
      expect(path.slice(join(folder, 'a').length)).toMatch(/^\/[^/]+\/[^/]+\/game\.tw-pddl$/);
      expect(readFileSync(path).equals(readFileSync(again[index]!))).toBe(true);
      const { walkthrough } = JSON.parse(readFileSync(path, 'utf8')) as { walkthrough: string[] };
      expect(walkthrough.length).toBeGreaterThan(0);
    }
  });

  it('uses the requested dialect and task type', async () => {
    const type = 'pick_and_place_simple';
    for (const [dialect, verb] of [
      ['put', /^put .* in\/on /],
      ['move', /^move .* to /],
    ] as const) {
      const [path] = await generated(dialect, '--dialect', dialect, '--type', type);
      expect(path).toContain(`/${type}-`);
      const { walkthrough } = JSON.parse(readFileSync(path!, 'utf8')) as { walkthrough: string[] };
      expect(walkthrough.at(-1)).toMatch(verb);
    }
  });

  it('rejects an existing game with 73 and leaves it unchanged', async () => {
    const [path] = await generated('kept');
    writeFileSync(path!, 'kept');
    const result = await emac(['games', 'generate', '--out', join(folder, 'kept'), '--seed', '4']);
    expect([result.status, readFileSync(path!, 'utf8')]).toEqual([73, 'kept']);
  });

  it.each(['0', '1000000000'])('rejects --count %s', async (count) => {
    const result = await emac(['games', 'generate', '--out', join(folder, 'none'), '--count', count]);
    expect([result.status, result.stdout]).toEqual([64, '']);
    expect(result.stderr).toContain('--count');
  });
});

describe('emac games list', () => {
  it('has the 134 games of valid_unseen, 24 of them of the first type', async () => {
    // 134 = 24 pick_and_place_simple + 18 + 31 + 23 + 21 + 17, the counts of the real split
    const { stdout, stderr } = await emac(['games', 'list', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ source: 'builtin:valid_unseen', count: 134 });
    expect(stderr).toContain('134 games');
    const simple = await emac(['games', 'list', '--type', 'pick_and_place_simple']);
    expect(simple.stdout.trim().split('\n')).toHaveLength(24);
  });

  it('names the skipped games of a folder', async () => {
    const [, second] = await generated('listed', '--count', '2');
    writeFileSync(second!, JSON.stringify({ solvable: false }));
    const { stdout, stderr } = await emac(['games', 'list', '--games', join(folder, 'listed')]);
    expect(stdout.trim().split('\n')).toHaveLength(1);
    expect(stderr).toContain('1 (not solvable)');
  });
});

describe('emac games list with damaged files', () => {
  it('lists the others, names each damaged file with its error, and ends with 65', async () => {
    const [sound, half, emptied] = await generated('damaged', '--count', '3');
    const text = readFileSync(half!, 'utf8');
    writeFileSync(half!, text.slice(0, text.length >> 1));
    writeFileSync(emptied!, JSON.stringify({ ...JSON.parse(readFileSync(emptied!, 'utf8')), grammar: null }));
    const argv = ['games', 'list', '--games', join(folder, 'damaged')];
    const { status, stdout, stderr } = await emac(argv);
    expect([status, stdout.trim().split('\n').length]).toEqual([65, 1]);
    expect(sound).toContain(stdout.split('  ')[0]);
    expect(stderr).toContain(`damaged: ${half}: not JSON (cut off?)`);
    expect(stderr).toContain(`damaged: ${emptied}: 'grammar' must be text, got null`);
    const listed = await emac([...argv, '--json']);
    expect([listed.status, JSON.parse(listed.stdout)]).toEqual([
      65,
      expect.objectContaining({ count: 1, damaged: [expect.any(String), expect.any(String)] }),
    ]);
    const alone = await emac(['games', 'list', '--games', half!]);
    expect([alone.status, alone.stdout]).toEqual([65, '']);
  });
});

describe('emac env check', () => {
  it('ends with 0 for unchanged games', async () => {
    await generated('whole', '--count', '2');
    const { status, stdout } = await emac(['games', 'verify', join(folder, 'whole')]);
    expect([status, stdout]).toEqual([0, expect.stringContaining('2 games verified, 0 faulty')]);
  });

  it('ends with 2 and names the game whose walkthrough continues after the win', async () => {
    const [first] = await generated('faulty', '--count', '2');
    const file = JSON.parse(readFileSync(first!, 'utf8')) as { walkthrough: string[] };
    writeFileSync(first!, JSON.stringify({ ...file, walkthrough: [...file.walkthrough, 'look'] }));
    const { status, stdout } = await emac(['games', 'verify', join(folder, 'faulty'), '--json']);
    expect(status).toBe(2);
    const { games, faulty } = JSON.parse(stdout) as { games: { fault: string | null }[]; faulty: number };
    expect([games.filter(({ fault }) => fault !== null).length, faulty]).toEqual([1, 1]);
  });

  it('ends with 65 for a file that is no game, and with 66 for a missing path', async () => {
    const none = join(folder, 'none.tw-pddl');
    writeFileSync(none, 'not a game');
    expect((await emac(['games', 'verify', none])).status).toBe(65);
    expect((await emac(['games', 'verify', join(folder, 'nowhere')])).status).toBe(66);
  });
});
