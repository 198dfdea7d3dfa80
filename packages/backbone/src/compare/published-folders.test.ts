/** Folders and tokenizers as people publish them, against transformers 4.57.1 and 5.24. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { openModelFiles } from '../files/model-files.ts';
import { loadTokenizer } from '../files/tokenizer.ts';
import { familyStages } from './compare-family.ts';
import { compareFolder } from './compare.ts';

const place = join(process.env['EMAC_TEST_DATA'] ?? '', 'models-misread');

interface Truth {
  readonly texts: readonly string[];
  readonly ids: readonly (readonly number[])[];
  readonly ids_special: readonly (readonly number[])[];
  /** texts of `ids` */
  readonly back: readonly string[];
  readonly seqs: readonly (readonly number[])[];
  /** texts of `seqs`, with special tokens and without */
  readonly full: readonly string[];
  readonly skip: readonly string[];
}

describe.runIf(process.env['EMAC_TEST_DATA'] && existsSync(place))(
  'what is published (needs EMAC_TEST_DATA)',
  () => {
    it.each([
      'bos-zephyr',
      'gguf-metaspace-first/original',
      'q2-layer_types-full-mwl0',
      'qwen2-layer_types-mixed',
      'transformers5-processor_config',
    ])('%s: every stage and all tokens agree', async (name) => {
      const folder = join(place, name);
      const { stages, generated } = await compareFolder(folder, { threads: 1 });
      for (const stage of familyStages(openModelFiles(folder)))
        expect(stages[stage], stage).toBeLessThanOrEqual(stage === 'pixel_values' ? 1 / 255 : 1e-5);
      expect(Object.values(generated)).not.toContain(false);
    });

    it('scaled positions of three axes are refused by name', () => {
      expect(() => openModelFiles(join(place, 'qwen2vl-rope_type-yarn'))).toThrow(
        /rope_scaling: rope_type must be "mrope" or "default" .*got "yarn"/,
      );
    });

    it.each(existsSync(place) ? readdirSync(join(place, 'tok')) : [])('the tokenizer %s', (name) => {
      const tokenizer = loadTokenizer(join(place, 'tok', name, 'tokenizer.json'));
      const truth = JSON.parse(readFileSync(join(place, 'tok', name, 'truth.json'), 'utf8')) as Truth;
      const special = { special: true };
      expect(truth.texts.map((text) => tokenizer.encode(text))).toEqual(truth.ids);
      expect(truth.texts.map((text) => tokenizer.encode(text, special))).toEqual(truth.ids_special);
      expect(truth.ids.map((ids) => tokenizer.decode(ids, special))).toEqual(truth.back);
      expect(truth.seqs.map((ids) => tokenizer.decode(ids, special))).toEqual(truth.full);
      expect(truth.seqs.map((ids) => tokenizer.decode(ids))).toEqual(truth.skip);
    });
  },
);
