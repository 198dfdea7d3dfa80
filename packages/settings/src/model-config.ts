/** The model, its computing backend, and its policy's speech. */
import { observeForms } from '@emac/prompt';
import { given } from '@emac/algorithms';
import { z } from 'zod';

export const modelSchema = z.strictObject({
  path: z
    .string()
    .min(1)
    .default('emma-tiny')
    .describe(
      'the model: emma-tiny, rl-tiny, lewis-tiny, vla-tiny, a model folder as Hugging Face publishes it, or a JSON file that names its parts',
    )
    .meta(given('model', { aliases: ['policy'] })),
  tfBackend: z
    .enum(['auto', 'gpu', 'node', 'wasm', 'cpu'])
    .default('auto')
    .describe('TensorFlow.js backend of the projection; auto takes the best that loads')
    .meta(given('tf-backend')),
  provider: z
    .enum(['cpu', 'webgpu', 'cuda'])
    .default('cpu')
    .describe('ONNX Runtime provider of the frozen networks')
    .meta(given('provider')),
  layers: z
    .enum(['auto', 'resident', 'streamed'])
    .default('auto')
    .describe(
      'layers of the language model: in memory, or read from the files one by one in every pass; auto streams 2 billion parameters and more',
    )
    .meta(given('layers')),
  activations: z
    .enum(['kept', 'recomputed'])
    .default('kept')
    .describe('what streamed layers keep for the backward pass; recomputed needs less memory and more time')
    .meta(given('activations')),
  weights: z
    .enum(['stored', 'int8'])
    .default('stored')
    .describe(
      'the language model as stored, or rounded to eight bits (streamed; the copy is written once to the cache folder)',
    )
    .meta(given('weights')),
  savings: z
    .enum(['all', 'none'])
    .default('all')
    .describe(
      'none: computes again what is known (features of a frame, what the reference said, prompts that answers share), as the published code does, to the same results',
    )
    .meta(given('savings')),
});

const count = (most: number) => z.number().int().min(1).max(most).nullable().default(null);

/** null takes the checkpoint's value, else the default (`defaultSpeech`). */
export const speechSchema = z.strictObject({
  beams: count(64)
    .describe('number of beams in the search for an answer')
    .meta(given('beams', { otherwise: '5' })),
  minLength: count(4096)
    .describe('shortest answer: at least this many tokens before the end token')
    .meta(given('min-length', { otherwise: '1' })),
  maxLength: count(4096)
    .describe('longest answer in tokens, end token included')
    .meta(given('max-new-tokens', { aliases: ['max-length'], otherwise: '128' })),
  maxTextTokens: z
    .number()
    .int()
    .min(16)
    .max(65_536)
    .nullable()
    .default(null)
    .describe('longest prompt in tokens of the model; oldest steps go first')
    .meta(given('max-prompt-tokens', { aliases: ['max-text-tokens'], otherwise: '1024' })),
  observe: z
    .enum(observeForms)
    .nullable()
    .default(null)
    .describe(
      'what the policy is given: the texts and a blank frame, the frame and texts that tell no contents, or both in full; the texts of --data are taken as they are',
    )
    .meta(given('observe', { otherwise: 'both' })),
});

export type ModelConfig = z.infer<typeof modelSchema>;
export type SpeechConfig = z.infer<typeof speechSchema>;

/** A policy's default speech: five beams as published, answers of 1 to 128 tokens, texts and frames. */
export const defaultSpeech = {
  beams: 5,
  minLength: 1,
  maxLength: 128,
  maxTextTokens: 1024,
  observe: 'both',
} as const;

/** The default games of an evaluation. */
export const heldOutSuite = 'builtin:valid_unseen';

export const gamesText =
  'builtin:train, builtin:valid_seen, builtin:valid_unseen, a *.tw-pddl file, or a folder that is searched for them';

/** Default number of concurrent episodes. */
export const defaultParallel = 8;

export const parallelSchema = z.number().int().min(1).max(1024).nullable().default(null);
