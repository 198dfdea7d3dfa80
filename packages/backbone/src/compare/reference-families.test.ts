import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { openModelFiles } from '../files/model-files.ts';
import { familyStages } from './compare-family.ts';
import { compareFolder } from './compare.ts';

/** Random models of the chat families with transformers' results; `tools/reference` describes how they are made. */
const fixtures =
  process.env['EMAC_FAMILY_FOLDERS'] ?? new URL('../../fixtures/families/', import.meta.url).pathname;

describe('chat families against Hugging Face transformers', () => {
  it.each(readdirSync(fixtures))('%s: every stage, the gradients and all tokens agree', async (name) => {
    const { stages, generated } = await compareFolder(join(fixtures, name), { threads: 1 });
    for (const stage of familyStages(openModelFiles(join(fixtures, name))))
      expect(stages[stage], `${stage} ${JSON.stringify(stages)}`).toBeLessThanOrEqual(
        stage === 'pixel_values' ? 1 / 255 : 1e-5,
      );
    expect(Object.values(generated)).not.toContain(false);
    expect(Object.keys(generated).length).toBeGreaterThan(0);
  });
});
