/** Files of models: weights, tokenizers, templates, networks. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { boundedTemplate, loadTokenizer, openWeightFiles, readJsonObject } from '@emac/backbone';
import { EmacError } from '@emac/core';
import { createFolder, encodeSafetensors, openSafetensors, readFloat32 } from '@emac/files';
import { importGguf } from '@emac/gguf';
import { importOnnx } from '@emac/onnx-import';
import type { Parser } from '../try-inputs.ts';
import { files, packages, type Place } from './place.ts';

const conversation = {
  messages: [
    { role: 'system', content: 'Be short.' },
    { role: 'user', content: 'Say é.' },
    { role: 'assistant', content: 'é' },
  ],
  tools: [
    { type: 'function', function: { name: 'add', description: 'Adds.', parameters: { type: 'object' } } },
  ],
  add_generation_prompt: true,
  bos_token: '<s>',
  eos_token: '</s>',
};

export function modelRows({ folder, fromFile }: Place): Parser[] {
  return [
    {
      name: 'safetensors',
      isText: true,
      share: 150,
      seeds: [
        encodeSafetensors(
          new Map([
            ['a', { dtype: 'F32', shape: [2, 2], data: new Float32Array(4) }],
            ['b', { dtype: 'F16', shape: [3], data: new Uint16Array(3) }],
          ]),
          { format: 'pt' },
        ),
      ],
      read: fromFile('model.safetensors', (path) => {
        const file = openSafetensors(path);
        for (const name of file.tensors.keys()) readFloat32(file, name);
      }),
    },
    {
      name: 'torch',
      isText: false,
      share: 60,
      seeds: files('backbone/fixtures/torch', '.pth'),
      read: (input) => {
        const place = join(folder, 'torch');
        createFolder(place);
        writeFileSync(join(place, 'pytorch_model.bin'), input);
        return openWeightFiles(place);
      },
    },
    {
      name: 'gguf',
      isText: false,
      share: 10,
      seeds: files('gguf/fixtures', '.gguf'),
      read: fromFile('model.gguf', async (file) => {
        const out = join(folder, 'imported');
        try {
          await importGguf({ file, out });
        } finally {
          rmSync(out, { recursive: true, force: true });
        }
      }),
    },
    {
      name: 'tokenizer',
      isText: true,
      shape: 'document',
      share: 40,
      seeds: ['llama', 'gemma3_text', 'qwen2'].map((name) =>
        readFileSync(join(packages, 'backbone/fixtures/text', name, 'tokenizer.json')),
      ),
      read: fromFile('tokenizer.json', (path) => {
        const tokenizer = loadTokenizer(path);
        return tokenizer.decode(tokenizer.encode('Say this, é ½.', { special: true }));
      }),
    },
    {
      name: 'json',
      isText: true,
      shape: 'document',
      share: 100,
      seeds: [readFileSync(join(packages, 'backbone/fixtures/text/qwen2/config.json'))],
      read: fromFile('config.json', readJsonObject),
    },
    {
      name: 'onnx',
      isText: false,
      share: 40,
      seeds: files('small-networks/fixtures', '.onnx').concat(
        ['mlp.onnx', 'attention.onnx'].map((name) =>
          readFileSync(join(packages, 'onnx-import/src/fixtures', name)),
        ),
      ),
      read: (input) => importOnnx(input),
    },
    {
      name: 'template',
      isText: true,
      share: 20,
      seeds: ['gemma3_text', 'llama', 'qwen2', 'qwen3'].map((name) =>
        readFileSync(join(packages, 'backbone/fixtures/text', name, 'chat_template.jinja')),
      ),
      read: (input) => refusing(() => boundedTemplate(Buffer.from(input).toString('utf8'))(conversation)),
    },
  ];
}

/** Errors of any kind are refusals, which the reader of templates names with the file; what counts is that it ends. */
function refusing<T>(read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    throw new EmacError('data', 'template', { cause: thrown });
  }
}
