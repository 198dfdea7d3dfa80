/** The same update in PyTorch: `tools/reference/bench_update.py` on the same checkpoint and samples. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asInstructBlip, type Backbone } from '@emac/backbone';
import { parametersOf } from '@emac/core';
import { encodeSafetensors, type TensorData } from '@emac/files';
import type { Pair } from './play.ts';
import { pythonLine } from './python-line.ts';
import { adamW, dpo, learningRate, type Policies } from './update.ts';

/** Ids of a prompt with its begin token, and of both answers with their end tokens. */
export interface PairTokens {
  readonly prompt: readonly number[];
  readonly chosen: readonly number[];
  readonly rejected: readonly number[];
}

export interface PeerAnswer {
  readonly ms: number;
  readonly loss: number;
  readonly gradientNorm: number;
}

export interface Peer {
  /** finds the fastest number of threads and uses it from then on */
  calibrate(): Promise<number>;
  update(): Promise<PeerAnswer>;
  end(): void;
}

export function tokensOf(pairs: readonly Pair[], eye: Backbone): PairTokens[] {
  const tokenizer = eye.tokenizer();
  return pairs.map(({ text, chosen, rejected }) => {
    const before = tokenizer.encode(text);
    const after = (target: string) => [
      ...tokenizer.encode(text + target).slice(before.length),
      tokenizer.endToken!,
    ];
    return { prompt: [tokenizer.beginToken!, ...before], chosen: after(chosen), rejected: after(rejected) };
  });
}

export interface PeerParts {
  readonly python: string;
  /** folder for samples */
  readonly folder: string;
  readonly pairs: readonly Pair[];
}

/** Starts it with the policies' projections as they are now. */
export function startPeer({ student, reference }: Policies, eye: Backbone, parts: PeerParts): Peer {
  const { python, folder, pairs } = parts;
  const side = asInstructBlip(eye.files).config.vision.imageSize;
  const images = pairs.map(({ frame }) => eye.imageProcessor.process(frame));
  const pixels = new Float32Array(images.length * images[0]!.length);
  images.forEach((image, place) => pixels.set(image, place * image.length));
  const tensors = new Map<string, TensorData>([
    ['pixel_values', { dtype: 'F32', shape: [pairs.length, 3, side, side], data: pixels }],
  ]);
  for (const [prefix, policy] of Object.entries({ policy: student, reference }))
    for (const [name, { shape, data }] of parametersOf(policy))
      tensors.set(`${prefix}.${name}`, { dtype: 'F32', shape, data });
  writeFileSync(join(folder, 'samples.safetensors'), encodeSafetensors(tensors));
  const settings = { ...dpo, ...adamW, learningRate, pairs: tokensOf(pairs, eye) };
  writeFileSync(join(folder, 'samples.json'), JSON.stringify(settings));
  const script = new URL('../../reference/bench_update.py', import.meta.url).pathname;
  const line = pythonLine(python, [script, eye.files.folder, folder]);
  return {
    calibrate: async () => (await line.ask({ calibrate: true }))['threads'] as number,
    update: async () => (await line.ask({})) as unknown as PeerAnswer,
    end: () => line.end(),
  };
}
