/** The site on a GPU, which SwiftShader plays: numbers of the processor. Skipped without Chromium (CHROMIUM_PATH names its program). */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { alsoLong } from '@emac/testing';
import { serveSite, type Choice, type ServedSite } from '@emac/web';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtSite } from './built-site.test.support.ts';
import { chromiumPath, openChromium, softwareGpu } from './chromium.ts';
import { choices, expectAlike, linesInNode, linesOf } from './site-runs.test.support.ts';
import { exportedRun, finishedRun, openSite, startRun } from './site-steps.ts';

const found = chromiumPath();
const title = found
  ? `the site on a GPU in ${found}`
  : 'the site on a GPU: left out, there is no Chromium (install it, or set CHROMIUM_PATH)';

const small = { 'num-processes': '2', 'num-steps': '8' };
const pixels: Choice = { ...choices.pixels, amount: 16, evaluated: 0, others: small };
const imitation: Choice = { ...choices.imitation, evaluated: 0, others: { 'max-steps': '2' } };

describe.skipIf(!found)(title, () => {
  const folder = mkdtempSync(join(tmpdir(), 'site-gpu-'));
  let browser: Browser;
  let site: ServedSite;
  beforeAll(async () => {
    site = await serveSite((await builtSite()).folder, 0);
    browser = await openChromium(softwareGpu);
  });
  afterAll(async () => {
    await browser?.close();
    await site?.close();
    rmSync(folder, { recursive: true });
  });

  it.each([
    ['a small network learns from pictures', pixels],
    // minutes, since every operator is a program that SwiftShader compiles
    ...alsoLong<[string, Choice]>([['the vision-language model imitates', imitation]]),
  ])('%s as on the processor of Node', async (_, choice) => {
    const context = await browser.newContext({ serviceWorkers: 'block' });
    const page = await openSite(context, site.address);
    await startRun(page, { ...choice, others: { ...choice.others, provider: 'webgpu' } });
    await finishedRun(page);
    const run = await exportedRun(page);
    await context.close();
    expect(new TextDecoder().decode(run.get('config.yaml'))).toContain('provider: webgpu');
    expectAlike(linesOf(run.get('metrics.jsonl')!), await linesInNode(choice, folder));
  });
});
