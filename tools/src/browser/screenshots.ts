/**
 * The pictures of pages in `docs/images`: the board's list of 23 runs and of 2,000, a run on the board and as a report, a game with its
 * policy, and the site after a training:
 *
 *   node tools/dist/browser/screenshots.js FOLDER docs/images
 *
 * Runs that are not in FOLDER yet are made there; the first two take minutes. The run is the first one. Its first lost episode is open
 * (the first one where none was lost). A picture above 150 KB is an error: the repository keeps them for good.
 */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gamePage, listen } from '@emac/bridge';
import { openGame } from '@emac/experiment';
import { serveBoard, report } from '@emac/report';
import { buildSite, serveSite } from '@emac/web';
import { createFolder } from '@emac/files';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { makeRuns } from '../bench-board/make-runs.ts';
import { openChromium } from './chromium.ts';
import { exampleRuns } from './example-runs.ts';
import { looks, type Look } from './looks.ts';
import { finishedRun, openSite, startRun } from './site-steps.ts';
import { openWatched } from './watched-page.ts';

const largest = 150_000;
/** some of all, so that the repository stays small */
const taken = [
  'runs-desktop-light',
  'runs-desktop-dark',
  'runs-phone-light',
  'runs-phone-dark',
  'many-desktop-light',
  'many-desktop-dark',
  'many-phone-light',
  'many-phone-dark',
  'board-desktop-light',
  'board-phone-dark',
  'report-desktop-dark',
  'report-phone-light',
  'game-desktop-light',
  'site-desktop-light',
  'site-phone-dark',
];
const isTaken = (name: string, look: Look) => taken.includes(`${name}-${look.name}`);
const [place, out] = process.argv.slice(2).map((path) => resolve(path));
if (place === undefined || out === undefined)
  throw new Error('screenshots: needs a folder for runs and a folder for the pictures');

const examples = await exampleRuns(place);
const runs = join(place, 'runs');
const run = join(runs, readdirSync(runs).sort()[0]!);
const folder = mkdtempSync(join(tmpdir(), 'screenshots-'));
const file = join(folder, 'report.html');
writeFileSync(file, report([run], { now: new Date() }));
const served = await serveBoard({ folder: runs, port: 0, now: () => new Date() });
const many = join(folder, 'many');
makeRuns(many, { runs: 2000, lines: 20 });
const servedMany = await serveBoard({ folder: many, port: 0, now: () => new Date() });
const browser = await openChromium();
createFolder(out);
const game = await openGame({ env: 'alfworld', policy: run });
await game.place({ kind: 'begin', set: 'heldOut', number: 0 });
const token = 'of-the-pictures';
const playing = await listen({ ...gamePage({ place: game.place, title: 'game', token }), port: 0 });
await buildSite(join(folder, 'site'));
const site = await serveSite(join(folder, 'site'), 0);

const pages: Readonly<Record<string, { address: string; ready: (page: Page) => Promise<void> }>> = {
  runs: { address: served.address, ready: listed },
  many: { address: servedMany.address, ready: listed },
  board: { address: `${served.address}run/${basename(run)}`, ready: (page) => openEpisode(page, false) },
  report: { address: pathToFileURL(file).href, ready: (page) => openEpisode(page, true) },
  game: { address: `${playing.address}/?token=${token}`, ready: playThree },
};
for (const look of looks) {
  for (const [name, { address, ready }] of Object.entries(pages)) {
    if (!isTaken(name, look)) continue;
    const { page, close } = await openWatched(browser, look, { address });
    await ready(page);
    await take(page, `${name}-${look.name}`);
    await close();
  }
  if (isTaken('site', look)) await takeSite(look);
}
await browser.close();
await Promise.all([served.close(), servedMany.close(), playing.close(), site.close(), game.dispose()]);
await examples.end();
rmSync(folder, { recursive: true });

async function take(page: Page, name: string): Promise<void> {
  // a page has few colours: a palette halves the file
  const picture = await sharp(await page.screenshot())
    .png({ palette: true, effort: 10 })
    .toBuffer();
  if (picture.length > largest)
    throw new Error(`${name}: must have at most ${largest} bytes, has ${picture.length}`);
  writeFileSync(join(out!, `${name}.png`), picture);
}

/** All rows have their numbers, and the curves are drawn. */
async function listed(page: Page): Promise<void> {
  await page.locator('canvas').first().waitFor();
  await page.getByText('still being read').waitFor({ state: 'detached', timeout: 60_000 });
}

/** The policy chooses three times. */
async function playThree(page: Page): Promise<void> {
  await page.locator('.game-list button').first().waitFor();
  for (let step = 0; step < 3; step++) {
    await page.locator('.game[aria-busy=false]').waitFor();
    await page.keyboard.press('p');
    await page.locator('.game-made li').nth(step).waitFor();
  }
  await page.locator('.game[aria-busy=false]').waitFor();
}

/** After a training in its tab. */
async function takeSite({ name, width, height, colours }: Look): Promise<void> {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: colours });
  const page = await openSite(context, site.address);
  const environment = 'MiniGrid-Empty-5x5-v0';
  await startRun(page, { environment, policy: 'mlp', method: 'ppo', amount: 16_384, seed: 0, evaluated: 20 });
  await finishedRun(page);
  await page.evaluate('scrollTo(0, 0)');
  await take(page, `site-${name}`);
  await context.close();
}

/** In the report the opened episode is at the top of the picture, on the board the beginning of the page. */
async function openEpisode(page: Page, isTop: boolean): Promise<void> {
  const lost = page.locator('#episodes > [data-outcome=lost]');
  const episode = (await lost.count()) > 0 ? lost.first() : page.locator('#episodes > details').first();
  await episode.locator('summary').click();
  await episode.locator('img[src]').first().waitFor();
  await page.evaluate(
    isTop ? 'document.querySelector("#episodes details[open]").scrollIntoView()' : 'scrollTo(0, 0)',
  );
  await page.evaluate('Promise.all([...document.images].map((image) => image.decode().catch(() => null)))');
}
