/** A run started, stopped and resumed from the board's page, in a real browser with real processes. Skipped without Chromium. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { root } from '../workspace/root.ts';
import { violations } from './accessibility.ts';
import { chromiumPath, openChromium } from './chromium.ts';
import { looks } from './looks.ts';
import { openWatched } from './watched-page.ts';

const isThere = chromiumPath() !== null;
let browser: Browser;
beforeAll(async () => {
  if (isThere) browser = await openChromium();
});
afterAll(() => browser?.close());

/** `emac board --allow-changes` on a free port; returns the printed address. */
async function opened(folder: string): Promise<string> {
  const program = join(root, 'apps/cli/bin/emac.mjs');
  const words = ['board', folder, '--port', '0', '--allow-changes'];
  const board = spawn(process.execPath, [program, ...words], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, XDG_CACHE_HOME: join(folder, '.cache') },
  });
  onTestFinished(async () => {
    board.kill('SIGINT');
    await once(board, 'exit');
  });
  const [printed] = (await once(board.stdout.setEncoding('utf8'), 'data')) as [string];
  return printed.replace('board: ', '').trim();
}

const command = (page: Page, state: string) => page.locator(`.commands > li.${state}`).first();

it.runIf(isThere)('a run is started, stopped and resumed from the page', { timeout: 90_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'start-'));
  onTestFinished(() => rmSync(folder, { recursive: true, maxRetries: 5 }));
  const address = await opened(folder);
  const { origin, hash } = new URL(address);
  const { page, complaints, outside } = await openWatched(browser, looks[0]!, {
    address: `${origin}/start${hash}`,
    home: `${origin}/`,
  });
  await page.getByLabel('Method').selectOption('ppo');
  await page.getByLabel('Environment').selectOption('MiniGrid-Empty-5x5-v0');
  await page.locator('[name=policy]').fill('mlp');
  await page.getByLabel('updates', { exact: true }).fill('-1');
  await expect
    .poll(() => page.locator('.setting .lost').innerText())
    .toMatch(/must be a whole number from 1/);
  expect(await page.getByRole('button', { name: 'Start' }).isDisabled()).toBe(true);
  await page.getByLabel('updates', { exact: true }).fill('20000');
  await page.getByLabel('eval-episodes', { exact: true }).fill('0');
  await page.getByLabel('find a setting').fill('num-processes');
  await page.getByLabel('num-processes', { exact: true }).fill('2');
  await expect
    .poll(() => page.locator('.asked-command pre').innerText())
    .toMatch(/^npx emac train --method ppo --env MiniGrid-Empty-5x5-v0 --policy mlp --updates 20000 /);
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Start' }).click();
  const name = await command(page, 'running').getByRole('link').innerText();
  const metrics = () => readFileSync(join(folder, name, 'metrics.jsonl'), 'utf8').split('\n').length;
  await expect.poll(metrics, { timeout: 30_000 }).toBeGreaterThan(1);
  await command(page, 'running').getByRole('button', { name: 'Stop' }).click();
  await command(page, 'stopped').waitFor();
  // a reload keeps the form and the right to change
  const { search } = new URL(page.url());
  expect(new URLSearchParams(search).getAll('set')).toContain('updates=20000');
  await command(page, 'stopped').getByRole('link').click();
  const made = metrics();
  await page.getByRole('button', { name: 'Resume' }).click();
  await expect.poll(metrics, { timeout: 30_000 }).toBeGreaterThan(made);
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByRole('button', { name: 'Resume' }).waitFor();
  expect(await page.getByRole('link', { name: 'Continue from here' }).getAttribute('href')).toContain(
    `from=${encodeURIComponent(name)}`,
  );
  await page.getByRole('link', { name: 'Run again with these settings' }).click();
  await page.locator('select[name=from]').selectOption(name);
  await expect
    .poll(() => page.locator('.asked-command pre').innerText())
    .toMatch(new RegExp(`--env MiniGrid-Empty-5x5-v0 --policy mlp --init \\S*${name} .*--updates 20000 `));
  expect(complaints).toEqual([]);
  expect(outside).toEqual([]);
});
