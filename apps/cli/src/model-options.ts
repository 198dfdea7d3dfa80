/** Options that several commands share: which model, how it computes, how it speaks. */
import { choice, integer, text } from './option.ts';

export const modelOption = text({
  help: 'the model: emma-tiny, or a folder in InstructBLIP layout',
  default: 'emma-tiny',
});

export const computeOptions = {
  'tf-backend': choice(['auto', 'gpu', 'node', 'wasm', 'cpu'], {
    help: 'TensorFlow.js backend of the projection; auto takes the best that loads',
    default: 'auto',
  }),
  provider: choice(['cpu', 'webgpu', 'cuda'], {
    help: 'ONNX Runtime provider of the frozen networks',
    default: 'cpu',
  }),
};

export type ComputeValues = {
  readonly 'tf-backend': 'auto' | 'gpu' | 'node' | 'wasm' | 'cpu';
  readonly provider: 'cpu' | 'webgpu' | 'cuda';
};

export const speechDefaults = {
  beams: 5,
  'min-length': 1,
  'max-length': 128,
  'max-text-tokens': 1024,
} as const;

/** How the student reads and speaks; null takes what the checkpoint was made with, else the defaults above. */
export const speechOptions = {
  beams: integer([1, 64], speech('beams', 'beams of the search for an answer')),
  'min-length': integer(
    [1, 4096],
    speech('min-length', 'shortest answer: at least this many tokens before the end token'),
  ),
  'max-length': integer([1, 4096], speech('max-length', 'longest answer in tokens, end token included')),
  'max-text-tokens': integer(
    [16, 65_536],
    speech('max-text-tokens', 'longest prompt in tokens of the model; oldest steps go first'),
  ),
};

export type SpeechValues = { readonly [Name in keyof typeof speechDefaults]: number | null };

function speech(name: keyof typeof speechDefaults, help: string) {
  return { help, default: null, defaultText: String(speechDefaults[name]) };
}
