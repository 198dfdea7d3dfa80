/** Finds an installed Chromium; playwright-core drives it and brings none itself. */
import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

const usual = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The browser's program: `CHROMIUM_PATH` if set, else the usual paths on Linux; null if there is none. */
export function chromiumPath(): string | null {
  const given = process.env['CHROMIUM_PATH'];
  if (given !== undefined && given !== '') return given;
  return usual.find((path) => existsSync(path)) ?? null;
}

/** A GPU that the processor plays: slow, and everywhere. */
export const softwareGpu = ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader'] as const;

/** Starts it without a window, by default also without a GPU. Errors: if there is none, with the remedy. */
export async function openChromium(args: readonly string[] = ['--disable-gpu']): Promise<Browser> {
  const executablePath = chromiumPath();
  if (executablePath === null)
    throw new Error('Chromium is missing: install it, or set CHROMIUM_PATH to its program');
  return chromium.launch({ executablePath, args: [...args] });
}
