/**
 * The site that trains in a tab, in a real browser: the same run as in Node, a reload in the middle, and an exported run that Node goes
 * on with. Skipped without Chromium (CHROMIUM_PATH names its program).
 */
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { learn, resume } from '@emac/experiment';
import { createFolder } from '@emac/files';
import { loadEnvironmentModule, plainHost } from '@emac/opening';
import { runsIn, type ListedRun } from '@emac/runs';
import {
  askedBy,
  buildSite,
  serveSite,
  siteCatalogue,
  type Choice,
  type ServedSite,
  type SiteFile,
} from '@emac/web';
import { unzipSync, zipSync } from 'fflate';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violations } from './accessibility.ts';
import { chromiumPath, openChromium } from './chromium.ts';
import { finishedRun, openSite, startRun } from './site-steps.ts';

const found = chromiumPath();
const title = found
  ? `the site in ${found}`
  : 'the site in a browser: left out, there is no Chromium (install it, or set CHROMIUM_PATH)';

const catalogue = siteCatalogue();
/** what the page has in its editor */
const example = fileURLToPath(new URL('../../../docs/examples/my-environment.mjs', import.meta.url));
const ppo: Choice = {
  environment: 'MiniGrid-Empty-5x5-v0',
  policy: 'mlp',
  method: 'ppo',
  amount: 6144,
  seed: 0,
  evaluated: 4,
};
const pixels: Choice = { ...ppo, policy: 'cnn', amount: 1024, evaluated: 2 };
const imitation: Choice = {
  environment: 'alfworld',
  policy: 'emma-tiny',
  method: 'bc',
  amount: 1,
  seed: 0,
  evaluated: 1,
};

type Line = Readonly<Record<string, unknown>>;

describe.skipIf(!found)(title, () => {
  const folder = mkdtempSync(join(tmpdir(), 'site-'));
  let browser: Browser;
  let site: ServedSite;
  let files: SiteFile[];
  beforeAll(async () => {
    files = await buildSite(join(folder, 'site'));
    site = await serveSite(join(folder, 'site'), 0);
    browser = await openChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await site?.close();
    rmSync(folder, { recursive: true });
  });

  /** A visitor of their own; the service worker's copy of the site is for its own test. */
  const newContext = () => browser.newContext({ serviceWorkers: 'block' });
  /** The exported run, by path below its folder. */
  const exported = async (page: Page): Promise<Map<string, Uint8Array>> => {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export the run' }).click(),
    ]);
    const entries = Object.entries(unzipSync(readFileSync(await download.path())));
    return new Map(entries.map(([path, bytes]) => [path.slice(path.indexOf('/') + 1), bytes]));
  };
  /** The metrics of the same run in Node. */
  const linesInNode = async (choice: Choice): Promise<Line[]> => {
    const own = join(folder, 'node', basename(choice.environment), choice.policy, String(choice.amount));
    const isOwn = choice.environment === './my-environment.mjs';
    const host = { ...plainHost(), ...(isOwn && { environment: await loadEnvironmentModule(example) }) };
    // the same call returns a finished run
    const run = await learn({ ...askedBy(choice, catalogue), folder: own }, host);
    return linesOf(readFileSync(join(run.folder, 'metrics.jsonl')));
  };
  it('has at most 300 KB before it paints, and 30 MB in all', () => {
    const sizeOf = (names: RegExp) =>
      files.filter(({ path }) => names.test(path)).reduce((sum, { bytes }) => sum + bytes, 0);
    expect(sizeOf(/^(index\.html|page\.js|.*\.css)$/)).toBeLessThan(300_000);
    expect(sizeOf(/^/)).toBeLessThan(30_000_000);
  });

  it('trains a small network as Node does, and a reload in the middle changes no byte', async () => {
    const whole = await newContext();
    const page = await openSite(whole, site.address);
    await startRun(page, ppo);
    await finishedRun(page);
    const run = await exported(page);
    await whole.close();

    expectAlike(linesOf(run.get('metrics.jsonl')!), await linesInNode(ppo));

    const disturbed = await newContext();
    const other = await openSite(disturbed, site.address);
    await startRun(other, ppo);
    await other.locator('#charts figure').first().waitFor();
    await other.reload();
    await other.getByText('Ready.').waitFor();
    await startRun(other, ppo);
    await finishedRun(other);
    const again = await exported(other);
    await disturbed.close();
    // begun, and gone on with
    expect(linesOf(again.get('events.jsonl')!).filter(({ kind }) => kind === 'running')).toHaveLength(2);
    for (const [path, bytes] of run)
      if (!changesWithTime.test(path)) expect(again.get(path), path).toEqual(bytes);
  });

  it('says that another tab has the disk', async () => {
    const context = await newContext();
    await openSite(context, site.address);
    const second = await context.newPage();
    await second.goto(site.address);
    await second.getByText('another tab of this site trains').waitFor();
    expect(await second.locator('#train').isDisabled()).toBe(true);
    await context.close();
  });

  it('stops on request, and Node finishes the exported run', async () => {
    const context = await newContext();
    const page = await openSite(context, site.address);
    await startRun(page, ppo);
    await page.locator('#charts figure').first().waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Stopped.').waitFor();
    const run = await exported(page);
    await context.close();
    const place = join(folder, 'stopped', 'run');
    for (const [path, bytes] of run) {
      createFolder(dirname(join(place, path)));
      writeFileSync(join(place, path), bytes);
    }
    const before = linesOf(run.get('metrics.jsonl')!);
    await resume(place, { ...plainHost(), allowDrift: true });
    const after = linesOf(readFileSync(join(place, 'metrics.jsonl')));
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after.length).toBeGreaterThan(before.length);
    expectAlike(after, await linesInNode(ppo));
  });

  it.each([
    ['the vision-language model imitates', imitation],
    ['a small network learns from pictures', pixels],
    ['an environment of one’s own is learned', { ...imitation, environment: './my-environment.mjs' }],
  ])('%s as in Node', async (_, choice) => {
    const context = await newContext();
    const page = await openSite(context, site.address);
    await startRun(page, choice);
    await finishedRun(page);
    const run = await exported(page);
    const episodes = [...run.keys()].filter((path) => path.startsWith('episodes/'));
    // the newest one, step by step
    expect(await page.locator('#film').count()).toBe(episodes.length > 0 ? 1 : 0);
    expect(await violations(page)).toEqual([]);
    await context.close();

    expectAlike(linesOf(run.get('metrics.jsonl')!), await linesInNode(choice));
  });

  it('trains without its server at the second visit, with threads although the host says no headers', async () => {
    const host = await serveSite(join(folder, 'site'), 0, { isolated: false });
    const context = await browser.newContext();
    const first = await openSite(context, host.address);
    await first.getByText('needs no network any more').waitFor();
    await first.waitForFunction('crossOriginIsolated');
    await first.close();
    await host.close();
    const page = await openSite(context, host.address);
    await startRun(page, { ...ppo, amount: 512, evaluated: 0 });
    await finishedRun(page);
    expect(await page.evaluate('crossOriginIsolated')).toBe(true);
    await context.close();
  });

  it('finishes a run that was begun in Node, plays with its policy, and removes it', async () => {
    const stopping = new AbortController();
    const begun = join(folder, 'begun');
    const listener = { reinforced: () => stopping.abort() };
    const host = plainHost({ signal: stopping.signal, listener });
    await expect(learn({ ...askedBy(ppo, catalogue), folder: begun }, host)).rejects.toThrow('stopped');
    const [{ folder: run }] = runsIn(begun) as [ListedRun];
    const before = linesOf(readFileSync(join(run, 'metrics.jsonl')));

    const context = await newContext();
    const page = await openSite(context, site.address);
    const buffer = Buffer.from(zipSync(filesIn(run, basename(run))));
    const archive = { name: 'from-node.zip', mimeType: 'application/zip', buffer };
    await page.getByLabel('Import an archive').setInputFiles(archive);
    await page.getByRole('button', { name: 'Continue' }).click();
    await finishedRun(page);
    await page.getByRole('button', { name: 'Play', exact: true }).click();
    await page.getByRole('button', { name: 'Policy: one step' }).click();
    await page.getByText('step 1 of').waitFor();
    const after = linesOf((await exported(page)).get('metrics.jsonl')!);
    page.once('dialog', (dialog) => void dialog.accept());
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('None yet.').waitFor();
    await context.close();

    expect(after.slice(0, before.length)).toEqual(before);
    expect(after.length).toBeGreaterThan(before.length);
    expectAlike(after, await linesInNode(ppo));
  });

  /** Clock times, and what holds them. */
  const changesWithTime = /^(events\.jsonl|run\.json|report\.html|README\.md|command\.txt)$/;
});

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

function linesOf(bytes: Uint8Array): Line[] {
  const text = new TextDecoder().decode(bytes);
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

/** Whole numbers and texts equal, others to what float32 sums in another order give. */
function expectAlike(one: unknown, other: unknown): void {
  if (typeof one === 'number' && !Number.isInteger(one)) {
    expect(Math.abs(one - (other as number))).toBeLessThan(1e-3 * Math.max(1, Math.abs(one)));
  } else if (typeof one === 'object' && one !== null) {
    expect(Object.keys(one)).toEqual(Object.keys(other as object));
    for (const [key, value] of Object.entries(one)) expectAlike(value, (other as Line)[key]);
  } else expect(one).toEqual(other);
}
