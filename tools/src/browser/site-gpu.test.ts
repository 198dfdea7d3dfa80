/** The site on a GPU, which SwiftShader plays: numbers of the processor. Skipped without Chromium (CHROMIUM_PATH names its program). */
import { alsoLong } from '@emac/testing';
import type { Choice } from '@emac/web';
import { expect, it } from 'vitest';
import { chromiumPath, openChromium, softwareGpu } from './chromium.ts';
import { choices, expectAlike, linesInNode, linesOf } from './site-runs.test.support.ts';
import { describeSite, inChromium } from './site-session.test.support.ts';
import { exportedRun, finishedRun, openSite, startRun } from './site-steps.ts';

const small = { 'num-processes': '2', 'num-steps': '8' };
const pixels: Choice = { ...choices.pixels, amount: 16, evaluated: 0, others: small };
const imitation: Choice = { ...choices.imitation, evaluated: 0, others: { 'max-steps': '2' } };

const where = {
  what: 'the site on a GPU',
  found: chromiumPath(),
  remedy: inChromium,
  open: () => openChromium(softwareGpu),
};

describeSite(where, (session) => {
  it.each([
    ['a small network learns from pictures', pixels],
    // minutes, since every operator is a program that SwiftShader compiles
    ...alsoLong<[string, Choice]>([['the vision-language model imitates', imitation]]),
  ])('%s as on the processor of Node', async (_, choice) => {
    const context = await session.newVisitor();
    const page = await openSite(context, session.site.address);
    await startRun(page, { ...choice, others: { ...choice.others, provider: 'webgpu' } });
    await finishedRun(page);
    const run = await exportedRun(page);
    await context.close();
    expect(new TextDecoder().decode(run.get('config.yaml'))).toContain('provider: webgpu');
    expectAlike(linesOf(run.get('metrics.jsonl')!), await linesInNode(choice, session.folder));
  });
});
