/** A model whose values have an adapter, a schedule and a gradient norm of their own, from the command line: runs that are killed end with equal bytes. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { alsoLong } from '@emac/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../captured-io.test.fixture.ts';
import { emacProcess, isBuilt } from '../emac-process.test.fixture.ts';

const folder = temporaryFolder();
const flags =
  '--env gym_cards/NumberLine --steps 24 --num-processes 4 --num-steps 2 --batch-size 8 --checkpoint-every 1 --keep all --eval-episodes 0 --lora-rank 2 ' +
  '--value-learns adapter --value-init-steps 1 --value-schedule cosine --value-max-grad-norm 1';
const small = ['ppo', ...flags.split(' ')];
const only = (out: string): string =>
  join(
    out,
    readdirSync(out).find((name) => !name.startsWith('.'))!,
  );

function contentOf(run: string): Map<string, string> {
  const names = readdirSync(run, { recursive: true, encoding: 'utf8' })
    .filter((name) => /^(metrics\.jsonl|checkpoints\/\d+\/.*)$/.test(name))
    .sort();
  return new Map(names.map((name) => [name, readFileSync(join(run, name), 'base64')]));
}

describe.runIf(isBuilt)('emac ppo --value-learns adapter', () => {
  let undisturbed = '';
  beforeAll(async () => {
    const out = join(folder, 'undisturbed');
    expect((await emacProcess([...small, '--out', out])).status).toBe(0);
    undisturbed = only(out);
  });

  // the values have learned alone, then the policy too
  it.each(['checkpoint-files-synced:3', ...alsoLong(['updating:2'])])(
    'goes on to the same bytes after kill -9 at %s',
    async (place) => {
      const out = join(folder, place.replace(':', '-'));
      const killed = await emacProcess([...small, '--out', out], { env: { EMAC_FAILPOINT: place } });
      expect(killed.signal).toBe('SIGKILL');
      expect((await emac(['ppo', '--resume', only(out), '--allow-drift'])).status).toBe(0);
      const content = contentOf(only(out));
      expect([...content.keys()]).toContain('checkpoints/00000027/value_adapter.safetensors');
      expect(content).toEqual(contentOf(undisturbed));
    },
    120_000,
  );
});
