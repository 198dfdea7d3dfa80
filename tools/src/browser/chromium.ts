/** A Chromium that is installed on this machine; playwright-core drives it and brings none of its own. */
import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

const usual = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The browser's program: `CHROMIUM_PATH` where that is set, else where Linux distributions put it; null where none is. */
export function chromiumPath(): string | null {
  const given = process.env['CHROMIUM_PATH'];
  if (given !== undefined && given !== '') return given;
  return usual.find((path) => existsSync(path)) ?? null;
}

/** Starts it without a window. Errors: where there is none, with what to do. */
export async function openChromium(): Promise<Browser> {
  const executablePath = chromiumPath();
  if (executablePath === null)
    throw new Error('no Chromium on this machine: install it, or give its program in CHROMIUM_PATH');
  return chromium.launch({ executablePath, args: ['--disable-gpu'] });
}
