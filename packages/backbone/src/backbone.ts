/**
 * A model folder ready for use: sessions for the frozen eye and for generation, opened when first needed and
 * closed together; image processor and tokenizers from the folder's own files.
 */
import { join } from 'node:path';

import { EmacError } from '@emac/core';
import { createSession, type Session, type SessionOptions } from '@emac/graph';

import { openCheckpoint, type Checkpoint } from './checkpoint.ts';
import { featureGraph } from './feature-graph.ts';
import { readGenerationConfig, type GenerationConfig } from './generation-config.ts';
import { createGenerator, type GenerationOptions, type Generator, type Prompt } from './generator.ts';
import { loadImageProcessor, type ImageProcessor } from './image-processor.ts';
import { loadTokenizer, type TextTokenizer } from './tokenizer.ts';

export interface Backbone {
  readonly checkpoint: Checkpoint;
  readonly imageProcessor: ImageProcessor;
  readonly generationConfig: GenerationConfig;
  /** the language model's tokenizer, `tokenizer.json` */
  tokenizer(): TextTokenizer;
  /** the Q-Former's tokenizer, `qformer_tokenizer/tokenizer.json` */
  qformerTokenizer(): TextTokenizer;
  /** Q-Former rows [Nq, Dq] for pixel values [3, H, W]; `text` are ids of the Q-Former's tokenizer */
  features(pixelValues: Float32Array, text?: readonly number[]): Promise<Float32Array>;
  /** new token ids after visual tokens and a text */
  generate(prompt: Prompt, options: GenerationOptions): Promise<number[]>;
  dispose(): Promise<void>;
}

/** Opens a folder; no weight is read before a session needs it. Errors: as `openCheckpoint`, and `config`. */
export function loadBackbone(folder: string, options: SessionOptions = {}): Backbone {
  const checkpoint = openCheckpoint(folder);
  const { config } = checkpoint;
  const closing: (() => Promise<void>)[] = [];
  const kept = <T extends { dispose(): Promise<void> }>(open: () => Promise<T>): (() => Promise<T>) =>
    once(async () => {
      const opened = await open();
      closing.push(() => opened.dispose());
      return opened;
    });
  const eye = kept(() => createSession(featureGraph(checkpoint, { text: false }), options));
  const readingEye = kept(() => createSession(featureGraph(checkpoint, { text: true }), options));
  const generator = kept<Generator>(() =>
    createGenerator({ config: config.llama, weights: checkpoint.weights }, options),
  );
  return {
    checkpoint,
    imageProcessor: loadImageProcessor(folder, config.vision.imageSize),
    generationConfig: readGenerationConfig(folder),
    tokenizer: once(() => loadTokenizer(join(folder, 'tokenizer.json'))),
    qformerTokenizer: once(() => loadTokenizer(join(folder, 'qformer_tokenizer', 'tokenizer.json'))),
    features: async (pixelValues, text) => {
      const session = await (text ? readingEye() : eye());
      return runFeatures(session, {
        pixelValues,
        imageSize: config.vision.imageSize,
        ...(text ? { text } : {}),
      });
    },
    generate: async (prompt, settings) => (await generator()).generate(prompt, settings),
    dispose: async () => {
      await Promise.all(closing.splice(0).map((close) => close()));
    },
  };
}

interface FeatureInputs {
  readonly pixelValues: Float32Array;
  readonly imageSize: number;
  readonly text?: readonly number[];
}

async function runFeatures(
  session: Session,
  { pixelValues, imageSize, text }: FeatureInputs,
): Promise<Float32Array> {
  if (pixelValues.length !== 3 * imageSize ** 2)
    throw new EmacError(
      'internal',
      `features: needs 3 × ${imageSize} × ${imageSize} values, got ${pixelValues.length}`,
    );
  const row = (data: BigInt64Array) => ({ type: 'int64' as const, shape: [1, data.length], data });
  const words = text && {
    qformer_input_ids: row(BigInt64Array.from(text, (id) => BigInt(id))),
    qformer_attention_mask: row(new BigInt64Array(text.length).fill(1n)),
  };
  const outputs = await session.run({
    pixel_values: { type: 'float32', shape: [1, 3, imageSize, imageSize], data: pixelValues },
    ...words,
  });
  return outputs['qformer_output']!.data as Float32Array;
}

/** Makes a value at the first call and gives the same one afterwards. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
