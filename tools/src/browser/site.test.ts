/**
 * The site that trains in a tab, in a real browser: the same run as in Node, a reload in the middle, and an exported run that Node goes
 * on with. Skipped without Chromium (CHROMIUM_PATH names its program).
 */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { evaluatePolicy, learn, resume } from '@emac/experiment';
import { canonicalJson, createFolder } from '@emac/files';
import { plainHost } from '@emac/opening';
import { runsIn, type ListedRun } from '@emac/runs';
import { askedBy, type SiteFile } from '@emac/web';
import { zipSync } from 'fflate';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { violations } from './accessibility.ts';
import { builtSite } from './built-site.test.support.ts';
import { chromiumPath, openChromium } from './chromium.ts';
import {
  beginnings,
  catalogue,
  choices,
  expectAlike,
  expectSameBytes,
  linesInNode,
  linesOf,
} from './site-runs.test.support.ts';
import { describeSite, inChromium } from './site-session.test.support.ts';
import { exportedRun, finishedRun, label, openSite, startRun, successShown } from './site-steps.ts';

const { ppo, pixels, imitation, recorded, own, taught } = choices;

const where = { what: 'the site', found: chromiumPath(), remedy: inChromium, open: openChromium };

/** As a browser treats a tab that nobody sees: no frames are painted, and its timers come late. */
const behindWindows = `(() => {
  const later = window.setTimeout;
  window.setTimeout = (action, delay = 0, ...rest) => later(action, Math.max(1000, delay), ...rest);
  window.requestAnimationFrame = () => 0;
  Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' });
  Object.defineProperty(document, 'hidden', { get: () => true });
  document.dispatchEvent(new Event('visibilitychange'));
})()`;

/** Right ends of what there is to press or to fill in, and of the page. */
const rightEnds =
  "[document.documentElement.scrollWidth, ...[...document.querySelectorAll('button, input, select, summary')].map((each) => Math.ceil(each.getBoundingClientRect().right))]";

describeSite(where, (session) => {
  const { folder } = session;
  const inNode = join(folder, 'node');

  it('has at most 300 KB before it paints, and 30 MB in all but what computes on a GPU', async () => {
    const { files } = await builtSite();
    const sizeOf = (some: readonly SiteFile[]) => some.reduce((sum, { bytes }) => sum + bytes, 0);
    const first = files.filter(({ path }) => /^(index\.html|page\.js|.*\.css)$/.test(path));
    expect(sizeOf(first)).toBeLessThan(300_000);
    expect(sizeOf(files.filter(({ isLater }) => !isLater))).toBeLessThan(30_000_000);
  });

  it('trains as Node does behind other windows on a phone, and a reload in the middle changes no byte', async () => {
    const size = { width: 390, height: 844 };
    const phone = { viewport: size, colorScheme: 'dark', hasTouch: true, isMobile: true } as const;
    const whole = await session.newVisitor(phone);
    const page = await openSite(whole, session.site.address);
    const heads = page.getByRole('heading', { name: 'EMAC' }).or(page.locator('#train'));
    for (const each of await heads.all()) expect(await each.isVisible()).toBe(true);
    await startRun(page, ppo);
    await page.evaluate(behindWindows);
    await finishedRun(page);
    const run = await exportedRun(page);
    expectAlike(linesOf(run.get('metrics.jsonl')!), await linesInNode(ppo, inNode));
    // the result is first, and nothing is wider than the phone
    expect((await page.locator('#run .worked').boundingBox())!.y).toBeLessThan(size.height / 2);
    expect(Math.max(...((await page.evaluate(rightEnds)) as number[]))).toBeLessThanOrEqual(size.width);
    expect(await violations(page)).toEqual([]);
    await whole.close();

    const disturbed = await session.newVisitor();
    const other = await openSite(disturbed, session.site.address);
    await startRun(other, ppo);
    await other.locator('#charts section').waitFor();
    await other.reload();
    await other.getByText('Ready.').waitFor();
    await startRun(other, ppo);
    await finishedRun(other);
    const again = await exportedRun(other);
    await disturbed.close();
    expect(beginnings(again)).toBe(2);
    expectSameBytes(run, again);
  });

  it('stops on request, and Node finishes the exported run; one begun in Node is finished, played and removed', async () => {
    const context = await session.newVisitor();
    const page = await openSite(context, session.site.address);
    await startRun(page, ppo);
    await page.locator('#charts section').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Stopped.').waitFor();
    const run = await exportedRun(page);
    await deleteOnly(page);
    const place = join(folder, 'stopped', 'run');
    write(run, place);
    const before = linesOf(run.get('metrics.jsonl')!);
    await resume(place, { ...plainHost(), allowDrift: true });
    await expectContinued(before, linesOf(readFileSync(join(place, 'metrics.jsonl'))));

    const begun = await begunInNode(join(folder, 'begun'));
    await page.getByLabel('Import a folder').setInputFiles(begun);
    await page.getByRole('button', { name: 'Continue' }).waitFor();
    await deleteOnly(page);
    const buffer = Buffer.from(zipSync(filesIn(begun, basename(begun))));
    const archive = { name: 'from-node.zip', mimeType: 'application/zip', buffer };
    await page.getByLabel('Import an archive').setInputFiles(archive);
    await page.getByRole('button', { name: 'Continue' }).waitFor();
    await page.getByLabel('Import an archive').setInputFiles(archive);
    await page.getByRole('alert').getByText('a run of this name is here already').waitFor();
    await page.getByRole('button', { name: 'Continue' }).click();
    await finishedRun(page);
    await page.getByRole('button', { name: 'Play', exact: true }).click();
    await page.getByRole('button', { name: 'Policy: one step' }).click();
    await page.getByText('step 1 of').waitFor();
    const after = linesOf((await exportedRun(page)).get('metrics.jsonl')!);
    await expectContinued(linesOf(readFileSync(join(begun, 'metrics.jsonl'))), after);
    await deleteOnly(page);

    const second = await context.newPage();
    await second.goto(session.site.address);
    await second.getByText('another tab of this site trains').waitFor();
    expect(await second.locator('#train').isDisabled()).toBe(true);
    await context.close();
  });

  /** The lines of a run that was stopped and finished elsewhere. */
  async function expectContinued(before: readonly object[], after: readonly object[]): Promise<void> {
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after.length).toBeGreaterThan(before.length);
    expectAlike(after, await linesInNode(ppo, inNode));
  }

  it('language models, pictures and recorded steps: each is learned as in Node', async () => {
    const context = await session.newVisitor();
    const page = await openSite(context, session.site.address);
    for (const choice of [imitation, pixels, recorded]) {
      await startRun(page, choice);
      await finishedRun(page);
      const run = await exportedRun(page);
      // one held-out episode, step by step
      const film = page.locator('#film');
      await film.getByText('held-out, after training').waitFor();
      expect(await film.locator('img').count()).toBe(1);
      expect(await violations(page)).toEqual([]);

      expectAlike(linesOf(run.get('metrics.jsonl')!), await linesInNode(choice, inNode));
      // opened by emac eval, it plays the same episodes with the same outcomes
      const place = join(folder, 'exported', choice.policy);
      write(run, place);
      const { result } = await evaluatePolicy({ ckpt: place, numGames: choice.evaluated, seed: choice.seed });
      const inTab = JSON.parse(readFileSync(join(place, 'eval.json'), 'utf8')) as object;
      const gamesOf = (evaluation: object) => (evaluation as { readonly games: unknown }).games;
      expectAlike(gamesOf(JSON.parse(canonicalJson(result)) as object), gamesOf(inTab));
    }
    await context.close();
  });

  it('asks a person: held-out success rises, and corrections are pairs that dpo learns from', async () => {
    const context = await session.newVisitor();
    const page = await openSite(context, session.site.address);
    await startRun(page, taught);
    await label(page, taught);
    await finishedRun(page);
    const [before, after] = await successShown(page);
    expect([before, after! > before! + 50]).toEqual([0, true]);
    expect(await violations(page)).toEqual([]);
    const first = await exportedRun(page);
    const given = linesOf(first.get('labels.jsonl')!);
    expect(given.length).toBeGreaterThan(5);

    // one game of two steps teaches little
    await startRun(page, { ...taught, expert: 'own', amount: 1, others: { 'max-steps': '2' } });
    await finishedRun(page);
    const weak = await page.locator('#policy optgroup option').first().getAttribute('value');
    // a few clicks; more games and pairs are the default
    const others = { 'max-steps': '5', 'train-after': 'every-episode', agreed: 'drop' };
    await startRun(page, { ...taught, policy: weak!, method: 'dpo', amount: 4, others });
    await label(page, taught);
    await finishedRun(page);
    const [from, to] = await successShown(page);
    expect(to).toBeGreaterThan(from!);
    await context.close();
  });

  it('learns an environment of one’s own as in Node, then commands and pairs that were given in a game', async () => {
    const context = await session.newVisitor();
    const page = await openSite(context, session.site.address);
    await startRun(page, own);
    await finishedRun(page);
    const first = await exportedRun(page);
    expectAlike(linesOf(first.get('metrics.jsonl')!), await linesInNode(own, inNode));
    await page.locator('#film').getByText('held-out, after training').waitFor();
    expect(await violations(page)).toEqual([]);
    for (const [what, places] of [
      ['1 label (bc)', [3]],
      ['1 pair (dpo)', [3, 0]],
    ] as const) {
      // newest first: the run that was played is last
      await page.locator('.run').last().getByRole('button', { name: 'Play' }).click();
      await page.locator('.game[aria-busy=false]').waitFor();
      if (places.length > 1) await page.getByRole('button', { name: 'Compare two commands' }).click();
      for (const place of places) await page.locator('.game-list button').nth(place).click();
      await page.getByRole('button', { name: `Train on ${what}` }).click();
      await finishedRun(page);
      expect(await successShown(page)).toHaveLength(2);
      const lines = linesOf((await exportedRun(page)).get('metrics.jsonl')!);
      expect(lines.some(({ kind }) => kind === 'update')).toBe(true);
    }
    await context.close();
  });
});

/** Deletes the only run of the page. */
async function deleteOnly(page: Page): Promise<void> {
  page.once('dialog', (dialog) => void dialog.accept());
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('None yet.').waitFor();
}

/** A run that was stopped in Node; returns its folder. */
async function begunInNode(folder: string): Promise<string> {
  const stopping = new AbortController();
  const listener = { reinforced: () => stopping.abort() };
  const host = plainHost({ signal: stopping.signal, listener });
  await expect(learn({ ...askedBy(ppo, catalogue), folder }, host)).rejects.toThrow('stopped');
  const [{ folder: run }] = runsIn(folder) as [ListedRun];
  return run;
}

/** Writes an exported run into a folder. */
function write(run: ReadonlyMap<string, Uint8Array>, place: string): void {
  for (const [path, bytes] of run) {
    createFolder(dirname(join(place, path)));
    writeFileSync(join(place, path), bytes);
  }
}

/** All files below a folder, by paths that begin with `name`. */
function filesIn(folder: string, name: string): Record<string, Uint8Array> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return Object.fromEntries(
    entries.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [`${name}/${relative(folder, path)}`, readFileSync(path)];
    }),
  );
}
