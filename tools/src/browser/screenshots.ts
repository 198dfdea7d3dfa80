/**
 * The pictures of board and report in `docs/images`, of one run, each at phone and desktop width, one light and one dark:
 *
 *   node tools/dist/browser/screenshots.js runs/RUN docs/images
 *
 * The first lost episode is open (the first one where none was lost). A picture above 200 KB is an error: the repository keeps them for good.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { serveBoard, report } from '@emac/report';
import { createFolder } from '@emac/files';
import type { Page } from 'playwright-core';
import { openChromium } from './chromium.ts';
import { looks, type Look } from './looks.ts';
import { openWatched } from './watched-page.ts';

const largest = 200_000;
/** four of the eight, so that the repository stays small */
const taken = ['board-desktop-light', 'board-phone-dark', 'report-desktop-dark', 'report-phone-light'];
const isTaken = (name: string, look: Look) => taken.includes(`${name}-${look.name}`);
const [run, out] = process.argv.slice(2).map((path) => resolve(path));
if (run === undefined || out === undefined)
  throw new Error('screenshots: needs a run folder and a folder for the pictures');

const folder = mkdtempSync(join(tmpdir(), 'screenshots-'));
const file = join(folder, 'report.html');
writeFileSync(file, report([run], { now: new Date() }));
const served = await serveBoard({ folder: dirname(run), port: 0, now: () => new Date() });
const browser = await openChromium();
createFolder(out);
for (const look of looks)
  for (const [name, address] of [
    ['board', `${served.address}run/${basename(run)}`],
    ['report', pathToFileURL(file).href],
  ] as const) {
    if (!isTaken(name, look)) continue;
    const { page, close } = await openWatched(browser, look, { address });
    await openEpisode(page, name === 'report');
    const picture = await page.screenshot();
    if (picture.length > largest)
      throw new Error(`${name}-${look.name}: must have at most ${largest} bytes, has ${picture.length}`);
    writeFileSync(join(out, `${name}-${look.name}.png`), picture);
    await close();
  }
await browser.close();
await served.close();
rmSync(folder, { recursive: true });

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
