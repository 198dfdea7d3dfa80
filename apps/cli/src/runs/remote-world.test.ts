/**
 * Games that clients play: the same games give the same bytes, whoever plays them. Runs and clients are commands in this
 * process, with real HTTP between them.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emac, temporaryFolder, type Captured } from '../captured-io.test.fixture.ts';

const folder = temporaryFolder();
const small =
  '--rounds 2 --games-per-round 3 --max-steps 4 --updates-per-episode 1 --beams 1 --eval-games 0 --observe text'.split(
    ' ',
  );
const bc = ['train', '--phase', 'bc', ...small];

/** `metrics.jsonl` and every file of every checkpoint of each run, by name. */
function bytesIn(out: string): Map<string, string> {
  const runs = readdirSync(out).filter((name) => !name.startsWith('.'));
  const files = runs.sort().flatMap((run, phase) => {
    const inside = readdirSync(join(out, run, 'checkpoints'), { recursive: true, encoding: 'utf8' });
    const steps = inside.filter((each) => each.includes('/')).map((each) => join('checkpoints', each));
    return ['metrics.jsonl', ...steps].map(
      (file) => [`${phase} ${file}`, readFileSync(join(out, run, file)).toString('base64')] as const,
    );
  });
  return new Map(files.sort());
}

/** Runs a command that waits for clients, and the clients once it says where. */
async function withClients(argv: readonly string[], ...clients: readonly string[][]) {
  const played: Promise<Captured>[] = [];
  let said = '';
  const run = await emac([...argv, '--world', 'http', '--port', '0'], {
    onStderr: (text) => {
      said += text;
      const address = /--connect (http:\/\/[\d.:]+)/.exec(said)?.[1];
      if (address && played.length === 0)
        for (const client of clients) played.push(emac(['world', '--connect', address, ...client]));
    },
  });
  return { run, clients: await Promise.all(played) };
}

describe('a world that connects', () => {
  it('gives the same bytes as the own world: version 2, one client', async () => {
    const [own, remote] = [join(folder, 'own'), join(folder, 'version-2')];
    const alone = await emac([...bc, '--out', own]);
    expect(alone.status, alone.stderr).toBe(0);
    const { run, clients } = await withClients([...bc, '--out', remote], []);
    expect(run.status, run.stderr).toBe(0);
    expect(clients[0]!.status, clients[0]!.stderr).toBe(0);
    expect(bytesIn(remote)).toEqual(bytesIn(own));
  });

  it('gives the same bytes as the own world: the published wire', async () => {
    const [own, remote] = [join(folder, 'own-without-probe'), join(folder, 'published')];
    const alone = await emac([...bc, '--probe', 'none', '--out', own]);
    expect(alone.status, alone.stderr).toBe(0);
    const client = ['--published', '--num-games', '3', '--retry-seconds', '0'];
    const { run, clients } = await withClients([...bc, '--out', remote], client);
    expect(run.status, run.stderr).toBe(0);
    expect(clients[0]!.status, clients[0]!.stderr).toBe(0);
    const [here, there] = [bytesIn(own), bytesIn(remote)];
    expect([...there.keys()]).toEqual([...here.keys()]);
    console.error([...here.keys()].filter((k) => here.get(k) !== there.get(k)));
    expect(there.get('0 metrics.jsonl')).toBe(here.get('0 metrics.jsonl'));
  });
});
