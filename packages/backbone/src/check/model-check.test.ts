import { cpSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, describe, expect, it } from 'vitest';

import { checkModel } from './model-check.ts';

const fixture = new URL('../../fixtures/families/qwen2_5_vl/', import.meta.url).pathname;
const root = mkdtempSync(join(tmpdir(), 'emac-check-'));
afterAll(() => rmSync(root, { recursive: true }));

let copies = 0;
function copied(change: (folder: string) => void): string {
  const folder = join(root, String(copies++));
  cpSync(fixture, folder, { recursive: true });
  change(folder);
  return folder;
}

describe('checking a model', () => {
  it('reports family, parts and types, and nothing missing', () => {
    const { family, parts, missing, prompt, memory } = checkModel(fixture);
    expect(family).toBe('qwen2_5_vl');
    expect(missing).toEqual([]);
    // 4 patches of 32 make a row of 128: 128·128 + 128, then 32·128 + 32
    expect(parts[1]).toEqual({ name: 'connector', parameters: 20640, bytes: 82560, types: { F32: 4 } });
    // at most 20 tokens of 28 × 28: 300 / √(300² / 15680) / 28 = 4.47 → 4 × 4
    expect(prompt.visual).toBe(16);
    expect(memory.map(({ use }) => use)).toEqual([
      'acting',
      'training the projection, activations kept',
      'training an adapter, activations kept',
      'training both, activations kept',
    ]);
    for (const { bytes } of memory) expect(bytes).toBeGreaterThan(4 * (62384 + 25824));
  });

  it('names settings of generation that commands have themselves, and rules that it lacks', () => {
    const written = (object: object) => (place: string) =>
      writeFileSync(join(place, 'generation_config.json'), JSON.stringify(object));
    const published = {
      do_sample: true,
      temperature: 0.1,
      repetition_penalty: 1.05,
      eos_token_id: [332, 331],
    };
    const { overruled, missing } = checkModel(copied(written(published)));
    expect(overruled).toEqual({ do_sample: true, temperature: 0.1, repetition_penalty: 1.05 });
    expect(missing).toEqual([]);
    expect(checkModel(copied(written({ guidance_scale: 2 }))).missing).toEqual([
      expect.stringMatching(/generation_config\.json: guidance_scale is a rule/),
    ]);
  });

  it('reports a missing processor and a missing chat template', () => {
    const folder = copied((place) => {
      rmSync(join(place, 'preprocessor_config.json'));
      rmSync(join(place, 'chat_template.jinja'));
    });
    expect(checkModel(folder).missing).toEqual([
      `${folder}/preprocessor_config.json: does not exist; copy it from the published model`,
      expect.stringMatching(/has no chat template \(chat_template\.jinja, chat_template\.json/),
    ]);
  });

  it('reports a chat template that cannot place pictures, as training does when it opens the model', () => {
    const written = (template: string) => (place: string) =>
      writeFileSync(join(place, 'chat_template.jinja'), template);
    const turns = (content: string) =>
      `{% for message in messages %}<|im_start|>{{ message.role }}\n${content}<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}`;
    const textsAlone = turns(
      '{% for part in message.content %}{% if part.type == "text" %}{{ part.text }}{% endif %}{% endfor %}',
    );
    for (const [template, said] of [
      [textsAlone, 'must write one image token'],
      // a template for contents that are texts
      [turns('{{ message.content }}'), 'the chat template'],
    ] as const) {
      const folder = copied(written(template));
      const [sentence, ...others] = checkModel(folder).missing;
      expect([sentence, others]).toEqual([expect.stringContaining(said), []]);
      expect(sentence).toContain(`${folder}/chat_template.jinja: the chat template`);
      expect(sentence).toContain('content parts');
    }
  });

  it('rejects missing weights, truncated weights and unknown families', () => {
    const gone = copied((folder) => rmSync(join(folder, 'model.safetensors')));
    expect(() => checkModel(gone)).toThrow(/holds no model\.safetensors/);
    const cut = copied((folder) => truncateSync(join(folder, 'model.safetensors'), 100_000));
    expect(() => checkModel(cut)).toThrow(/model\.safetensors/);
    const other = copied((folder) => writeFileSync(join(folder, 'config.json'), '{"model_type":"idefics"}'));
    expect(() => checkModel(other)).toThrow(/must be one of instructblip, qwen2_vl/);
  });
});
