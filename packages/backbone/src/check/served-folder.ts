/**
 * Checks a model's folder, for example a merged one, before a server of vLLM's kind is started with it. Every fault is one sentence; the server itself would
 * end with a stack trace or take the path for a name on a hub. Based on vLLM's documents and reported faults; never run against a server.
 */
import { join } from '@emac/platform';

import { EmacError } from '@emac/core';
import { isFolder, isThere } from '@emac/files';

import { adapterLayout } from '../files/adapter-files.ts';
import { readJsonObject, type JsonObject } from '../files/json-object.ts';
import type { TensorTable } from '../files/tensor-table.ts';
import { openWeightFiles } from '../files/weight-files.ts';

export interface ServedFolderCheck {
  readonly folder: string;
  /** one sentence per thing that keeps a server from starting, or from seeing pictures or chat */
  readonly faults: readonly string[];
  /** how to start the server */
  readonly notes: readonly string[];
}

/** Checks a folder without reading a weight. Errors: `missing` where it is no folder. */
export function checkServedFolder(folder: string): ServedFolderCheck {
  if (!isFolder(folder))
    throw new EmacError(
      'missing',
      `${folder}: is not a folder, so a server would look the name up on a hub; give the path of a folder`,
    );
  const isAlone = isThere(join(folder, adapterLayout.config)) && !isThere(join(folder, 'config.json'));
  if (isAlone) return { folder, faults: [adapterAlone(folder)], notes: [] };
  const tried = trials();
  const config = tried.of(() => readJsonObject(join(folder, 'config.json')));
  const weights = tried.of(() => openWeightFiles(folder));
  const faults = [
    ...tried.faults,
    ...companionFaults(folder, config),
    ...(config ? configFaults(config, join(folder, 'config.json')) : []),
    ...(weights ? typeFaults(weights, folder) : []),
  ];
  return { folder, faults, notes: [...notesOn(config ?? {}, folder), ...typeNotes(weights, folder)] };
}

function adapterAlone(folder: string): string {
  return `${folder}: holds an adapter alone, no model; merge it (emac model export BASE ${folder} OUT) and serve OUT, or serve BASE with --enable-lora`;
}

/** Runs checks and collects their errors as sentences. */
function trials() {
  const faults: string[] = [];
  return {
    faults,
    of: <T>(read: () => T): T | null => {
      try {
        return read();
      } catch (thrown) {
        if (!(thrown instanceof EmacError)) throw thrown;
        faults.push(thrown.message);
        return null;
      }
    },
  };
}

const tokenizers = [['tokenizer.json'], ['tokenizer.model'], ['vocab.json', 'merges.txt']];
const processors = [['preprocessor_config.json'], ['processor_config.json']];

function companionFaults(folder: string, config: JsonObject | null): string[] {
  const has = (names: readonly string[]) => names.every((name) => isThere(join(folder, name)));
  const lacks = (choices: readonly (readonly string[])[], what: string) =>
    choices.some(has)
      ? []
      : [
          `${folder}: has no ${what} (${choices.map((names) => names.join(' and ')).join(', or ')}); copy it from the base`,
        ];
  return [
    ...lacks(tokenizers, 'tokenizer'),
    ...lacks([['tokenizer_config.json']], 'tokenizer settings'),
    ...(config?.['vision_config'] ? lacks(processors, 'image preprocessor') : []),
  ];
}

function configFaults(config: JsonObject, place: string): string[] {
  const { architectures } = config;
  const faults: string[] = [];
  if (!Array.isArray(architectures) || architectures.length === 0)
    faults.push(
      `${place}: has no "architectures", by which a server chooses its code; copy them from the base`,
    );
  for (const [path, part] of [
    ['', config] as const,
    ['text_config.', objectIn(config, 'text_config')] as const,
  ]) {
    const dtype = part['dtype'] ?? part['torch_dtype'] ?? 'float32';
    if (!floats.includes(String(dtype)))
      faults.push(`${place}: ${path}dtype must be one of ${floats.join(', ')}, got ${JSON.stringify(dtype)}`);
    for (const key of ['rope_scaling', 'rope_parameters'])
      faults.push(...ropeFaults(objectIn(part, key), `${place}: ${path}${key}`));
  }
  return faults;
}

const floats = ['float32', 'float16', 'bfloat16', 'auto'];
/** rotary scalings with no factor, or with several */
const withoutFactor = ['default', 'mrope', 'su', 'longrope'];

function ropeFaults(rope: JsonObject, place: string): string[] {
  if (Object.keys(rope).length === 0) return [];
  const type = rope['rope_type'] ?? rope['type'];
  if (typeof type !== 'string')
    return [
      `${place}: must have a "rope_type" (or "type"), got ${JSON.stringify(rope)}; copy it from the base`,
    ];
  const { factor } = rope;
  if (withoutFactor.includes(type) || (typeof factor === 'number' && factor > 0)) return [];
  return [
    `${place}: of the type ${type} must have a "factor" above 0, got ${JSON.stringify(factor) ?? 'none'}; copy it from the base`,
  ];
}

function typeFaults(weights: TensorTable, folder: string): string[] {
  const other = [...weights.values()].find(({ dtype }) => !['F32', 'F16', 'BF16'].includes(dtype));
  if (!other) return [];
  return [`${folder}: ${other.name} is stored as ${other.dtype}; store floats, as emac model export does`];
}

/** By default a server computes float32 models in float16. */
function typeNotes(weights: TensorTable | null, folder: string): string[] {
  if (![...(weights?.values() ?? [])].some(({ dtype }) => dtype === 'F32')) return [];
  return [
    `${folder}: has weights in float32; a server computes them in float16 unless it is started with --dtype float32 (or bfloat16)`,
  ];
}

function notesOn(config: JsonObject, folder: string): string[] {
  const templates = ['chat_template.jinja', 'chat_template.json'];
  const hasFile = templates.some((name) => isThere(join(folder, name)));
  const settings = join(folder, 'tokenizer_config.json');
  const isInside = !hasFile && isThere(settings) && readJsonObject(settings)['chat_template'] != null;
  const notes: string[] = [];
  if (!hasFile && !isInside)
    notes.push(`${folder}: has no chat template; start the server with --chat-template FILE`);
  if (config['auto_map'])
    notes.push(`${folder}: needs its own code (auto_map); start the server with --trust-remote-code`);
  const ropes = [config, objectIn(config, 'text_config')].map((part) => objectIn(part, 'rope_scaling'));
  if (ropes.some((rope) => rope['mrope_section'] !== undefined && rope['factor'] === undefined))
    notes.push(`${folder}: vLLM 0.6 needs a "factor" in its rope_scaling; serve it with a later version`);
  return notes;
}

function objectIn(of: JsonObject, key: string): JsonObject {
  const value = of[key];
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}
