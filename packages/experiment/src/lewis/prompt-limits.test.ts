/** Errors about prompts that are too long, for the trained policy and its partner. */
import { Random } from '@emac/core';
import { openListener, plainHost } from '@emac/opening';
import { grpoConfig, modelIn } from '@emac/settings';
import { expect, it } from 'vitest';
import { openLewisPlay } from './lewis-play.ts';

const start = { random: Random.fromSeed(0), from: null };

it('names the flag of grpo if the longest prompt does not fit the model', async () => {
  const config = grpoConfig({ role: 'speaker', speech: { maxPromptTokens: 60_000 } });
  await expect(openLewisPlay({ ...config, role: 'speaker' }, start, plainHost())).rejects.toMatchObject({
    code: 'data',
    message: expect.stringMatching(
      /positions; allow prompts of \d+ tokens at most \(--max-prompt-tokens\)/,
    ) as string,
  });
});

it("reports that a prompt is too long for the partner, with the partner's limit", async () => {
  const model = modelIn(grpoConfig({ role: 'speaker' }));
  const pictures = async () => ({ width: 8, height: 8, data: new Uint8Array(3 * 64) });
  const place = { name: 'lewis-tiny', model, pictures, folder: null };
  const { agent, dispose } = await openListener(place, plainHost());
  try {
    const question = 'is it red '.repeat(3000);
    await expect(agent.ask([{ picture: 'a', question }])).rejects.toMatchObject({
      code: 'data',
      message: expect.stringMatching(
        /^--listener lewis-tiny: .* must fit the model's \d+ positions/,
      ) as string,
    });
  } finally {
    await dispose();
  }
});
