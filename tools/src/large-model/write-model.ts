/**
 * Writes a model folder of the published shapes with random F16 weights: 15.8 GB at its full size.
 *
 *   node tools/dist/large-model/write-model.js FOLDER [--llama-layers 32] [--vision-layers 39] [--qformer-layers 12] [--seed S]
 *
 * With --narrow the layout is the same and the networks are narrow (two layers each unless given): 20 MB, to try commands with.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { EmacError } from '@emac/core';
import { createFolder } from '@emac/files';
import { characterTokenizer, narrowConfig, publishedConfig, publishedLayers } from './published-config.ts';
import { writeShards } from './write-shards.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    'llama-layers': { type: 'string' },
    'vision-layers': { type: 'string' },
    'qformer-layers': { type: 'string' },
    narrow: { type: 'boolean', default: false },
    seed: { type: 'string', default: 'weights' },
  },
});
const [folder] = positionals;
if (folder === undefined) throw new EmacError('usage', 'write-model: needs a folder');
const usual = values.narrow ? { vision: 2, qformer: 2, llama: 2 } : publishedLayers;
const config = (values.narrow ? narrowConfig : publishedConfig)({
  llama: Number(values['llama-layers'] ?? usual.llama),
  vision: Number(values['vision-layers'] ?? usual.vision),
  qformer: Number(values['qformer-layers'] ?? usual.qformer),
});
createFolder(folder);
const write = (name: string, json: object) =>
  writeFileSync(join(folder, name), JSON.stringify(json, null, 1));
write('config.json', config);
write('generation_config.json', { bos_token_id: 1, eos_token_id: 2, pad_token_id: 0 });
write('preprocessor_config.json', { size: { height: 224, width: 224 } });
write('tokenizer.json', characterTokenizer());
const parameters = writeShards(folder, config, {
  seed: values.seed,
  // several files, as the published model has
  ...(values.narrow && { shardBytes: 8e6 }),
});
process.stdout.write(`${folder}: ${parameters.toLocaleString('en')} parameters\n`);
