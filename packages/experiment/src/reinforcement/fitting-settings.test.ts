import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { GivenPpoConfig } from '@emac/settings';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { trainPpo } from './train-ppo.ts';

const folder = temporaryFolder();

it.each<[RegExp, Partial<GivenPpoConfig>]>([
  [
    /--curriculum: needs an environment with tasks .* got gym_cards\/NumberLine-v0/,
    { curriculum: { formula: 'half' } },
  ],
  [/--min-delta: belongs to --best-ema/, { best: { minDelta: 0.1 } }],
  [/--patience: belongs to --best-ema/, { best: { patience: 3 } }],
  [/--value-learns: is for language models, got --policy mlp/, { value: { learns: 'adapter' } }],
  [
    /--value-learns adapter: adds a second adapter .* got --train projection; give --train lora/,
    { policy: 'rl-tiny', trained: { parts: 'projection' }, value: { learns: 'adapter' } },
  ],
  [
    /--value-schedule linear: must fall to a share below 1, got --lr-final-share 1/,
    { optimization: { valueSchedule: 'linear', finalShare: 1 } },
  ],
  [
    /--max-staleness: must be 0 with --policy-loss rlef, .* got 1/,
    { optimization: { maxStaleness: 1 }, losses: { policy: 'rlef' } },
  ],
  [
    /--inference: the server holds the newest adapter only, but --max-staleness 2/,
    {
      policy: 'rl-tiny',
      optimization: { maxStaleness: 2 },
      inference: { url: 'http://127.0.0.1:9', adapters: 'nowhere' },
    },
  ],
])('settings that say nothing are refused before a run is made: %s', async (message, given) => {
  const out = join(folder, 'refused');
  const asked = trainPpo({ env: 'gym_cards/NumberLine-v0', policy: 'mlp', ...given, out });
  await expect(asked).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringMatching(message) as string,
  });
  expect(existsSync(out)).toBe(false);
});
