/** What a person does on the site, step by step. */
import { readFileSync } from 'node:fs';
import type { Choice } from '@emac/web';
import { unzipSync } from 'fflate';
import type { BrowserContext, Page } from 'playwright-core';

/** A new tab of `context`, ready to train. */
export async function openSite(context: BrowserContext, address: string): Promise<Page> {
  const page = await context.newPage();
  // no clock of ours decides
  page.setDefaultTimeout(0);
  await page.goto(address);
  await page.getByText('Ready.').waitFor();
  return page;
}

/** Fills in the form and presses *Train*. */
export async function startRun(page: Page, choice: Choice): Promise<void> {
  const { environment, policy, method, amount, seed, evaluated } = choice;
  await page.locator('#environment').selectOption(environment);
  await page.locator('#policy').selectOption(policy);
  await page.locator('#method').selectOption(method);
  for (const [name, value] of Object.entries({ amount, seed, evaluated })) {
    const field = page.locator(`#${name}`);
    // Playwright writes behind a number that stands there, in Firefox
    await field.fill('');
    await field.fill(String(value));
  }
  await page.getByRole('button', { name: 'Train' }).click();
}

/** Waits for its end; returns the seconds that the page says. Errors: what it says of a run that failed. */
export async function finishedRun(page: Page): Promise<number> {
  await page.getByText('Opening …').waitFor({ state: 'hidden' });
  await page.locator('#train:enabled').waitFor();
  const state = (await page.locator('#state').textContent()) ?? '';
  const [, seconds] = /^Finished in ([\d.]+) s/.exec(state) ?? [];
  if (seconds === undefined) throw new Error(`the run did not finish: ${state}`);
  return Number(seconds);
}

/** The exported run: its files by path below its folder. */
export async function exportedRun(page: Page): Promise<Map<string, Uint8Array>> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export the run' }).click(),
  ]);
  const entries = Object.entries(unzipSync(readFileSync(await download.path())));
  return new Map(entries.map(([path, bytes]) => [path.slice(path.indexOf('/') + 1), bytes]));
}
