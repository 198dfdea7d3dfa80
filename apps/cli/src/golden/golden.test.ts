/**
 * Small runs of every kind keep their recorded bytes: `metrics.jsonl` and every file of every checkpoint.
 *
 * Bytes depend on the kind of processor and the number of threads, so each recorded pair has its own hashes. On any other, numbers are compared as in
 * `differing-lines.test.fixture.ts`. Runs over a worker and resumed runs must equal one undisturbed process byte for byte on every machine.
 *
 * After a change meant to move a number, record again, on an otherwise finished tree:
 *
 *     cd apps/cli && EMAC_GOLDEN=write npx vitest run --config ../../vitest.config.ts src/golden
 *
 * This also drops other processors' hashes, because they belong to the earlier program. `EMAC_GOLDEN=add` adds this processor's hashes once its numbers agree.
 */
import { join } from 'node:path';
import { onFailpoint } from '@emac/files';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../captured-io.test.fixture.ts';
import { hasRedis, startRedis } from '../redis-server.test.fixture.ts';
import { differingLines } from './differing-lines.test.fixture.ts';
import {
  addHashes,
  hashesOf,
  kindOfProcessor,
  linesIn,
  recordedHashes,
  recordedLines,
  replaceAll,
  runsIn,
  type Hashes,
} from './recorded.test.fixture.ts';
import { collections, goldenRuns, type GoldenRun, type Left } from './runs.test.fixture.ts';

const folder = temporaryFolder();
const asked = process.env['EMAC_GOLDEN'];
const left: Left = { dataset: (name) => join(folder, name), run: (name) => runsIn(join(folder, name))[0]! };
const made = new Map<string, Promise<string>>();

afterEach(() => onFailpoint(null));

/** Runs a command into a folder of this name, once. */
function once(name: string, argv: () => readonly string[]): Promise<string> {
  const out = join(folder, name);
  const run = async (): Promise<string> => {
    const { status, stderr } = await emac([...argv(), '--out', out]);
    expect(status, stderr).toBe(0);
    return out;
  };
  if (!made.has(name)) made.set(name, run());
  return made.get(name)!;
}

const runNamed = (name: string): GoldenRun => goldenRuns.find((each) => each.name === name)!;

/** The folder of a golden run, after the commands it needs. */
async function golden(name: string): Promise<string> {
  for (const [dataset, argv] of Object.entries(collections)) await once(dataset, () => argv);
  if (name === 'train-dpo') await golden('train-bc');
  return once(name, () => runNamed(name).argv(left));
}

const hashes: Record<string, Hashes> = {};
const lines: Record<string, string> = {};
const recorded = recordedHashes();
const isExact = recorded !== null && asked === undefined;
const how = isExact ? 'every byte' : 'numbers of first updates to rounding, as no bytes are recorded here';

describe(`golden runs on ${kindOfProcessor()}: ${how}`, () => {
  it.each(goldenRuns.map(({ name }) => name))('%s has what was recorded', async (name) => {
    const out = await golden(name);
    hashes[name] = hashesOf(out);
    lines[name] = linesIn(out);
    // numbers first: they show more of a change
    if (asked !== 'write') expect(differingLines(recordedLines(name), lines[name])).toEqual([]);
    if (isExact) expect(hashes[name]).toEqual(recorded[name]);
  });

  afterAll(() => {
    // a filtered or failed test run records nothing
    if (Object.keys(lines).length < goldenRuns.length) return;
    if (asked === 'write') replaceAll(hashes, lines);
    if (asked === 'add') addHashes(hashes);
  });
});

describe('a disturbed golden run', () => {
  it.each([
    ['train-bc', 'train'],
    ['ppo-mlp', 'ppo'],
    ['grpo-speaker', 'grpo'],
  ])('%s resumes after a stop to the bytes of the undisturbed one', async (name, command) => {
    const undisturbed = await golden(name);
    const out = join(folder, `${name}-stopped`);
    const interruption = new AbortController();
    onFailpoint((passed) => {
      if (passed === 'updating') interruption.abort();
    });
    const stopped = await emac([...runNamed(name).argv(left), '--out', out], { interruption });
    onFailpoint(null);
    expect(stopped.status, stopped.stderr).toBe(75);
    const { status, stderr } = await emac([command, '--resume', runsIn(out)[0]!]);
    expect(status, stderr).toBe(0);
    expect(hashesOf(out)).toEqual(hashesOf(undisturbed));
  });

  it.runIf(hasRedis)('has the same bytes over a worker (needs redis-server)', async () => {
    const undisturbed = await golden('train-bc');
    const { url } = await startRedis();
    const queue = ['--queue', url, '--shared', join(folder, 'shared')];
    const interruption = new AbortController();
    const working = emac(['worker', ...queue], { interruption });
    const out = join(folder, 'over-worker');
    const { status, stderr } = await emac([...runNamed('train-bc').argv(left), ...queue, '--out', out]);
    expect(status, stderr).toBe(0);
    interruption.abort();
    const worker = await working;
    expect([worker.status, worker.stderr]).toEqual([0, expect.stringContaining('played')]);
    expect(hashesOf(out)).toEqual(hashesOf(undisturbed));
  });
});

describe('differing lines', () => {
  const recordedText = [
    '{"kind":"probe","loss":0.75,"steps":6}',
    '{"kind":"update","accuracy":0.5,"loss":0.5,"margin":0,"game":"a","samples":2}',
    '{"kind":"update","accuracy":0.5,"loss":0.25,"margin":0,"game":"a","samples":2}',
  ].join('\n');

  // half of 10⁻⁴ of 0.5 beside ten times it; rounding of nothing beside a number; signs of rounding; anything in a later line
  it.each([
    ['"loss":0.5,"margin":0,', '"loss":0.500025,"margin":1e-9,', true],
    ['"loss":0.25', '"loss":3', true],
    ['"accuracy":0.5,"loss":0.5,"margin":0', '"accuracy":1,"loss":0.5,"margin":1e-9', true],
    ['"accuracy":0.5,"loss":0.5,"margin":0', '"accuracy":1,"loss":0.5,"margin":0.001', false],
    ['"loss":0.5', '"loss":0.5005', false],
    ['"loss":0.75', '"loss":null', false],
    ['"margin":0', '"margin":0.001', false],
    ['"samples":2', '"samples":3', false],
    ['"steps":6', '"steps":7', false],
    ['"game":"a"', '"game":"b"', false],
    ['"loss":0.25', '"losses":0.25', false],
    ['{"kind":"probe","loss":0.75,"steps":6}\n', '', false],
  ])('%s → %s agree: %s', (before, after, isAgreement) => {
    const changed = recordedText.replace(before, after);
    expect(changed).not.toBe(recordedText);
    expect(differingLines(recordedText, changed).length === 0).toBe(isAgreement);
  });
});
