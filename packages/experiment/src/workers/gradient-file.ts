/**
 * Shards of an update and their gradients in the shared folder: rows as JSON with every picture's features as a file of its own, once for
 * equal ones, and the loss as a program; a gradient as safetensors. Numbers come back as they were, those that are not finite too.
 */
import {
  invariant,
  type Features,
  type Gradient,
  type GradientRow,
  type Loss,
  type PromptPart,
} from '@emac/core';
import { encodeFloats, openSafetensors, readFloat32 } from '@emac/files';
import { lossOf, programOf, type LossProgram } from '@emac/losses';
import type { SharedFolder } from '@emac/queue';
import { exactJson, patiently, storedText } from './carried.ts';

/** What a gradient is of. */
export interface Shard {
  readonly rows: readonly GradientRow[];
  readonly loss: Loss;
}

type StoredPart =
  | Extract<PromptPart, { readonly kind: 'text' }>
  | { readonly kind: 'image'; readonly key: string; readonly hash: string };

interface StoredShard {
  readonly loss: LossProgram;
  readonly rows: readonly (Omit<GradientRow, 'prompt' | 'constants'> & {
    readonly prompt: readonly StoredPart[];
    readonly constants?: Readonly<Record<string, number | readonly number[]>>;
  })[];
}

/** Stores shards; returns the hash of each, equal for equal ones. Features are put once, by their key. Errors: those of the folder; `internal` for numbers JSON has no words for. */
export function shardStore(folder: SharedFolder): (shard: Shard) => string {
  const hashes = new Map<string, string>();
  const hashOf = ({ key, data }: Features): string => {
    const hash = hashes.get(key) ?? folder.put(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
    hashes.set(key, hash);
    return hash;
  };
  const stored = (part: PromptPart): StoredPart => {
    if (part.kind === 'text') return part;
    invariant(part.kind === 'image', `shard: prompts are pictures and texts, got ${part.kind}`);
    return { kind: 'image', key: part.features.key, hash: hashOf(part.features) };
  };
  return ({ rows, loss }) => {
    const shard: StoredShard = {
      loss: programOf(loss),
      rows: rows.map(({ prompt, constants, ...row }) => ({
        ...row,
        prompt: prompt.map(stored),
        ...(constants && { constants: listed(constants) }),
      })),
    };
    return folder.put(Buffer.from(exactJson(shard)));
  };
}

function listed(constants: NonNullable<GradientRow['constants']>) {
  const lists = Object.entries(constants).map(
    ([name, given]) => [name, typeof given === 'number' ? given : Array.from(given)] as const,
  );
  return Object.fromEntries(lists);
}

/** The shard of a hash. Errors: `missing`, `data`. */
export async function readShard(folder: SharedFolder, hash: string): Promise<Shard> {
  const { loss, rows } = JSON.parse(await storedText(folder, hash)) as StoredShard;
  const known = new Map<string, Features>();
  const read = async (part: StoredPart): Promise<PromptPart> => {
    if (part.kind === 'text') return part;
    const features = known.get(part.key) ?? (await readFeatures(folder, part));
    known.set(part.key, features);
    return { kind: 'image', features };
  };
  const whole: GradientRow[] = [];
  for (const row of rows) {
    const prompt: PromptPart[] = [];
    for (const part of row.prompt) prompt.push(await read(part));
    whole.push({ ...row, prompt });
  }
  return { loss: lossOf(loss), rows: whole };
}

async function readFeatures(
  folder: SharedFolder,
  { key, hash }: { readonly key: string; readonly hash: string },
): Promise<Features> {
  // a copy, which begins where numbers may begin
  const { buffer } = Uint8Array.from(await patiently(() => folder.get(hash)));
  return { key, data: new Float32Array(buffer) };
}

/** Stores a gradient; returns its hash. Errors: those of the folder. */
export function storeGradient(folder: SharedFolder, { loss, gradients, logProbabilities }: Gradient): string {
  const tensors = [...gradients].map(([name, data]) => [name, { shape: [data.length], data }] as const);
  const numbers = Float64Array.of(loss, ...logProbabilities.flat());
  return folder.put(
    encodeFloats(tensors, {
      // a file has its own order, and a sum over parameters is taken in theirs
      names: JSON.stringify([...gradients.keys()]),
      counts: JSON.stringify(logProbabilities.map(({ length }) => length)),
      numbers: Buffer.from(numbers.buffer).toString('base64'),
    }),
  );
}

/** The gradient of a hash. Errors: `missing`, `data`. */
export async function readGradient(folder: SharedFolder, hash: string): Promise<Gradient> {
  const file = openSafetensors(await patiently(() => folder.file(hash)));
  const said = (name: string): string => file.metadata[name]!;
  const names = JSON.parse(said('names')) as readonly string[];
  const { buffer } = Uint8Array.from(Buffer.from(said('numbers'), 'base64'));
  const [loss, ...read] = new Float64Array(buffer);
  let from = 0;
  const logProbabilities = (JSON.parse(said('counts')) as readonly number[]).map((count) =>
    read.slice(from, (from += count)),
  );
  return {
    loss: loss!,
    gradients: new Map(names.map((name) => [name, readFloat32(file, name)])),
    logProbabilities,
  };
}
