import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { openModelFiles } from '../files/model-files.ts';
import { familyStages } from './compare-family.ts';
import { compareFolder } from './compare.ts';

/** Random models of the families with transformers' results; `tools/reference` describes how they are made. */
const given = process.env['EMAC_FAMILY_FOLDERS'];
const at = (name: string) => new URL(`../../fixtures/${name}/`, import.meta.url).pathname;
const folders = (given ? [given] : [at('families'), at('text')]).flatMap((place) =>
  readdirSync(place).map((name) => join(place, name)),
);

describe('families against Hugging Face transformers', () => {
  it.each(folders)('%s: every stage, the gradients and all tokens agree', async (folder) => {
    const { stages, generated } = await compareFolder(folder, { threads: 1 });
    for (const stage of familyStages(openModelFiles(folder)))
      expect(stages[stage], `${stage} ${JSON.stringify(stages)}`).toBeLessThanOrEqual(
        stage === 'pixel_values' ? 1 / 255 : 1e-5,
      );
    expect(Object.values(generated)).not.toContain(false);
    expect(Object.keys(generated).length).toBeGreaterThan(0);
  });
});
