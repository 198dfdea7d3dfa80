/** The site in Firefox: the same runs as in Node, and a reload in the middle. Skipped without it (FIREFOX_PATH names its program). */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { firefoxPath, openFirefox } from './firefox.ts';
import {
  beginnings,
  choices,
  expectAlike,
  expectSameBytes,
  linesInNode,
  linesOf,
} from './site-runs.test.support.ts';
import { describeSite, inFirefox } from './site-session.test.support.ts';
import { exportedRun, finishedRun, openForm, openSite, startRun } from './site-steps.ts';

const where = {
  what: 'the site',
  found: firefoxPath(),
  remedy: inFirefox,
  open: openFirefox,
  // the service worker alone isolates the page
  isIsolated: false,
};

describeSite(where, (session) => {
  it('trains as Node does without its server, with threads, and a reload in the middle changes no byte', async () => {
    const { browser, site, folder } = session;
    const page = await openSite(await browser.newContext(), site.address);
    await page.getByText('needs no network any more').waitFor();
    await page.waitForFunction('crossOriginIsolated');
    await site.close();
    await page.getByText('Ready.').waitFor();
    await openForm(page);
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
