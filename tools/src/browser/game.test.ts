/** The page of a game in a real browser, played by clicks and keys. Skipped without Chromium (CHROMIUM_PATH names its program). */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gamePage, listen, type Listening } from '@emac/bridge';
import { keptRecords, openGame, type OpenedGame } from '@emac/experiment';
import { isLong } from '@emac/testing';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { violations } from './accessibility.ts';
import { chromiumPath, openChromium } from './chromium.ts';
import { looks, type Look } from './looks.ts';
import { openWatched, type WatchedPage } from './watched-page.ts';

const token = 'the-token-of-this-test';
const [phone, desktop] = [looks[0]!, looks.at(-1)!];

describe.skipIf(!chromiumPath())('the page of a game', () => {
  const folder = mkdtempSync(join(tmpdir(), 'game-'));
  let browser: Browser;
  let game: OpenedGame;
  let server: Listening;
  const opened: WatchedPage[] = [];

  beforeAll(async () => {
    const asked = { env: 'alfworld', policy: 'emma-tiny', before: 'emma-tiny', maxSteps: 6 };
    game = await openGame({ ...asked, given: keptRecords(folder) });
    server = await listen({ ...gamePage({ place: game.place, title: 'game', token }), port: 0 });
    browser = await openChromium();
  });
  beforeEach(async () => void (await game.place({ kind: 'begin', set: 'heldOut', number: 0 })));
  afterEach(async () => {
    for (const { close } of opened.splice(0)) await close();
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
    await game?.dispose();
    rmSync(folder, { recursive: true });
  });

  async function at(look: Look, query = ''): Promise<WatchedPage> {
    const address = `${server.address}/?token=${token}${query}`;
    const watched = await openWatched(browser, look, { address, home: server.address });
    opened.push(watched);
    await watched.page.locator('.game-list button').first().waitFor();
    return watched;
  }
  const steps = (page: Page, count: number) =>
    page
      .locator('.game-made li')
      .nth(count - 1)
      .waitFor();
  /** keys are about what is shown, so none counts while an order is under way */
  const press = async (page: Page, key: string) => {
    await page.locator('.game[aria-busy=false]').waitFor();
    await page.keyboard.press(key);
  };
  const recorded = (name: string) =>
    JSON.parse(readFileSync(join(folder, name), 'utf8')) as {
      text_output: string;
      text_output_neg?: string;
    }[];

  it.each(isLong ? looks : [phone, desktop])(
    'is whole at $name: axe finds nothing, nothing wider than the screen, nothing from outside',
    async (look) => {
      const { page, complaints, outside } = await at(look);
      await press(page, 'p');
      await steps(page, 1);
      await page.locator('.game-ask > summary').first().click();
      await page.locator('.game-group > summary').click();
      expect(await violations(page)).toEqual([]);
      const [wide, screen] = (await page.evaluate('[document.documentElement.scrollWidth, innerWidth]')) as [
        number,
        number,
      ];
      expect(wide).toBeLessThanOrEqual(screen);
      expect({ complaints, outside }).toEqual({ complaints: [], outside: [] });
      expect(page.url()).not.toContain(token);
    },
  );

  it('is played by the keyboard alone: take over from the policy, go back, choose otherwise; commands become labels', async () => {
    const { page } = await at(desktop, '&from=http%3A%2F%2F127.0.0.1%2Frun%2Fone');
    const standing = page.locator('.game-standing');
    expect(await standing.innerText()).toBe('running, step 0 of 6');
    expect(await page.locator('.game-head').innerText()).toMatch(
      /^You play with the policy emma-tiny beside emma-tiny in ALFWorld\s+Your task is to: /,
    );
    const back = page.getByRole('link', { name: 'back to the board' });
    expect(await back.getAttribute('href')).toBe('http://127.0.0.1/run/one');
    await press(page, 'p');
    await steps(page, 1);
    const commands = await page.locator('.game-list button .name').allInnerTexts();
    await press(page, '2');
    await steps(page, 2);
    await press(page, 'b');
    await page.locator('.game-made li').nth(1).waitFor({ state: 'detached' });
    await press(page, '3');
    await steps(page, 2);
    const [label] = recorded('labels.json');
    expect(commands[2]).toContain(label!.text_output);
    expect(await page.locator('.game-made li').nth(1).innerText()).toContain(label!.text_output);
    for (let step = 3; step <= 6; step++) {
      await press(page, 'p');
      await steps(page, step);
    }
    expect(await standing.innerText()).toBe('not won within 6 steps');
  });

  it('takes a click as command, and two clicks as a pair', async () => {
    const { page } = await at(desktop, '&from=javascript%3Ahurt');
    expect(await page.getByRole('link', { name: 'back to the board' }).count()).toBe(0);
    const command = (place: number) => page.locator('.game-list button').nth(place);
    await page.getByRole('button', { name: 'Compare two commands' }).click();
    await command(1).click();
    await command(0).click();
    await page.getByText('Here you prefer').waitFor();
    const [pair] = recorded('pairs.json');
    const names = await page.locator('.game-list button .name').allInnerTexts();
    expect([names[1], names[0]]).toEqual([
      expect.stringContaining(pair!.text_output),
      expect.stringContaining(pair!.text_output_neg!),
    ]);
  });

  it('compares drawn attempts as a group, and a changed reward moves every advantage', async () => {
    const { page } = await at(desktop);
    await page.locator('.game-group > summary').click();
    await page.getByRole('button', { name: 'Draw 4 attempts' }).click();
    const advantages = page.locator('.game-group output');
    await advantages.nth(3).waitFor();
    // reward 1 for the first alone: less the mean 1/4, over the unbiased deviation 1/2
    for (let attempt = 0; attempt < 4; attempt++)
      await page
        .locator('.game-group input')
        .nth(attempt)
        .fill(attempt === 0 ? '1' : '0');
    expect(await advantages.allInnerTexts()).toEqual(['+1.50', '−0.50', '−0.50', '−0.50']);
  });

  it('answers a prompt that was changed', async () => {
    const { page } = await at(desktop);
    await page.locator('.game-ask > summary').first().click();
    const text = page.getByLabel("the policy's prompt");
    await text.fill(
      (await text.inputValue()).replace(
        /Your task is to: .*/,
        'Your task is to: look at mug under the desklamp.',
      ),
    );
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await page.getByText('The policy would say').waitFor();
    expect(await page.locator('.game-ask .game-list li').count()).toBe(5);
  });
});
