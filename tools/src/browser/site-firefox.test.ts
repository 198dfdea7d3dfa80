/** The site in Firefox: the same runs as in Node, and a reload in the middle. Skipped without it (FIREFOX_PATH names its program). */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveSite, type ServedSite } from '@emac/web';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtSite } from './built-site.test.support.ts';
import { firefoxPath, openFirefox } from './firefox.ts';
import {
  beginnings,
  choices,
  expectAlike,
  expectSameBytes,
  linesInNode,
  linesOf,
} from './site-runs.test.support.ts';
import { exportedRun, finishedRun, openSite, startRun } from './site-steps.ts';

const found = firefoxPath();
const title = found
  ? `the site in ${found}`
  : 'the site in Firefox: left out, there is none (install it, or set FIREFOX_PATH)';

describe.skipIf(!found)(title, () => {
  const folder = mkdtempSync(join(tmpdir(), 'site-firefox-'));
  let browser: Browser;
  let site: ServedSite;
  beforeAll(async () => {
    // the service worker alone isolates the page
    site = await serveSite((await builtSite()).folder, 0, { isolated: false });
    browser = await openFirefox();
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true });
  });

  it('trains as Node does without its server, with threads, and a reload in the middle changes no byte', async () => {
    const page = await openSite(await browser.newContext(), site.address);
    await page.getByText('needs no network any more').waitFor();
    await page.waitForFunction('crossOriginIsolated');
    await site.close();
    await page.getByText('Ready.').waitFor();
    await page.locator('#computing').selectOption('webgpu');
    // Firefox on Linux has none yet; the choice goes back
    await page.getByText('not the GPU: provider webgpu: this browser has no WebGPU').waitFor();
    expect(await page.locator('#computing').inputValue()).toBe('cpu');
    await startRun(page, choices.imitation);
    await finishedRun(page);
    const imitated = await exportedRun(page);
    await startRun(page, choices.ppo);
    await finishedRun(page);
    const run = await exportedRun(page);

    page.once('dialog', (dialog) => void dialog.accept());
    await page.locator('.run.shown').getByRole('button', { name: 'Delete' }).click();
    await page.locator('.run.shown').waitFor({ state: 'detached' });
    await startRun(page, choices.ppo);
    await page.locator('#charts section').waitFor();
    await page.reload();
    await page.getByText('Ready.').waitFor();
    await startRun(page, choices.ppo);
    await finishedRun(page);
    const again = await exportedRun(page);
    expect(beginnings(again)).toBe(2);
    expectSameBytes(run, again);

    const inNode = join(folder, 'node');
    expectAlike(linesOf(imitated.get('metrics.jsonl')!), await linesInNode(choices.imitation, inNode));
    expectAlike(linesOf(run.get('metrics.jsonl')!), await linesInNode(choices.ppo, inNode));
  });
});
