/**
 * Makes many synthetic runs and measures the board's list of them: the first pass ever, a later process, a later
 * request, a request after a run has grown, and a page until its list is there, where a Chromium is.
 *
 *   node tools/dist/bench-board/main.js FOLDER [--runs 2000] [--lines 10000]
 */
import { appendFileSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { RunRows } from '@emac/pages';
import { serveBoard } from '@emac/report';
import { chromiumPath, openChromium } from '../browser/chromium.ts';
import { makeRuns, metricsLine } from './make-runs.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '2000' },
    lines: { type: 'string', default: '10000' },
  },
});
const folder = positionals[0];
if (folder === undefined) throw new Error('give a folder for the runs');
const extent = { runs: Number(values.runs), lines: Number(values.lines) };
const cache = `${folder}.index.json`;
rmSync(cache, { force: true });
if (!existsSync(folder)) makeRuns(folder, extent);

const say = (what: string, milliseconds: number) =>
  process.stdout.write(`${what.padEnd(44)} ${(milliseconds / 1000).toFixed(2)} s\n`);

async function seconds<T>(work: () => Promise<T>): Promise<[T, number]> {
  const began = performance.now();
  return [await work(), performance.now() - began];
}

async function list(address: string): Promise<RunRows> {
  return (await (await fetch(`${address}api/runs`)).json()) as RunRows;
}

const open = () => serveBoard({ folder, port: 0, now: () => new Date(), cache });
const first = await open();
const [, answered] = await seconds(() => list(first.address));
say('first pass: the first answer', answered);
const [all, whole] = await seconds(async () => {
  for (;;) {
    const rows = await list(first.address);
    if (rows.unread === 0) return rows;
  }
});
say(`first pass: all ${all.runs.length} rows`, answered + whole);
const [, looked] = await seconds(() => list(first.address));
say('a later request', looked);
const grown = all.runs[0]!.name;
appendFileSync(join(folder, grown, 'metrics.jsonl'), metricsLine(extent.lines, extent.lines + 1));
// looks at the files are made at most in a tenth of the time
await new Promise((done) => setTimeout(done, 3000 + 10 * looked));
const [after, again] = await seconds(() => list(first.address));
say('a request after a run has grown', again);
if (after.runs.find(({ name }) => name === grown)?.updates !== extent.lines + 1) throw new Error('not seen');
await first.close();
const second = await open();
const [, later] = await seconds(() => list(second.address));
say('a later process: all rows', later);
if (chromiumPath() !== null) {
  const browser = await openChromium();
  const page = await browser.newPage();
  const [, shown] = await seconds(async () => {
    await page.goto(second.address);
    await page.locator('tbody tr').first().waitFor();
  });
  say('a page in a new browser: the list', shown);
  const [, found] = await seconds(async () => {
    await page.getByRole('searchbox').fill(after.runs.at(-1)!.name);
    await page.locator('tbody tr').nth(1).waitFor({ state: 'detached' });
  });
  say('the oldest run found by its name', found);
  await browser.close();
}
await second.close();
