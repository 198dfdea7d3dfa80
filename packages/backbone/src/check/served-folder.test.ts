import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, describe, expect, it } from 'vitest';

import { checkServedFolder } from './served-folder.ts';

const fixture = new URL('../../fixtures/families/qwen2_5_vl/', import.meta.url).pathname;
const root = mkdtempSync(join(tmpdir(), 'emac-served-'));
afterAll(() => rmSync(root, { recursive: true }));

let copies = 0;
function copied(change: (folder: string) => void = () => {}): string {
  const folder = join(root, String(copies++));
  cpSync(fixture, folder, { recursive: true });
  configured(folder, { architectures: ['Qwen2_5_VLForConditionalGeneration'] });
  change(folder);
  return folder;
}

function configured(folder: string, more: object): void {
  const path = join(folder, 'config.json');
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), ...more }));
}

describe('a folder for a server', () => {
  it('without faults is valid, with notes on how to start the server', () => {
    const folder = copied();
    const { faults, notes } = checkServedFolder(folder);
    expect(faults).toEqual([]);
    expect(notes).toEqual([
      expect.stringMatching(/vLLM 0\.6 needs a "factor"/),
      expect.stringMatching(/float32; a server computes them in float16 unless .* --dtype float32/),
    ]);
  });

  it('with only an adapter asks for a merge', () => {
    const folder = join(root, 'adapter');
    mkdirSync(folder);
    writeFileSync(join(folder, 'adapter_config.json'), '{}');
    expect(checkServedFolder(folder).faults).toEqual([
      expect.stringMatching(/holds an adapter alone, no model; merge it \(emac model export BASE /),
    ]);
  });

  it('must exist', () => {
    expect(() => checkServedFolder(join(root, 'nowhere'))).toThrow(/look the name up on a hub/);
  });

  it.each<[string, (folder: string) => void, RegExp]>([
    ['no tokenizer', (at) => rmSync(join(at, 'tokenizer.json')), /has no tokenizer \(tokenizer\.json, or /],
    ['no preprocessor', (at) => rmSync(join(at, 'preprocessor_config.json')), /has no image preprocessor/],
    ['no configuration', (at) => rmSync(join(at, 'config.json')), /config\.json: cannot be read/],
    ['no weights', (at) => rmSync(join(at, 'model.safetensors')), /holds no model\.safetensors/],
    ['no architectures', (at) => configured(at, { architectures: [] }), /has no "architectures"/],
    ['a type of numbers that is none', (at) => configured(at, { dtype: 'half' }), /dtype must be one of/],
    [
      'scaled positions without a factor',
      (at) => configured(at, { rope_scaling: { type: 'linear' } }),
      /rope_scaling: of the type linear must have a "factor" above 0, got none/,
    ],
    [
      'scaled positions of no type',
      (at) => configured(at, { text_config: { rope_scaling: { factor: 2 } } }),
      /text_config\.rope_scaling: must have a "rope_type"/,
    ],
  ])('with %s has one fault', (_what, change, sentence) => {
    expect(checkServedFolder(copied(change)).faults).toEqual([expect.stringMatching(sentence)]);
  });

  it.each<[string, (folder: string) => void, RegExp]>([
    ['no chat template', (at) => rmSync(join(at, 'chat_template.jinja')), /--chat-template FILE/],
    ['its own code', (at) => configured(at, { auto_map: { AutoModel: 'm.M' } }), /--trust-remote-code/],
  ])('with %s has a note', (_what, change, sentence) => {
    const { faults, notes } = checkServedFolder(copied(change));
    expect(faults).toEqual([]);
    expect(notes).toContainEqual(expect.stringMatching(sentence));
  });
});
