/**
 * A model's critics from the command line, equal bytes after kills: one with an adapter, a schedule and a gradient norm of its
 * own, and one with values before every token.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { alsoLong } from '@emac/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../../captured-io.test.fixture.ts';
import { copiedAt, runKilledAt, type KilledAt } from '../../killed-runs.test.fixture.ts';

const folder = temporaryFolder();
const flags =
  '--env gym_cards/NumberLine --steps 24 --num-processes 4 --num-steps 2 --batch-size 8 --checkpoint-every 1 --keep all --eval-episodes 0 --lora-rank 2';
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

// first updates train the critic alone, later ones the policy too
const kills = [
  'checkpoint-files-synced:3',
  ...alsoLong(['updating:2'] as const),
] satisfies readonly KilledAt[];

describe.each([
  [
    '--value-learns adapter --value-init-steps 1 --value-schedule cosine --value-max-grad-norm 1',
    'value_adapter.safetensors',
  ],
  ['--token-lambda 0.9 --token-gamma 0.95 --gradient-shards 2', 'value_head.safetensors'],
])('emac train --method ppo %s', (critic, stored) => {
  const own = join(folder, stored);
  const copies = join(own, 'killed');
  let undisturbed = '';
  beforeAll(async () => {
    const out = join(own, 'undisturbed');
    const work = () => emac(['ppo', ...flags.split(' '), ...critic.split(' '), '--out', out]);
    expect((await copiedAt(kills, { out, copies, work })).status).toBe(0);
    undisturbed = only(out);
  });

  it.each(kills)('resumes to the same bytes after kill -9 at %s', async (place) => {
    const run = runKilledAt(place, copies);
    expect((await emac(['ppo', '--resume', run])).status).toBe(0);
    const content = contentOf(run);
    expect([...content.keys()]).toContain(`checkpoints/00000027/${stored}`);
    expect(content).toEqual(contentOf(undisturbed));
  });
});
