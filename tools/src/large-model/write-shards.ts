/** Random weights in Hugging Face's layout: safetensors of at most 2 GB each, and their index. */
import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { families, type InstructBlipConfig, type ModelConfig } from '@emac/backbone';
import { EmacError } from '@emac/core';
import { float16ToFloat32 } from '@emac/files';
import { randomHalves, type Normal } from './random-halves.ts';

export interface ShardOptions {
  readonly seed: string;
  /** storage type of the half-precision numbers; default F16 */
  readonly dtype?: 'F16' | 'F32';
  /** of one file, at most; default 2 GB */
  readonly shardBytes?: number;
  /** the name in the files of a tensor's name here; default the same */
  readonly storedName?: (name: string) => string;
}

interface PlannedTensor {
  /** in the files */
  readonly name: string;
  /** depth of its part, which scales weights that add to the residual stream */
  readonly layers: number;
  readonly shape: readonly number[];
  readonly length: number;
}

const numbersPerWrite = 1 << 23;

/** Writes weights for a `config.json`'s content and gives their number. */
export function writeShards(
  folder: string,
  config: object,
  { seed, dtype = 'F16', shardBytes = 2e9, storedName = (name) => name }: ShardOptions,
): number {
  const shards = planned(config as Readonly<Record<string, unknown>>, { dtype, shardBytes, storedName });
  const map: Record<string, string> = {};
  let total = 0;
  shards.forEach((tensors, index) => {
    const number = (value: number) => String(value).padStart(5, '0');
    const name = `model-${number(index + 1)}-of-${number(shards.length)}.safetensors`;
    for (const tensor of tensors) map[tensor.name] = name;
    const source = (tensor: PlannedTensor) => randomHalves(`${seed} ${tensor.name}`, normal(tensor));
    writeShard(join(folder, name), tensors, { dtype, source });
    total += tensors.reduce((sum, { length }) => sum + length, 0);
  });
  const index = { metadata: { total_size: bytesOf(dtype) * total }, weight_map: map };
  writeFileSync(join(folder, 'model.safetensors.index.json'), JSON.stringify(index, null, 1));
  return total;
}

const bytesOf = (dtype: 'F16' | 'F32'): number => (dtype === 'F16' ? 2 : 4);

function planned(
  object: Readonly<Record<string, unknown>>,
  { dtype, shardBytes, storedName }: Required<Omit<ShardOptions, 'seed'>>,
): PlannedTensor[][] {
  const family = families.find(({ name }) => name === object['model_type']);
  if (!family) throw new EmacError('config', `write-model: no family ${String(object['model_type'])}`);
  const config = family.config(object, 'write-model') as ModelConfig & SomeSizes;
  const shards: PlannedTensor[][] = [];
  let bytes = Infinity;
  for (const [name, expected] of family.tensors(config, { text: true })) {
    const vocabulary = name.startsWith('qformer.') ? config.qformer!.vocabulary : config.llama.vocabulary;
    const shape = expected.map((size) => size ?? vocabulary);
    const length = shape.reduce((product, size) => product * size, 1);
    if (bytes + bytesOf(dtype) * length > shardBytes) {
      shards.push([]);
      bytes = 0;
    }
    const { layers } = /^(vision|visual)/.test(name) ? config.vision : config.llama;
    shards.at(-1)!.push({ name: storedName(name), shape, length, layers });
    bytes += bytesOf(dtype) * length;
  }
  return shards;
}

/** Fields common to all families, and InstructBLIP's own. */
interface SomeSizes extends Partial<Pick<InstructBlipConfig, 'qformer'>> {
  readonly vision: { readonly layers: number };
}

/**
 * Activations stay near size one in every layer: weights that add to the residual stream are scaled down by depth
 * (GPT-2).
 */
function normal({ name, shape, layers }: PlannedTensor): Normal {
  if (shape.length === 1) return { mean: name.endsWith('weight') ? 1 : 0, deviation: 0.02 };
  const isBranchEnd = /(o_proj|down_proj|self_attn\.projection|out_proj|attn\.proj|fc2)\.weight$/.test(name);
  const inputs = shape.slice(1).reduce((product, size) => product * size, 1);
  return {
    mean: 0,
    deviation: 1 / Math.sqrt((isBranchEnd ? 2 * layers : 1) * (shape[0] === 1 ? 1 : inputs)),
  };
}

interface Numbers {
  readonly dtype: 'F16' | 'F32';
  readonly source: (tensor: PlannedTensor) => (numbers: Uint16Array) => void;
}

function writeShard(path: string, tensors: readonly PlannedTensor[], { dtype, source }: Numbers): void {
  const descriptor = openSync(path, 'w');
  try {
    writeAll(descriptor, header(tensors, dtype));
    for (const tensor of tensors) {
      const fill = source(tensor);
      for (let done = 0; done < tensor.length; done += numbersPerWrite) {
        const numbers = new Uint16Array(Math.min(numbersPerWrite, tensor.length - done));
        fill(numbers);
        const { buffer } = dtype === 'F16' ? numbers : float16ToFloat32(numbers);
        writeAll(descriptor, new Uint8Array(buffer));
      }
    }
  } finally {
    closeSync(descriptor);
  }
}

function header(tensors: readonly PlannedTensor[], dtype: 'F16' | 'F32'): Uint8Array {
  const entries: Record<string, object> = {};
  let begin = 0;
  for (const { name, shape, length } of tensors) {
    entries[name] = { dtype, shape, data_offsets: [begin, begin + bytesOf(dtype) * length] };
    begin += bytesOf(dtype) * length;
  }
  const json = Buffer.from(JSON.stringify(entries));
  const padded = Buffer.alloc(8 + Math.ceil(json.length / 8) * 8, ' ');
  padded.writeBigUInt64LE(BigInt(padded.length - 8), 0);
  json.copy(padded, 8);
  return padded;
}

function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.byteLength;) done += writeSync(descriptor, bytes, done);
}
