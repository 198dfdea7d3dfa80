/**
 * A run in trackio's own dashboard: starts `trackio show` with an empty store, sends the run as `--tracker trackio` does, and takes a picture of what
 * the dashboard shows:
 *
 *   EMAC_PYTHON=VENV/bin/python node tools/dist/browser/trackio-dashboard.js runs/RUN trackio.png
 *
 * Needs trackio in that Python (`pip install trackio==0.43.0`) and Chromium. Fails where the dashboard does not name the run, or draws no curve of its
 * numbers.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { trackio } from '@emac/report';
import { openChromium } from './chromium.ts';
import { looks } from './looks.ts';
import { openWatched } from './watched-page.ts';

const [run, out] = process.argv.slice(2).map((path) => resolve(path));
if (run === undefined || out === undefined)
  throw new Error('trackio-dashboard: needs a run folder and a name for the picture');

/** what the dashboard draws a number with */
const curve = 'canvas, svg.marks, .vega-embed';
const python = process.env['EMAC_PYTHON'] || 'python3';
const folder = mkdtempSync(join(tmpdir(), 'trackio-'));
const server = spawn(
  python,
  ['-c', 'from trackio.cli import main; main()', 'show', '--project', 'emac', '--host', '127.0.0.1'],
  {
    // it would open a window
    env: { ...process.env, TRACKIO_DIR: folder, BROWSER: 'true', PYTHONUNBUFFERED: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  },
);
try {
  const address = await addressOf(server.stdout);
  const tracker = trackio({ run, now: () => new Date(), env: { TRACKIO_SERVER_URL: address } });
  tracker.follow();
  await tracker.close();
  const browser = await openChromium();
  const look = looks.find(({ name }) => name === 'desktop-light')!;
  const { page } = await openWatched(browser, look, { address, home: new URL(address).origin });
  for (const text of [basename(run), 'loss']) await page.getByText(text).first().waitFor();
  await page.locator(curve).first().waitFor();
  await page.screenshot({ path: out });
  await browser.close();
} finally {
  server.kill();
  rmSync(folder, { recursive: true, force: true });
}

/** The address with the key to write, which trackio prints. Errors: if it ends before. */
async function addressOf(lines: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: lines })) {
    const [address] = /http:\S+write_token=[\w-]+/.exec(line) ?? [];
    if (address !== undefined) return address;
  }
  throw new Error(`${python}: could not start trackio; install it there (pip install trackio==0.43.0)`);
}
