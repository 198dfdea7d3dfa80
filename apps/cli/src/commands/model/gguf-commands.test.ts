/** `emac model fetch` and `emac model export`, on the small files of `packages/gguf`. */
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../../captured-io.test.fixture.ts';

const folder = temporaryFolder();
const at = (name: string) => join(folder, name);
const file = new URL('../../../../../packages/gguf/fixtures/llama.gguf', import.meta.url).pathname;

beforeAll(async () => {
  const { status, stdout } = await emac(['model', 'import', file, at('model')]);
  expect([status, stdout.split('\n')]).toEqual([
    0,
    [
      `${at('model')}: a model folder, llama, 22,944 parameters`,
      'tensors in the file: 5 F32, 8 Q4_1, 7 Q5_0',
      `next: npx emac model check ${at('model')}`,
      '',
    ],
  ]);
});

describe('emac model fetch', () => {
  it('writes weights of half the size with --dtype f16', async () => {
    const made = await emac(['model', 'import', file, at('half'), '--dtype', 'f16', '--json']);
    expect(JSON.parse(made.stdout)).toMatchObject({ folder: at('half'), model: 'llama' });
    const bytes = (name: string) => readFileSync(join(at(name), 'model.safetensors')).length;
    expect(bytes('half') / bytes('model')).toBeLessThan(0.6);
  });

  it('says in one sentence what is wrong, and leaves nothing behind', async () => {
    writeFileSync(at('short.gguf'), readFileSync(file).subarray(0, 20_000));
    for (const [words, status, message] of [
      [[file], 64, /takes FILE\.gguf OUT, got 1 name/],
      [[at('none.gguf'), at('out')], 66, /none\.gguf/],
      [[at('short.gguf'), at('out')], 65, /short\.gguf: was cut short: .*; copy or download it again/],
    ] as const) {
      const refused = await emac(['model', 'import', ...words]);
      expect([refused.status, refused.stderr]).toEqual([status, expect.stringMatching(message)]);
    }
    expect(readdirSync(folder).filter((name) => name.includes('out'))).toEqual([]);
  });
});

describe('emac model export', () => {
  it('writes a folder as a file that is imported again', async () => {
    const made = await emac(['model', 'export', at('model'), at('model.gguf'), '--type', 'q8_0']);
    expect([made.status, made.stdout]).toEqual([
      0,
      expect.stringMatching(/model\.gguf: GGUF, llama, 22,944 parameters, /),
    ]);
    const again = await emac(['model', 'import', at('model.gguf'), at('again')]);
    expect([again.status, again.stdout]).toEqual([0, expect.stringContaining('Q8_0')]);
    expect(readFileSync(join(at('again'), 'config.json'), 'utf8')).toBe(
      readFileSync(join(at('model'), 'config.json'), 'utf8'),
    );
  });

  it('rejects a model with a vision encoder, and an adapter without its base, before it writes anything', async () => {
    writeFileSync(at('adapter_config.json'), '{}');
    for (const [words, status, message] of [
      [
        ['emma-tiny', at('tiny.gguf'), '--model', 'emma-tiny'],
        78,
        /model_type must be one of llama, mistral, qwen2, qwen3 to be written as GGUF/,
      ],
      [[folder, at('tiny.gguf')], 64, /its base is unknown; give the base with --model/],
    ] as const) {
      const refused = await emac(['model', 'export', ...words]);
      expect([refused.status, refused.stderr]).toEqual([status, expect.stringMatching(message)]);
    }
    expect(existsSync(at('tiny.gguf'))).toBe(false);
  });
});
