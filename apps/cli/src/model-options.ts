/** Options that several commands share: which model, how it computes, how it speaks. */
import { choice, integer, text, toggle } from './option.ts';

export const modelOption = text({
  help: 'the model: emma-tiny, a folder in InstructBLIP layout, or a JSON file that names its parts',
  default: 'emma-tiny',
});

export const admissibleOption = toggle(
  'the student is kept to the commands that the game accepts at each step',
);

export const computeOptions = {
  'tf-backend': choice(['auto', 'gpu', 'node', 'wasm', 'cpu'], {
    help: 'TensorFlow.js backend of the projection; auto takes the best that loads',
    default: 'auto',
  }),
  provider: choice(['cpu', 'webgpu', 'cuda'], {
    help: 'ONNX Runtime provider of the frozen networks',
    default: 'cpu',
  }),
  layers: choice(['auto', 'resident', 'streamed'], {
    help: 'layers of the language model: in memory, or read from the files one by one in every pass; auto streams 2 billion parameters and more',
    default: 'auto',
  }),
  activations: choice(['kept', 'recomputed'], {
    help: 'of streamed layers for the backward pass; recomputed needs less memory and more time',
    default: 'kept',
  }),
  weights: choice(['stored', 'int8'], {
    help: 'the language model as stored, or rounded to eight bits (streamed; the copy is written once to the cache folder)',
    default: 'stored',
  }),
};

export type ComputeValues = {
  readonly 'tf-backend': 'auto' | 'gpu' | 'node' | 'wasm' | 'cpu';
  readonly provider: 'cpu' | 'webgpu' | 'cuda';
  readonly layers: 'auto' | 'resident' | 'streamed';
  readonly activations: 'kept' | 'recomputed';
  readonly weights: 'stored' | 'int8';
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
