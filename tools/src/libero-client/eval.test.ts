/**
 * `emac eval` of a model that generates seven tokens, in starts played by the Python client: LIBERO's stand-in, the
 * wire and the policy together.
 */
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rlTiny } from '@emac/tiny-models';
import { datasetStatistics, writeStatistics } from '@emac/vla';
import { isLong } from '@emac/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pythonHas, startEmac, startPython, type Running } from '../alfworld-client/python.ts';

const client = fileURLToPath(new URL('../../libero-client', import.meta.url));
const isBuilt = existsSync(join(client, '../../apps/cli/dist/main.js'));
const patience = 900_000;
const patiently = ['--step-seconds', '900'];

describe.skipIf(!isBuilt || !pythonHas())('an evaluation in LIBERO (needs the build and Python 3.9)', () => {
  let folder: string;
  let model: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'emac-libero-'));
    model = join(folder, 'model');
    cpSync(rlTiny, model, { recursive: true });
    const rows = Array.from({ length: 21 }, (_, row) => [...Array<number>(6).fill(row / 10 - 1), row % 2]);
    const statistics = { libero_spatial_no_noops: datasetStatistics([{ actions: rows }]) };
    writeFileSync(join(model, 'dataset_statistics.json'), writeStatistics(statistics));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  async function evaluated(
    argv: readonly string[],
    flags: readonly string[],
    {
      out = 'none',
      env = {},
    }: { readonly out?: string; readonly env?: Readonly<Record<string, string>> } = {},
  ) {
    let playing: Running | null = null;
    const run = startEmac(
      [
        ...['eval', '--ckpt', 'untouched', '--policy', model, '--world', 'http', '--port', '0'],
        ...[...patiently, '--json', '--out', out, ...argv],
      ],
      {
        env,
        onStderr: (written) => {
          const address = /--connect (http:\/\/[\d.:]+)/.exec(written)?.[1];
          if (address && !playing)
            playing = startPython(
              [join(client, 'play.py'), '--connect', address, '--size', '32', ...patiently, ...flags],
              { env: { PYTHONPATH: join(client, 'simulated') } },
            );
        },
      },
    );
    const ended = await run.ended;
    // its client is gone
    if (ended.status === null) (playing as Running | null)?.kill('SIGKILL');
    return { ...ended, client: await (playing as Running | null)?.ended };
  }

  it(
    "plays the client's starts to their limit, and excludes lost episodes",
    async () => {
      const flags = ['--task', '0', '--task', '9', '--states', '2', '--max-steps', '3'];
      const { status, stdout, stderr, client } = await evaluated(['--env', 'libero_spatial'], flags);
      expect([status, client?.status], stderr).toEqual([0, 0]);
      const result = JSON.parse(stdout) as {
        readonly games: readonly { readonly id: string; readonly type: string; readonly steps: number }[];
        readonly lost?: readonly { readonly id: string }[];
      };
      expect(result.games).toMatchObject([
        { id: 'libero_spatial/0/0', type: 'libero_spatial/0', steps: 3 },
        { id: 'libero_spatial/0/1', type: 'libero_spatial/0', steps: 3 },
      ]);
      // the stand-in's task 9 fails at its 13th step, after ten steps at rest
      expect(result.lost?.map(({ id }) => id)).toEqual(['libero_spatial/9/0', 'libero_spatial/9/1']);
      expect(stderr).toContain('libero_spatial/9/0: lost: ');
    },
    patience,
  );

  it.runIf(isLong)(
    'records every episode, and resumes after a kill to the same result',
    async () => {
      const flags = ['--task', '0', '--task', '1', '--states', '2', '--max-steps', '3'];
      const played = (out: string, env = {}) =>
        evaluated(['--env', 'libero_spatial'], flags, { out: join(folder, out), env });
      const resultIn = (out: string) => readFileSync(join(folder, out, 'eval.json'), 'utf8');
      expect(await played('whole')).toMatchObject({ status: 0 });
      // the journal's head, and two episodes
      expect(await played('killed', { EMAC_FAILPOINT: 'appended:3' })).toMatchObject({ status: null });
      expect(existsSync(join(folder, 'killed'))).toBe(false);
      cpSync(join(folder, 'killed.part'), join(folder, 'told.part'), { recursive: true });
      expect(await played('killed')).toMatchObject({ status: 0 });
      expect(resultIn('killed')).toBe(resultIn('whole'));
      expect(readdirSync(join(folder, 'killed')).sort()).toEqual(['command.txt', 'eval.json', 'report.html']);
      // recorded episodes are trusted, not replayed
      const journal = join(folder, 'told.part', 'eval.json.part.jsonl');
      writeFileSync(journal, readFileSync(journal, 'utf8').replace('"won":false', '"won":true'));
      expect(await played('told')).toMatchObject({ status: 0 });
      const wins = (out: string) => (JSON.parse(resultIn(out)) as { games: { won: boolean }[] }).games;
      expect(wins('told').filter(({ won }) => won)).toHaveLength(1);
      expect(wins('whole').filter(({ won }) => won)).toHaveLength(0);
    },
    patience,
  );

  it(
    'reports that the simulator loses every episode',
    async () => {
      const { status, stdout, stderr } = await evaluated(
        ['--env', 'libero_spatial/9'],
        ['--task', '9', '--states', '2'],
      );
      expect([status, stdout, stderr]).toEqual([
        69,
        '',
        expect.stringContaining('episodes failed in the client'),
      ]);
      expect(stderr).not.toMatch(/^ {4}at /m);
    },
    patience,
  );
});
