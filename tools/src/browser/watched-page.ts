/** A page of a browser that notes what a page of ours must never do. */
import type { Browser, Page } from 'playwright-core';
import type { Look } from './looks.ts';

export interface WatchedPage {
  readonly page: Page;
  /** messages of errors and warnings on the console, and of exceptions that nobody caught */
  readonly complaints: readonly string[];
  /** addresses that were asked for outside the page's own server or file */
  readonly outside: readonly string[];
  close(): Promise<void>;
}

/** Opens an address. `home` is what the addresses of the page's own requests begin with; `data:` is inside a page. */
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
  // what hostile text would do first
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    const asked = request.url();
    if (!asked.startsWith(home) && !asked.startsWith('data:')) outside.push(asked);
  });
  // never idle on the board, whose stream of events stays open
  await page.goto(address, { waitUntil: 'load' });
  return { page, complaints, outside, close: () => context.close() };
}
