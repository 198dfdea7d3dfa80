/** The model, its computing backend, and its policy's speech. */
import { observeForms } from '@emac/prompt';
import { given, text, whole } from '@emac/algorithms';
import { dialogueForms } from '@emac/core';
import { z } from 'zod';
import { usualObserveText } from '../usual-observe.ts';

export const modelSchema = z.strictObject({
  path: text
    .default('emma-tiny')
    .describe(
      'model: emma-tiny, rl-tiny, lewis-tiny, vla-tiny, a Hugging Face model folder, or a JSON file naming its parts; in training also a small network over the environment’s arrays (mlp) or picture (cnn), or an .onnx file',
    )
    .meta(given('model', { aliases: ['policy'] })),
  tfBackend: z
    .enum(['auto', 'gpu', 'node', 'wasm', 'cpu'])
    .default('auto')
    .describe('TensorFlow.js backend of the projection; auto: the fastest available')
    .meta(given('tf-backend', { when: 'model' })),
  provider: z
    .enum(['cpu', 'webgpu', 'cuda'])
    .default('cpu')
    .describe('ONNX Runtime provider of the networks')
    .meta(given('provider')),
  layers: z
    .enum(['auto', 'resident', 'streamed'])
    .default('auto')
    .describe(
      'keep the language model’s layers in memory, or stream them from disk in every pass; auto: stream from 2 billion parameters',
    )
    .meta(given('layers', { when: 'model' })),
  activations: z
    .enum(['kept', 'recomputed'])
    .default('kept')
    .describe(
      'activations of streamed layers: kept for the backward pass, or recomputed (less memory, more time)',
    )
    .meta(given('activations', { when: 'model' })),
  weights: z
    .enum(['stored', 'int8'])
    .default('stored')
    .describe(
      'language-model weights as stored, or rounded to int8 (streamed layers; one copy in the cache folder)',
    )
    .meta(given('weights', { when: 'model' })),
  rows: z
    .enum(['steps', 'episodes'])
    .default('steps')
    .describe(
      'training samples of a language model: each step by itself, or an episode’s steps together; their common history is then read once (other minibatches, faster)',
    )
    .meta(given('rows', { when: 'model' })),
  contextMemory: whole(0, 2 ** 20)
    .optional()
    .describe(
      'MiB of prompts’ keys and values, kept while acting: a step reads only what follows a prompt that begins alike (other last bits; provider cpu only); 0: each step reads its whole prompt',
    )
    .meta(given('context-memory', { when: 'model', otherwise: '0' })),
  savings: z
    .enum(['all', 'none'])
    .default('all')
    .describe('none turns off all caches, like the published code: slower, same results')
    .meta(given('savings', { when: 'model' })),
});

/** How the model of a run computes; which one it is stands in `policy`. */
export const computingSchema = modelSchema.omit({ path: true });

/** The model of a training's configuration, to be opened. */
export function modelIn<Computing>({
  policy,
  model,
}: {
  readonly policy: string;
  readonly model: Computing;
}): Computing & { readonly path: string } {
  return { ...model, path: policy };
}

/** The model of a policy that acts and does not learn. */
export const actingModelSchema = modelSchema.extend({
  // about samples of training: no flag
  rows: modelSchema.shape.rows.meta({ flag: undefined }),
});

const count = (most: number) => whole(1, most).nullable().default(null);

/** Absent: the checkpoint's value, else `message`; configurations name it only where it was given. */
export const dialogueSetting = z
  .enum(dialogueForms)
  .optional()
  .describe(
    'how a chat model reads an episode: one message, or turns (commands are answers, observations messages)',
  )
  .meta(given('dialogue', { otherwise: 'from the checkpoint, else message' }));

/** null takes the checkpoint's value, else the default (`defaultSpeech`). */
export const speechSchema = z.strictObject({
  beams: count(64)
    .describe('beams of the beam search; 1: greedy')
    .meta(given('beams', { otherwise: '5' })),
  minLength: count(4096)
    .describe('shortest answer in tokens, before the end token')
    .meta(given('min-length', { otherwise: '1' })),
  maxLength: count(4096)
    .describe('longest answer in tokens, end token included')
    .meta(given('max-new-tokens', { aliases: ['max-length'], otherwise: '128' })),
  maxPromptTokens: whole(16, 65_536)
    .nullable()
    .default(null)
    .describe('longest prompt in tokens; the oldest steps are dropped')
    .meta(given('max-prompt-tokens', { aliases: ['max-text-tokens'], otherwise: '1024' })),
  observe: z
    .enum(observeForms)
    .nullable()
    .default(null)
    .describe(
      'observation: text with a blank frame, the frame with text that hides contents, or both in full. Texts of --data stay unchanged',
    )
    .meta(given('observe', { only: { image: 'alfworld' }, otherwise: usualObserveText })),
  dialogue: dialogueSetting,
});

export type ModelConfig = z.infer<typeof modelSchema>;
export type SpeechConfig = z.infer<typeof speechSchema>;

/** A policy's default speech: five beams as published, answers of 1 to 128 tokens. `usualObserve` is beside it. */
export const defaultSpeech = {
  beams: 5,
  minLength: 1,
  maxLength: 128,
  maxPromptTokens: 1024,
} as const;

/** The default games of an evaluation. */
export const heldOutSuite = 'builtin:valid_unseen';

export const gamesText =
  'builtin:train, builtin:valid_seen, builtin:valid_unseen, a *.tw-pddl file, or a folder that is searched for them';

/** Default number of concurrent episodes. */
export const defaultParallel = 8;

export const parallelSchema = whole(1, 1024).nullable().default(null);
