/**
 * Times whole runs in a tab beside the same runs in Node, with one thread and with all, and says the most memory that each took:
 *
 *   node tools/dist/browser/site-speed.js [ppo-mlp ppo-cnn bc-emma-tiny]
 *
 * Needs Chromium and Linux, whose /proc knows the most memory of a process.
 */
import { fork } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { learn } from '@emac/experiment';
import { plainHost } from '@emac/opening';
import { askedBy, buildSite, serveSite, siteCatalogue, type Choice } from '@emac/web';
import type { Browser } from 'playwright-core';
import { openChromium } from './chromium.ts';
import { openSite, startRun, finishedRun } from './site-steps.ts';

const catalogue = siteCatalogue();

interface Measured {
  readonly seconds: number;
  /** most resident bytes of the process */
  readonly bytes: number;
}

const grid = { environment: 'MiniGrid-Empty-5x5-v0', method: 'ppo', seed: 0, evaluated: 20 };
const choices: Readonly<Record<string, Choice>> = {
  'ppo-mlp': { ...grid, policy: 'mlp', amount: 16384 },
  'ppo-cnn': { ...grid, policy: 'cnn', amount: 4096 },
  'bc-emma-tiny': {
    environment: 'alfworld',
    policy: 'emma-tiny',
    method: 'bc',
    amount: 6,
    seed: 0,
    evaluated: 4,
  },
};

/** This program again, for one run in Node. */
function inNode(name: string): Promise<Measured> {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(import.meta.url), ['--in-node', name]);
    child.once('message', (measured) => resolve(measured as Measured));
    child.once('error', reject);
  });
}

async function runInNode(choice: Choice): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'speed-'));
  const start = performance.now();
  await learn({ ...askedBy(choice, catalogue), folder: join(folder, 'run') }, plainHost());
  const seconds = (performance.now() - start) / 1000;
  rmSync(folder, { recursive: true });
  return { seconds, bytes: process.resourceUsage().maxRSS * 1024 };
}

async function inTab(browser: Browser, address: string, choice: Choice): Promise<Measured> {
  // without the service worker, which would isolate the page
  const context = await browser.newContext({ serviceWorkers: 'block' });
  const page = await openSite(context, address);
  await startRun(page, choice);
  const seconds = await finishedRun(page);
  const bytes = await mostRendererBytes(browser);
  await context.close();
  return { seconds, bytes };
}

async function mostRendererBytes(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  const renderers = processInfo.filter(({ type }) => type === 'renderer');
  const sizes = renderers.map(({ id }) => {
    const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, 'utf8'))!;
    return Number(kilobytes) * 1024;
  });
  return Math.max(...sizes);
}

const said = ({ seconds, bytes }: Measured): string =>
  `${seconds.toFixed(1)} s, ${Math.round(bytes / 1e6)} MB`;

async function measureAll(names: readonly string[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'site-speed-'));
  await buildSite(folder);
  const [isolated, plain] = [await serveSite(folder, 0), await serveSite(folder, 0, { isolated: false })];
  for (const name of names) {
    const choice = choices[name]!;
    const node = await inNode(name);
    // a fresh program each time: the most memory is that of its life
    const tabs: Measured[] = [];
    for (const { address } of [isolated, plain]) {
      const browser = await openChromium();
      tabs.push(await inTab(browser, address, choice));
      await browser.close();
    }
    const [all, one] = tabs as [Measured, Measured];
    const times = (measured: Measured) => `${(measured.seconds / node.seconds).toFixed(1)} ×`;
    process.stdout.write(
      `${name}: Node ${said(node)}; tab, all threads ${said(all)} (${times(all)}); one thread ${said(one)} (${times(one)})\n`,
    );
  }
  await isolated.close();
  await plain.close();
  rmSync(folder, { recursive: true });
}

const [first, ...others] = process.argv.slice(2);
if (first === '--in-node') process.send!(await runInNode(choices[others[0]!]!));
else await measureAll(first === undefined ? Object.keys(choices) : [first, ...others]);
