import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { promptOf } from '@emac/core';
import { afterAll, expect, it } from 'vitest';

import { createStudent } from './student.ts';

const published = fileURLToPath(new URL('../../backbone/fixtures/text/llama/', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'emac-generation-config-'));
afterAll(() => rmSync(root, { recursive: true }));

/** What a folder with these keys answers. */
async function answer(keys: object): Promise<readonly number[]> {
  const model = mkdtempSync(join(root, 'model-'));
  cpSync(published, model, { recursive: true });
  writeFileSync(join(model, 'generation_config.json'), JSON.stringify(keys));
  const student = await createStudent({
    model,
    projection: null,
    generation: { minLength: 0, maxLength: 6 },
    threads: 1,
  });
  const question = { prompt: promptOf([], 'Where is the mug?'), allowed: null, random: null };
  const [found] = await student.decide([question], { kind: 'search', beams: 1 });
  await student.dispose();
  return found!.tokens;
}

it('ends an answer at any end token of generation_config.json, and says no token that it suppresses', async () => {
  // the template's end token would be its first
  const suppress_tokens = [334];
  expect(await answer({})).toEqual(suppress_tokens);
  const usual = await answer({ suppress_tokens });
  expect(usual).toHaveLength(6);
  // a list, as published chat models have beside their template's own end token
  const place = usual.findIndex((token, at) => at > 0 && usual.indexOf(token) === at);
  expect(await answer({ suppress_tokens, eos_token_id: [334, usual[place]] })).toEqual(
    usual.slice(0, place + 1),
  );
  // settings of the caller
  expect(await answer({ suppress_tokens, temperature: 0.1, num_beams: 4, max_new_tokens: 1 })).toEqual(usual);
});
