/**
 * Times whole runs in tabs beside the same runs in Node: with one thread, with all, on a GPU (WebGPU), and in Firefox. Says the most memory that
 * each took:
 *
 *   node tools/dist/browser/site-speed.js [ppo-mlp ppo-cnn bc-emma-tiny] [--in threads,one,gpu,firefox] [--amount N]
 *
 * Needs Chromium, Firefox and Linux, whose /proc knows the most memory of a process. With EMAC_SOFTWARE_GPU=1 the processor plays the GPU.
 */
import { fork } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { learn } from '@emac/experiment';
import { plainHost } from '@emac/opening';
import { askedBy, buildSite, serveSite, siteCatalogue, type Choice } from '@emac/web';
import type { Browser, Page } from 'playwright-core';
import { openChromium, softwareGpu } from './chromium.ts';
import { openFirefox } from './firefox.ts';
import { finishedRun, openForm, openSite, startRun } from './site-steps.ts';

const catalogue = siteCatalogue();

interface Measured {
  readonly seconds: number;
  /** most resident bytes: of Node's process, or of the tab's and the GPU's together */
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
function inNode(name: string, amount: number): Promise<Measured> {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(import.meta.url), ['--in-node', name, '--amount', String(amount)]);
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

/** A program that has the site's tab: its arguments, whether the page is isolated, where the run computes. */
interface Place {
  readonly title: string;
  readonly open: () => Promise<Browser>;
  readonly isIsolated: boolean;
  readonly provider?: 'webgpu';
}

const places: Readonly<Record<string, Place>> = {
  threads: { title: 'tab, all threads', open: () => openChromium(), isIsolated: true },
  one: { title: 'tab, one thread', open: () => openChromium(), isIsolated: false },
  gpu: { title: 'tab, WebGPU', open: openWithGpu, isIsolated: true, provider: 'webgpu' },
  firefox: { title: 'Firefox, all threads', open: openFirefox, isIsolated: true },
};

/** With the machine's own GPU where it has one; EMAC_SOFTWARE_GPU=1: one that the processor plays. */
function openWithGpu(): Promise<Browser> {
  return openChromium(process.env['EMAC_SOFTWARE_GPU'] === '1' ? softwareGpu : ['--enable-unsafe-webgpu']);
}

/** Null where the place has no such device, or the browser is not installed; then a sentence is printed. */
async function inTab(place: Place, address: string, choice: Choice): Promise<Measured | null> {
  const browser = await place.open();
  try {
    // without the service worker, which would isolate the page
    const context = await browser.newContext({ serviceWorkers: 'block' });
    const page = await openSite(context, address);
    const { provider } = place;
    const fault = provider === undefined ? null : await computingFault(page, provider);
    if (fault !== null) {
      process.stdout.write(`${place.title}: left out: ${fault}\n`);
      return null;
    }
    await startRun(page, { ...choice, others: { ...(provider && { provider }) } });
    const seconds = await finishedRun(page);
    return { seconds, bytes: mostBytes(process.pid) };
  } finally {
    await browser.close();
  }
}

/** Why the page does not compute there; null if it does. */
async function computingFault(page: Page, provider: string): Promise<string | null> {
  await openForm(page);
  await page.locator('#computing').selectOption(provider);
  const fault = page.locator('#gpu-fault');
  const checking = page.getByText('comparing the GPU with the processor');
  await checking.or(fault).first().waitFor();
  await checking.waitFor({ state: 'hidden' });
  return (await fault.count()) === 0 ? null : await fault.textContent();
}

/** Of the tab's process, and of the GPU's, among those that `process` has started: the most that each had, in all. */
function mostBytes(process: number): number {
  const roles = [/--type=renderer/, /-contentproc.*\btab$/, /--type=gpu-process/];
  const sizes = descendantsOf(process).map((id) => {
    const words = readFileSync(`/proc/${id}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    const role = roles.findIndex((each) => each.test(words));
    const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, 'utf8')) ?? [];
    return { role, bytes: Number(kilobytes ?? 0) * 1024 };
  });
  const largest = roles.map((_, role) =>
    Math.max(0, ...sizes.filter((each) => each.role === role).map(({ bytes }) => bytes)),
  );
  return largest.reduce((sum, bytes) => sum + bytes, 0);
}

function descendantsOf(process: number): number[] {
  const children = readdirSync('/proc').flatMap((name) => {
    const path = `/proc/${name}/stat`;
    if (!/^\d+$/.test(name) || !existsSync(path)) return [];
    const [, parent] = /\) \S (\d+)/.exec(readFileSync(path, 'utf8')) ?? [];
    return Number(parent) === process ? [Number(name)] : [];
  });
  return children.flatMap((child) => [child, ...descendantsOf(child)]);
}

const said = ({ seconds, bytes }: Measured): string =>
  `${seconds.toFixed(1)} s, ${Math.round(bytes / 1e6)} MB`;

async function measureAll(
  names: readonly string[],
  asked: readonly string[],
  amount?: number,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'site-speed-'));
  await buildSite(folder);
  const [isolated, plain] = [await serveSite(folder, 0), await serveSite(folder, 0, { isolated: false })];
  for (const name of names) {
    const choice = { ...choices[name]!, ...(amount !== undefined && { amount }) };
    const node = await inNode(name, choice.amount);
    process.stdout.write(`${name}, ${choice.amount}: Node ${said(node)}\n`);
    // a fresh program each time: the most memory is that of its life
    for (const place of asked.map((each) => places[each]!)) {
      const { address } = place.isIsolated ? isolated : plain;
      const tab = await inTab(place, address, choice);
      const times = tab && `${(tab.seconds / node.seconds).toFixed(1)} ×`;
      if (tab) process.stdout.write(`${name}, ${choice.amount}: ${place.title} ${said(tab)} (${times})\n`);
    }
  }
  await isolated.close();
  await plain.close();
  rmSync(folder, { recursive: true });
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { in: { type: 'string' }, amount: { type: 'string' }, 'in-node': { type: 'string' } },
});
const amount = values.amount === undefined ? undefined : Number(values.amount);
const inNodeAlone = values['in-node'];
if (inNodeAlone !== undefined) process.send!(await runInNode({ ...choices[inNodeAlone]!, amount: amount! }));
else {
  const names = positionals.length === 0 ? Object.keys(choices) : positionals;
  await measureAll(names, values.in?.split(',') ?? Object.keys(places), amount);
}
