/**
 * Measures how fast a run of the published size (12 rounds of 134 games) is displayed:
 *
 *   emac train --phase bc --rounds 1 --games-per-round 134 --eval-games 0 --out small
 *   node tools/dist/large-run/main.js small/RUN OUT [--times 7]
 *
 * Makes OUT/large from that run, opens it on the board in Chromium, writes and opens its report, and prints medians. A
 * page counts as usable once its curves are drawn; an opened episode, once its first picture is.
 */
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { serveBoard, report } from '@emac/report';
import type { Browser } from 'playwright-core';
import { openChromium } from '../browser/chromium.ts';
import { repeatRun } from './repeat-run.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { times: { type: 'string', default: '7' } },
});
const [small, out] = positionals;
if (small === undefined || out === undefined)
  throw new Error('large-run: needs a run of one round and an output folder');
const times = Number(values.times);
const large = join(resolve(out), 'large');
if (!existsSync(large)) repeatRun(small, { to: large, rounds: 12 });

const browser = await openChromium();
const served = await serveBoard({ folder: resolve(out), port: 0, now: () => new Date() });
const file = join(out, 'report.html');
const writing = await median(() => {
  writeFileSync(file, report([large], { now: new Date() }));
});
const address = pathToFileURL(resolve(file)).href;
console.log(`report written         ${seconds(writing)}, ${(statSync(file).size / 1e6).toFixed(1)} MB`);
console.log(`report usable          ${seconds(await median(() => usable(browser, address)))}`);
console.log(
  `board: the run usable  ${seconds(await median(() => usable(browser, `${served.address}run/large`)))}`,
);
console.log(`board: all runs usable ${seconds(await median(() => usable(browser, served.address)))}`);
console.log(`board: episode shown   ${seconds(await episodeShown())}`);
await served.close();
await browser.close();

/** Milliseconds in the middle of so many. */
async function median(act: () => void | Promise<void>): Promise<number> {
  const taken: number[] = [];
  for (let time = 0; time < times; time++) {
    const start = performance.now();
    await act();
    taken.push(performance.now() - start);
  }
  return middle(taken);
}

async function usable(browser: Browser, address: string): Promise<void> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(address, { waitUntil: 'load', timeout: 120_000 });
  await page.locator('canvas').first().waitFor({ timeout: 120_000 });
  await context.close();
}

async function episodeShown(): Promise<number> {
  const page = await browser.newPage();
  await page.goto(`${served.address}run/large`, { timeout: 120_000 });
  const taken: number[] = [];
  for (let time = 0; time < times; time++) {
    const episode = page.locator('#episodes > details').nth(10 * time);
    await episode.scrollIntoViewIfNeeded();
    const start = performance.now();
    await episode.locator('summary').click();
    await episode.locator('img[src]').first().waitFor();
    taken.push(performance.now() - start);
  }
  await page.close();
  return middle(taken);
}

function middle(taken: number[]): number {
  return taken.sort((a, b) => a - b)[Math.floor(taken.length / 2)]!;
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(2)} s`;
}
