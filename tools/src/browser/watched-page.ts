/** A browser page that records forbidden actions of our pages. */
import type { Browser, Page } from 'playwright-core';
import type { Look } from './looks.ts';

export interface WatchedPage {
  readonly page: Page;
  /** errors and warnings on the console, and uncaught exceptions */
  readonly complaints: readonly string[];
  /** requested addresses outside the page's own server or file */
  readonly outside: readonly string[];
  close(): Promise<void>;
}

/** Opens an address. `home` is the prefix of the page's own requests; `data:` URLs count as inside. */
export async function openWatched(
  browser: Browser,
  look: Look,
  { address, home = address }: { readonly address: string; readonly home?: string },
): Promise<WatchedPage> {
  const { width, height, colours } = look;
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: colours });
  const page = await context.newPage();
  const [complaints, outside] = [[] as string[], [] as string[]];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  // hostile text would do this first
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    const asked = request.url();
    if (!asked.startsWith(home) && !asked.startsWith('data:')) outside.push(asked);
  });
  // not network idle: the board's event stream stays open
  await page.goto(address, { waitUntil: 'load' });
  return { page, complaints, outside, close: () => context.close() };
}
