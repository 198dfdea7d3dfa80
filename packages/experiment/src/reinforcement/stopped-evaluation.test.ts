/** PPO stopped during its first evaluation. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { plainHost } from '@emac/opening';
import type { GivenPpoConfig } from '@emac/settings';
import { expect, it } from 'vitest';
import { resume } from '../methods.ts';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { contentOf } from './run-content.test.support.ts';
import { trainPpo } from './train-ppo.ts';

const folder = temporaryFolder();
const line: GivenPpoConfig = {
  env: 'gym_cards/NumberLine-v0',
  policy: 'mlp',
  play: { environments: 4, stepsPerUpdate: 16, environmentSteps: 128 },
  optimization: { minibatchSize: 64 },
  evaluation: { episodes: 300, temperature: 1 },
};

it('ends at once, and resumes to the same bytes', async () => {
  const whole = await trainPpo({ ...line, out: join(folder, 'whole') });
  const out = join(folder, 'stopped');
  const stop = new AbortController();
  const told = { parts: [] as string[], ended: 0 };
  const listener = {
    begin: (part: string) => void told.parts.push(part),
    game: () => {
      if (++told.ended === 20) stop.abort();
    },
  };
  const begun = trainPpo({ ...line, out }, plainHost({ signal: stop.signal, listener }));
  await expect(begun).rejects.toMatchObject({ code: 'interrupted' });
  expect(told.parts).toEqual(['evaluation before']);
  // 64 episodes run at once: at most these end in the same step as the twentieth
  expect(told.ended).toBeLessThan(20 + 64);
  const stopped = join(out, readdirSync(out)[0]!);
  expect(existsSync(join(stopped, 'eval-before.json'))).toBe(false);
  const [gone] = await resume(stopped);
  expect(gone!.before).toEqual(whole.before);
  expect(contentOf(stopped)).toEqual(contentOf(whole.folder));
  expect([...contentOf(stopped).keys()]).toContain('eval-before.json');
});
