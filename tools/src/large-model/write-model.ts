/**
 * Writes a model folder of the published shapes with random F16 weights: 15.8 GB at its full size.
 *
 *   node tools/dist/large-model/write-model.js FOLDER [--llama-layers 32] [--vision-layers 39] [--qformer-layers 12] [--seed S]
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { EmacError } from '@emac/core';
import { createFolder } from '@emac/files';
import { characterTokenizer, publishedConfig, publishedLayers } from './published-config.ts';
import { writeShards } from './write-shards.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    'llama-layers': { type: 'string', default: String(publishedLayers.llama) },
    'vision-layers': { type: 'string', default: String(publishedLayers.vision) },
    'qformer-layers': { type: 'string', default: String(publishedLayers.qformer) },
    seed: { type: 'string', default: 'weights' },
  },
});
const [folder] = positionals;
if (folder === undefined) throw new EmacError('usage', 'write-model: needs a folder');
const config = publishedConfig({
  llama: Number(values['llama-layers']),
  vision: Number(values['vision-layers']),
  qformer: Number(values['qformer-layers']),
});
createFolder(folder);
const write = (name: string, json: object) =>
  writeFileSync(join(folder, name), JSON.stringify(json, null, 1));
write('config.json', config);
write('generation_config.json', { bos_token_id: 1, eos_token_id: 2, pad_token_id: 0 });
write('preprocessor_config.json', { size: { height: 224, width: 224 } });
write('tokenizer.json', characterTokenizer());
const parameters = writeShards(folder, config, { seed: values.seed });
process.stdout.write(`${folder}: ${parameters.toLocaleString('en')} parameters\n`);
