/** The site's service worker in Chromium: what it keeps, what it gives out, and what it leaves alone. Skipped without Chromium. */
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtSite } from './built-site.test.support.ts';
import { chromiumPath, openChromium } from './chromium.ts';
import { choices } from './site-runs.test.support.ts';
import { finishedRun, openSite, startRun } from './site-steps.ts';

const found = chromiumPath();
const title = found
  ? `the site's service worker in ${found}`
  : "the site's service worker: left out, there is no Chromium (install it, or set CHROMIUM_PATH)";

const types: Readonly<Record<string, string>> = {
  html: 'text/html',
  js: 'text/javascript',
  mjs: 'text/javascript',
  css: 'text/css',
  svg: 'image/svg+xml',
  wasm: 'application/wasm',
};

/** A host without headers for threads: the site below /site/, another page, and an address that leads there. */
async function serveBeside(folder: string) {
  let hasSite = true;
  const server: Server = createServer(({ url }, response) => {
    const path = new URL(url!, 'http://host').pathname;
    const inSite = path.startsWith('/site/') ? path.slice('/site/'.length) || 'index.html' : null;
    const file = inSite === null ? null : join(folder, inSite);
    if (path === '/site/moved') response.writeHead(302, { Location: '/other.html' }).end();
    else if (file !== null && hasSite && existsSync(file))
      response
        .writeHead(200, { 'Content-Type': types[file.slice(file.lastIndexOf('.') + 1)] ?? 'text/plain' })
        .end(readFileSync(file));
    else if (path.endsWith('.js')) response.writeHead(404).end();
    else response.writeHead(200, { 'Content-Type': 'text/html' }).end('<p>another page</p>');
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    removeSite: () => (hasSite = false),
    close: () =>
      new Promise((closed) => {
        server.close(closed);
        server.closeAllConnections();
      }),
  };
}

describe.skipIf(!found)(title, () => {
  let browser: Browser;
  let host: Awaited<ReturnType<typeof serveBeside>>;
  beforeAll(async () => {
    host = await serveBeside((await builtSite()).folder);
    browser = await openChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await host?.close();
  });

  it('leaves other pages alone, gives out what the site was built with alone, and trains without network', async () => {
    const context = await browser.newContext();
    const page = await openSite(context, `${host.origin}/site/`);
    await page.getByText('needs no network any more').waitFor();
    await page.waitForFunction('crossOriginIsolated');

    // a file that another page of the host has changed is asked of the server again
    const stylesheet = async (): Promise<unknown> =>
      page.evaluate(`(async () => {
        const [name] = await caches.keys();
        const cache = await caches.open(name);
        await cache.put('style.css', new Response('changed'));
        return fetch('style.css').then((response) => response.text(), String);
      })()`);
    expect(await stylesheet()).toContain('--');

    const beside = await context.newPage();
    await beside.goto(`${host.origin}/other.html`);
    expect(await beside.evaluate('navigator.serviceWorker.controller')).toBeNull();
    // below the site's folder, and none of its files
    await beside.goto(`${host.origin}/site/moved`);
    expect(beside.url()).toBe(`${host.origin}/other.html`);
    await beside.goto(`${host.origin}/site/unknown.html`);
    expect(await beside.evaluate('crossOriginIsolated')).toBe(false);
    await beside.close();
    await page.close();

    await host.close();
    const again = await openSite(context, `${host.origin}/site/`);
    await startRun(again, { ...choices.ppo, amount: 512, evaluated: 0 });
    await finishedRun(again);
    expect(await again.evaluate('crossOriginIsolated')).toBe(true);
    await context.close();
  });

  it('goes when its address has the site no more', async () => {
    const other = await serveBeside((await builtSite()).folder);
    const context = await browser.newContext();
    const page = await openSite(context, `${other.origin}/site/`);
    await page.getByText('needs no network any more').waitFor();
    await page.waitForFunction('crossOriginIsolated');
    other.removeSite();
    // comes from the browser once more, and asks
    await page.goto(`${other.origin}/site/`);
    await page.waitForFunction('navigator.serviceWorker.getRegistration().then((found) => !found)');
    await page.goto(`${other.origin}/site/`);
    await page.getByText('another page').waitFor();
    expect(await page.evaluate('caches.keys()')).toEqual([]);
    await context.close();
    await other.close();
  });
});
