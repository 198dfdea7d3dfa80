/** Flags for parallel episodes, probes, and the end of a collection's episodes. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { alsoLong } from '@emac/testing';
import { describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../captured-io.test.fixture.ts';

const folder = temporaryFolder();
const small =
  '--phase bc --rounds 1 --games-per-round 3 --max-steps 3 --updates-per-episode 2 --beams 1 --eval-games 0';

async function metricsOf(name: string, flags: readonly string[]): Promise<Record<string, unknown>[]> {
  const out = join(folder, name);
  const { status, stderr } = await emac(['train', ...small.split(' '), '--out', out, ...flags]);
  expect([status, stderr]).toEqual([0, expect.not.stringContaining('emac:')]);
  const text = readFileSync(join(out, readdirSync(out)[0]!, 'metrics.jsonl'), 'utf8').trim();
  return text.split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
}

const updatesOf = (metrics: readonly Record<string, unknown>[]) =>
  metrics.filter(({ kind }) => kind === 'update');

describe('emac train', () => {
  it('plays the given number of episodes per policy version, with equal bytes for any parallelism', async () => {
    const alone = await metricsOf('one', ['--probe', 'none']);
    const groups = ['--probe', 'none', '--episodes-per-update', '3'];
    const one = await metricsOf('three-1', [...groups, '--parallel-episodes', '1']);
    const three = await metricsOf('three-3', [...groups, '--parallel-episodes', '3']);
    expect(three).toEqual(one);
    for (const more of alsoLong(['8']))
      expect(await metricsOf(`three-${more}`, [...groups, '--parallel-episodes', more])).toEqual(one);
    expect(updatesOf(three)).not.toEqual(updatesOf(alone));
    // two updates for each of three episodes
    expect([alone, three].map((metrics) => updatesOf(metrics).length)).toEqual([6, 6]);
  });

  it('probes on the expert’s play by default', async () => {
    const kinds = async (name: string, flags: readonly string[]) =>
      (await metricsOf(name, flags)).map(({ kind }) => kind).filter((kind) => kind === 'probe');
    expect(await kinds('probed', [])).toHaveLength(2);
    for (const flags of alsoLong([['--probe', 'expert']]))
      expect(await kinds('asked', flags)).toHaveLength(2);
    expect(await kinds('silent', ['--probe', 'none'])).toEqual([]);
  });
});

describe('emac collect', () => {
  it('plays on in loops by default, or ends episodes there', async () => {
    const collected = async (name: string, flags: readonly string[]) => {
      const out = join(folder, name);
      const argv = ['collect', '--num-games', '3', '--max-steps', '8', '--act-with', 'student', '--out', out];
      // cut off after their first token, commands are refused and soon repeat
      const cut = ['--beams', '1', '--max-new-tokens', '1'];
      expect(await emac([...argv, ...cut, ...flags])).toMatchObject({ status: 0 });
      return (JSON.parse(readFileSync(join(out, 'train.json'), 'utf8')) as object[]).length;
    };
    // three games of eight steps
    expect(await collected('whole', [])).toBe(24);
    expect(await collected('short', ['--stop-repeating'])).toBeLessThan(24);
  });
});
