/**
 *
 * Writes a model folder of the published shapes with random F16 weights: 15.8 GB of InstructBLIP, 7.5 of Qwen2.5-VL-3B,
 * 15 of LLaVA-1.6-Mistral-7B.
 *
 *   node tools/dist/large-model/write-model.js FOLDER [--family instructblip|qwen2_5_vl|llava_next]
 *     [--llama-layers N] [--vision-layers N] [--qformer-layers 12] [--seed S]
 *
 * --narrow keeps the layout with narrow networks (two layers each by default): 20 MB, 40 with Qwen's vocabulary, for
 * trying commands.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { EmacError } from '@emac/core';
import { createFolder } from '@emac/files';
import { chatConfig, chatModels, writeChatCompanions } from './chat-models.ts';
import { characterTokenizer, narrowConfig, publishedConfig, publishedLayers } from './published-config.ts';
import { writeShards } from './write-shards.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    family: { type: 'string', default: 'instructblip' },
    'llama-layers': { type: 'string' },
    'vision-layers': { type: 'string' },
    'qformer-layers': { type: 'string' },
    narrow: { type: 'boolean', default: false },
    seed: { type: 'string', default: 'weights' },
  },
});
const [folder] = positionals;
if (folder === undefined) throw new EmacError('usage', 'write-model: needs a folder');
const chat = chatModels[values.family];
if (!chat && values.family !== 'instructblip')
  throw new EmacError(
    'usage',
    `--family: must be instructblip, ${Object.keys(chatModels).join(' or ')}, got ${values.family}`,
  );
const published = chat ? { ...chat.layers, qformer: 0 } : publishedLayers;
const usual = values.narrow ? { vision: 2, qformer: 2, llama: 2 } : published;
const layers = {
  llama: Number(values['llama-layers'] ?? usual.llama),
  vision: Number(values['vision-layers'] ?? usual.vision),
  qformer: Number(values['qformer-layers'] ?? usual.qformer),
};
createFolder(folder);
const write = (name: string, json: object) =>
  writeFileSync(join(folder, name), JSON.stringify(json, null, 1));
const config = chat
  ? chatConfig(chat, layers, values.narrow)
  : (values.narrow ? narrowConfig : publishedConfig)(layers);
write('config.json', config);
write('generation_config.json', chat?.generation ?? { bos_token_id: 1, eos_token_id: 2, pad_token_id: 0 });
if (chat) writeChatCompanions(folder, chat);
else {
  write('preprocessor_config.json', { size: { height: 224, width: 224 } });
  write('tokenizer.json', characterTokenizer());
}
const parameters = writeShards(folder, config, {
  seed: values.seed,
  // several files, as the published model has
  ...(values.narrow && { shardBytes: 8e6 }),
  ...(chat && { storedName: chat.storedName }),
});
process.stdout.write(`${folder}: ${parameters.toLocaleString('en')} parameters\n`);
