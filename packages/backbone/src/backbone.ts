/**
 * A model ready for use: sessions for the frozen vision encoder and for generation, plus image processor and tokenizers
 * from the model's own files. Sessions open when first needed and close together.
 */
import { EmacError, type Frame } from '@emac/core';
import { createSession, type Session, type SessionOptions } from '@emac/graph';

import { openModelFiles, type ModelFiles } from './files/model-files.ts';
import { asInstructBlip } from './families/as-instructblip.ts';
import { instructBlip } from './families/instructblip.ts';
import { blind } from './families/blind.ts';
import type { Connector } from './families/family.ts';
import type { PromptForm } from './families/prompts/prompt-form.ts';
import type { AdapterForm } from './networks/adapter.ts';
import { featureGraph } from './networks/feature-graph.ts';
import { readGenerationConfig, type GenerationConfig } from './files/generation-config.ts';
import type { DrawnText, GeneratedText } from './generation/search/generated-text.ts';
import { contextMemory } from './generation/prompts/context-memory.ts';
import { createGenerator } from './generation/create-generator.ts';
import {
  generatorOf,
  type GenerationOptions,
  type GenerationRequest,
  type Generator,
  type SampleRequest,
} from './generation/generator.ts';
import { createLayeredEye } from './streamed/layered-features.ts';
import { createLayeredExecution } from './streamed/layered-generation.ts';
import { layerPlace, type LayerPlace } from './streamed/layer-place.ts';
import { castFirst, openStoredEye } from './streamed/stored-eye.ts';
import type { Prompt } from './generation/prompts/prompt-reader.ts';
import { loadImageProcessor, type ImageProcessor } from './files/image-processor.ts';
import { loadTokenizer, type TextTokenizer } from './files/tokenizer.ts';

export interface BackboneOptions extends SessionOptions {
  /** where the language model's layers are; default: `layerPlace` */
  readonly layers?: LayerPlace;
  /** adapters that prompts may come with; default none */
  readonly adapter?: AdapterForm | null;
  /**
   * most bytes of keys and values of prompts that later prompts beginning alike start from, on the CPU; default 0: every prompt is read
   * whole. With any other bound prompts are read in pieces, whose bits differ from those of whole reading
   */
  readonly contextBytes?: number;
}

/** Places of a piece: a run costs as much as about forty more, or reads all streamed layers from their files. */
const pieceLengths = { resident: 64, streamed: 256 } as const;

export interface Backbone {
  readonly files: ModelFiles;
  readonly layers: LayerPlace;
  /** null for a model that reads text alone */
  readonly connector: Connector | null;
  /** most visual tokens of one picture; 0 for a model that reads text alone */
  readonly mostVisualTokens: number;
  readonly generationConfig: GenerationConfig;
  /** the language model's tokenizer */
  tokenizer(): TextTokenizer;
  /** how prompts are written */
  prompts(): PromptForm;
  /** Features of a frame as they are stored: the connector's input. Errors: `usage` for a model that reads text alone. */
  encode(frame: Frame): Promise<Float32Array>;
  /** InstructBLIP's; errors: `usage` for other families */
  readonly imageProcessor: ImageProcessor;
  /** the Q-Former's tokenizer; InstructBLIP only */
  qformerTokenizer(): TextTokenizer;
  /** InstructBLIP only: Q-Former rows [Nq, Dq] for pixel values [3, H, W]; `text` are ids of the Q-Former's tokenizer */
  features(pixelValues: Float32Array, text?: readonly number[]): Promise<Float32Array>;
  /** searches a text after visual tokens and a text; with log-probabilities */
  generate(prompt: Prompt, options: GenerationOptions): Promise<GeneratedText>;
  /** the same for several prompts, computed together: each with its own settings, the same tokens as one by one */
  generateBatch(requests: readonly GenerationRequest[]): Promise<GeneratedText[]>;
  /** samples texts for several prompts, computed together: each with its own settings and generators */
  sampleBatch(requests: readonly SampleRequest[]): Promise<DrawnText[][]>;
  /** drops all keys and values of prompts, as after a change of parameters: they would never be used again */
  forgetPrompts(): void;
  dispose(): Promise<void>;
}

/**
 * Opens a model by its path, or takes an open one; no weight is read before a session needs it. Errors: as
 * `openModelFiles`, and `config`.
 */
export function loadBackbone(
  model: string | ModelFiles,
  { layers: wantedPlace, adapter = null, contextBytes = 0, ...options }: BackboneOptions = {},
): Backbone {
  const files = typeof model === 'string' ? openModelFiles(model) : model;
  const layers = layerPlace(files, options.provider ?? 'cpu', wantedPlace);
  const isStreamed = layers === 'streamed';
  const { config, companions, family } = files;
  const familyEye = family.vision && family.vision.eye(isStreamed ? castFirst(files) : files);
  const neededEye = () => familyEye ?? blind(files);
  const closing: (() => Promise<void>)[] = [];
  const kept = <T extends { dispose(): Promise<void> }>(open: () => Promise<T>): (() => Promise<T>) =>
    once(async () => {
      const opened = await open();
      closing.push(() => opened.dispose());
      return opened;
    });
  const eye = kept(() =>
    family.name === instructBlip.name
      ? openInstructBlipEye(files, { text: false, isStreamed, options })
      : isStreamed
        ? openStoredEye(neededEye(), options)
        : createSession(neededEye().graph(), options),
  );
  const readingEye = kept(() => openInstructBlipEye(files, { text: true, isStreamed, options }));
  const memory =
    contextBytes > 0 && (options.provider ?? 'cpu') === 'cpu'
      ? contextMemory({ limit: contextBytes, pieceLength: pieceLengths[layers] })
      : null;
  const tokenizer = once(() => loadTokenizer(companions.tokenizer, companions.beginToken));
  const generator = kept<Generator>(async () =>
    isStreamed
      ? generatorOf(config.llama, await createLayeredExecution(files, { ...options, adapter, memory }))
      : createGenerator({ config: config.llama, weights: files.weights, adapter }, { ...options, memory }),
  );
  return {
    files,
    layers,
    connector: family.vision && family.vision.connector(files),
    mostVisualTokens: familyEye?.mostTokens ?? 0,
    generationConfig: readGenerationConfig(companions.generation),
    tokenizer,
    prompts: once(() => family.prompts(files, tokenizer())),
    encode: async (frame) => {
      const seeing = neededEye();
      const outputs = await (await eye()).run(seeing.feeds(frame));
      return seeing.features(outputs, frame);
    },
    get imageProcessor() {
      const { vision } = asInstructBlip(files).config;
      return loadImageProcessor(companions.imageProcessor, vision.imageSize);
    },
    qformerTokenizer: once(() => loadTokenizer(companions.qformerTokenizer)),
    features: async (pixelValues, text) => {
      const { imageSize } = asInstructBlip(files).config.vision;
      const session = await (text ? readingEye() : eye());
      return runFeatures(session, { pixelValues, imageSize, ...(text ? { text } : {}) });
    },
    generate: async (prompt, settings) => (await generator()).generate(prompt, settings),
    generateBatch: async (requests) => (await generator()).generateBatch(requests),
    sampleBatch: async (requests) => (await generator()).sampleBatch(requests),
    forgetPrompts: () => memory?.forget(),
    dispose: async () => {
      await Promise.all(closing.splice(0).map((close) => close()));
    },
  };
}

/** Streams the vision encoder where the language model is streamed; errors: `usage` for other families. */
function openInstructBlipEye(
  model: ModelFiles,
  { text, isStreamed, options }: { text: boolean; isStreamed: boolean; options: SessionOptions },
): Promise<Pick<Session, 'run' | 'dispose'>> {
  const files = asInstructBlip(model);
  return isStreamed && files.config.vision.layers >= 2
    ? createLayeredEye(files, { text }, options)
    : createSession(featureGraph(files, { text }), options);
}

interface FeatureInputs {
  readonly pixelValues: Float32Array;
  readonly imageSize: number;
  readonly text?: readonly number[];
}

async function runFeatures(
  session: Pick<Session, 'run'>,
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

/** Calls `make` once and returns its value from then on. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
