import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { openSafetensors } from '@emac/files';
import { afterAll, describe, expect, it } from 'vitest';

import { modelIdentity } from './model-identity.ts';
import { smallConfig, writeRandomFolder } from './random-model.test.support.ts';

const root = mkdtempSync(join(tmpdir(), 'identity-'));
afterAll(() => rmSync(root, { recursive: true }));

let count = 0;
function folder(options: Parameters<typeof writeRandomFolder>[1] = {}): string {
  const path = join(root, String(count++));
  writeRandomFolder(path, options);
  return path;
}

/** A folder with one bit flipped in a tensor's last byte. */
function withBitOf(tensor: string): string {
  const path = folder();
  const file = join(path, 'model.safetensors');
  const { offset, length } = openSafetensors(file).tensors.get(tensor)!;
  const bytes = readFileSync(file);
  bytes[offset + length - 1]! ^= 1;
  writeFileSync(file, bytes);
  return path;
}

function withFile(name: string, text: string): string {
  const path = folder();
  mkdirSync(dirname(join(path, name)), { recursive: true });
  writeFileSync(join(path, name), text);
  return path;
}

describe('the model identity', () => {
  it('is the same in every folder, however weights are split into files and config.json is formatted', async () => {
    const identity = await modelIdentity(folder());
    expect(identity).toMatch(/^[0-9a-f]{64}$/);
    expect(await modelIdentity(folder())).toBe(identity);
    expect(await modelIdentity(folder({ shards: 3 }))).toBe(identity);
    expect(await modelIdentity(withFile('config.json', JSON.stringify(smallConfig, null, 2)))).toBe(identity);
  });

  it('ignores the trainable projection', async () => {
    const identity = await modelIdentity(folder());
    for (const name of ['language_projection.weight', 'language_projection.bias'])
      expect(await modelIdentity(withBitOf(name))).toBe(identity);
  });

  it('changes with every bit of a frozen tensor', async () => {
    const identities = new Set([await modelIdentity(folder())]);
    const frozen = [
      'language_model.lm_head.weight',
      'query_tokens',
      'vision_model.encoder.layers.0.layer_norm1.bias',
    ];
    for (const name of frozen) identities.add(await modelIdentity(withBitOf(name)));
    expect(identities.size).toBe(1 + frozen.length);
  });

  it('changes with sizes that no tensor shows', async () => {
    const config = { ...smallConfig, text_config: { ...smallConfig.text_config, rope_theta: 5000 } };
    expect(await modelIdentity(folder({ config }))).not.toBe(await modelIdentity(folder()));
  });

  const besideConfig = ['tokenizer.json', 'preprocessor_config.json', 'qformer_tokenizer/tokenizer.json'];
  it.each(besideConfig)('changes with %s', async (name) => {
    const identities = [folder(), withFile(name, '{"a": 1}'), withFile(name, '{"a": 2}')].map(modelIdentity);
    expect(new Set(await Promise.all(identities)).size).toBe(3);
  });

  it('changes with what tokenizer_config.json changes of tokenizer.json, and with that alone', async () => {
    const json = {
      added_tokens: [
        {
          id: 1,
          content: '<s>',
          special: true,
          normalized: false,
          lstrip: false,
          rstrip: false,
          single_word: false,
        },
      ],
      pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false },
      model: { type: 'BPE', vocab: { a: 0, '<s>': 1 }, merges: [] },
    };
    const identity = (config: object | null) => {
      const path = withFile('tokenizer.json', JSON.stringify(json));
      if (config)
        writeFileSync(
          join(path, 'tokenizer_config.json'),
          JSON.stringify({ tokenizer_class: 'PreTrainedTokenizerFast', ...config }),
        );
      return modelIdentity(path);
    };
    const plain = await identity(null);
    expect(await identity({ eos_token: '<s>', padding_side: 'left', add_prefix_space: false })).toBe(plain);
    const changed = [
      { add_prefix_space: true },
      { eos_token: '<end>' },
      { added_tokens_decoder: { 1: { content: '<s>', lstrip: true } } },
    ];
    const all = await Promise.all([...changed.map(identity), plain]);
    expect(new Set(all).size).toBe(4);
  });
});
