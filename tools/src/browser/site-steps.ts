/** What a person does on the site, step by step. */
import { readFileSync } from 'node:fs';
import { openKind } from '@emac/opening';
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

/** Unfolds the form. */
export async function openForm(page: Page): Promise<void> {
  const form = page.locator('#choice');
  if ((await form.getAttribute('open')) === null) await form.locator('summary').first().click();
}

/** Fills in the form and presses *Train*. */
export async function startRun(page: Page, choice: Choice): Promise<void> {
  const { environment, policy, method, amount, seed, evaluated, expert, others = {} } = choice;
  await openForm(page);
  await page.locator('#environment').selectOption(environment);
  await page.locator('#policy').selectOption(policy);
  await page.locator('#method').selectOption(method);
  if (expert !== undefined) await page.locator('#expert').selectOption(expert);
  for (const [name, value] of Object.entries({ amount, seed, evaluated })) {
    const field = page.locator(`#${name}`);
    // Playwright writes behind a number that stands there, in Firefox
    await field.fill('');
    await field.fill(String(value));
  }
  const settings = page.locator('#choice details', { hasText: 'Other settings' });
  const earlier = settings.locator('.setting button');
  while ((await earlier.count()) > 0) await earlier.first().click();
  const { provider, ...listed } = others;
  if (provider !== undefined) await page.locator('#computing').selectOption(provider);
  for (const [flag, text] of Object.entries(listed)) {
    if ((await settings.getAttribute('open')) === null) await settings.locator('summary').click();
    const field = settings.locator('.setting', { hasText: flag });
    if ((await field.count()) === 0) await page.locator('#add-setting').selectOption(flag);
    if ((await field.locator('select').count()) > 0) await field.locator('select').selectOption(text);
    else await field.locator('input').fill(text);
  }
  await page.locator('#train').click();
}

/** Waits for its end; returns the seconds that the page says. Errors: what it says of a run that failed. */
export async function finishedRun(page: Page): Promise<number> {
  await page.getByText('Opening …').waitFor({ state: 'hidden' });
  await page.locator('#stop').waitFor({ state: 'detached' });
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

/** A scripted person clicks what an environment's own expert would do, until the training asks no more. */
export async function label(page: Page, { environment }: Choice): Promise<void> {
  const kind = await openKind({ env: environment, maxSteps: null }, null);
  const question = page.locator('[data-question]');
  const over = page.getByText('The training is over.');
  for (;;) {
    await question.or(over).first().waitFor();
    if (await over.isVisible()) return kind.close?.();
    const number = await question.getAttribute('data-question');
    const asked = page.locator(`[data-question="${number}"]`);
    const id = (await asked.getAttribute('data-task'))!;
    const commands = await asked.locator('details strong').allTextContents();
    const turns = commands.map((command) => ({ command, observation: '' }));
    const request = { task: { id, type: null }, history: { initial: '', turns } };
    const said = await kind.player!.label({ ...request, memories: [], admissible: null });
    const command = said.kind === 'action' ? said.command : 'done';
    await asked.locator('.game-list button', { hasText: command }).click();
    await asked.waitFor({ state: 'detached' });
  }
}

/** Percents of held-out episodes won, before training and after it. */
export async function successShown(page: Page): Promise<number[]> {
  const shown = (await page.locator('#run .worked .big').textContent()) ?? '';
  return [...shown.matchAll(/(\d+) %/g)].map(([, share]) => Number(share));
}
