/** A run whose steps start from kept prompts, stopped in the middle of episodes: what it resumes without them gives equal bytes. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onFailpoint } from '@emac/files';
import { alsoLong } from '@emac/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../captured-io.test.fixture.ts';

const folder = temporaryFolder();
// a blank frame before the text, equal in every step, and an adapter that learns between rounds
const asked =
  'train --phase bc --observe text --rounds 2 --games-per-round 2 --max-steps 6 --updates-per-episode 1 --beams 2 --eval-games 0 --probe none --train lora --lora-rank 2 --context-memory 8'.split(
    ' ',
  );

afterEach(() => onFailpoint(null));

const only = (out: string): string =>
  join(
    out,
    readdirSync(out).find((name) => !name.startsWith('.'))!,
  );

function contentOf(run: string): Map<string, string> {
  const kept = /^(metrics\.jsonl|episodes\/.*|checkpoints\/\d+\/.*)$/;
  const files = readdirSync(run, { recursive: true, encoding: 'utf8' }).filter((name) => kept.test(name));
  const bytes = (name: string) => readFileSync(join(run, name)).toString('base64');
  return new Map(files.sort().flatMap((name) => (/\.\w+$/.test(name) ? [[name, bytes(name)]] : [])));
}

describe('a run with --context-memory', () => {
  it.each([9, ...alsoLong([3, 14])])(
    'stopped at its %sth step resumes to the bytes of an undisturbed one',
    async (count) => {
      const out = join(folder, `whole-${count}`);
      expect((await emac([...asked, '--out', out])).status).toBe(0);
      const interruption = new AbortController();
      let left = count;
      onFailpoint((passed) => {
        if (passed === 'acting' && --left === 0) interruption.abort();
      });
      const cut = join(folder, `cut-${count}`);
      const stopped = await emac([...asked, '--out', cut], { interruption });
      expect(stopped.status).not.toBe(0);
      onFailpoint(null);
      const resumed = await emac(['train', '--resume', only(cut)]);
      expect([resumed.status, resumed.stderr]).toEqual([0, expect.anything()]);
      const expected = contentOf(only(out));
      expect(contentOf(only(cut))).toEqual(expected);
      expect(expected.size).toBeGreaterThan(5);
    },
  );
});
