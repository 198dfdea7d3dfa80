/** A browser and the served site for the tests of a file, which are skipped where the browser is not installed. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveSite, type ServedSite } from '@emac/web';
import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core';
import { afterAll, beforeAll, describe } from 'vitest';
import { builtSite } from './built-site.test.support.ts';

export interface SiteSession {
  /** of the tests' own files; removed at the end */
  readonly folder: string;
  readonly browser: Browser;
  readonly site: ServedSite;
  /** A visitor of their own, without the service worker, which has tests of its own. */
  newVisitor(options?: BrowserContextOptions): Promise<BrowserContext>;
}

interface SiteTests {
  /** such as `the site on a GPU` */
  readonly what: string;
  /** the browser's program; null if there is none */
  readonly found: string | null;
  /** what to do where there is none */
  readonly remedy: string;
  readonly open: () => Promise<Browser>;
  /** as `serveSite` has it */
  readonly isIsolated?: boolean;
}

/** The parts of the session are there once tests run. */
export function describeSite(
  { what, found, remedy, open, isIsolated = true }: SiteTests,
  tests: (session: SiteSession) => void,
): void {
  const title = found ? `${what} in ${found}` : `${what}: left out, there is no browser (${remedy})`;
  describe.skipIf(!found)(title, () => {
    const folder = mkdtempSync(join(tmpdir(), 'site-'));
    const opened = { folder } as { folder: string; browser: Browser; site: ServedSite };
    beforeAll(async () => {
      opened.site = await serveSite((await builtSite()).folder, 0, { isolated: isIsolated });
      opened.browser = await open();
    });
    afterAll(async () => {
      await opened.browser?.close();
      await opened.site?.close();
      rmSync(folder, { recursive: true });
    });
    const newVisitor = (options: BrowserContextOptions = {}) =>
      opened.browser.newContext({ serviceWorkers: 'block', ...options });
    tests(Object.assign(opened, { newVisitor }));
  });
}

export const inChromium = 'install Chromium, or set CHROMIUM_PATH';
export const inFirefox = 'install Firefox, or set FIREFOX_PATH';
