/** Every setting of `emac grpo`: its flag, as published where there is one, and its place in the configuration. */
import { isDeepStrictEqual } from 'node:util';
import { grpoPresetNames } from '@emac/algorithms';
import { grpoPresetConfig, grpoSchema, type GrpoConfig } from '@emac/experiment';
import { valueAtPath } from './configured.ts';
import type { Presets } from './preset-table.ts';
import { settingsOf, type Setting } from './setting.ts';

function presetValue(path: string, name: string): unknown {
  const preset = grpoPresetNames.find((each) => each === name) ?? 'tiny';
  return valueAtPath(grpoPresetConfig(preset), path);
}

function presetText(path: string, shown: Setting['shown'], name = 'tiny'): string | null {
  const value = presetValue(path, name);
  if (value === null && path === 'play.updates') return 'by --num-train-epochs';
  if (value === null && path === 'play.epochs') return 'none';
  if (value === null && path === 'model.maxPixels') return 'own';
  if (path === 'play.together') return 'all';
  return value === undefined ? null : shown(value);
}

/** The presets, for the end of `--help`. */
export const grpoPresets: Presets = {
  head: 'Presets (tiny: for a small model; the others for models of 2, 7 and 14 billion parameters, as published):',
  names: grpoPresetNames,
  isOf: (path) =>
    path !== 'preset' &&
    grpoPresetNames.some((name) => !isDeepStrictEqual(presetValue(path, name), presetValue(path, 'tiny'))),
  text: presetText,
};

const settings = settingsOf<GrpoConfig>(grpoSchema, presetText);
const { at, both, orNull } = settings;

const start = {
  env: at('env', { otherwise: 'lewis' }),
  role: at('role', { otherwise: 'needed unless --resume' }),
  turns: at('turns'),
  listener: at('listener'),
  speaker: at('speaker'),
  model: at('model.path'),
  init: at('init'),
  preset: at('preset'),
  seed: at('seed'),
};

const game = {
  pictures: at('game.pictures'),
  candidates: at('game.candidates'),
  'split-seed': at('game.splitSeed'),
  'training-share': at('game.trainingShare'),
  'max-pixels': orNull('model.maxPixels', 'own', {
    otherwise: 'that of --init, else own, or 401408 in published presets',
  }),
  send: at('send'),
};

const play = {
  updates: orNull('play.updates', 'epochs'),
  'num-train-epochs': orNull('play.epochs', 'none'),
  'prompts-per-update': at('play.promptsPerUpdate'),
  'num-generations': at('play.groupSize'),
  'prompts-together': orNull('play.together', 'all', { otherwise: 'all' }),
  temperature: at('play.temperature'),
  'speaker-temperature': at('play.speakerTemperature'),
};

const rewards = {
  'listener-reward-mode': at('rewards.accuracy'),
  'format-reward': at('rewards.format'),
  'length-reward': at('rewards.length'),
  'overlap-reward': at('rewards.overlap'),
  'verdict-reward': at('rewards.verdict'),
};

const losses = {
  beta: at('losses.beta'),
  epsilon: both(['losses.clip.low', 'losses.clip.high'], {
    help: 'how far from 1 the ratio of probabilities counts',
    otherwise: 'no clipping',
  }),
  'epsilon-high': at('losses.clip.high', { otherwise: 'the --epsilon' }),
  'scale-rewards': at('losses.scale'),
  'loss-type': at('losses.normalization'),
  'max-completion-length': at('losses.maxLength'),
};

const optimization = {
  'num-iterations': at('optimization.iterations'),
  'minibatch-size': orNull('optimization.minibatchSize', 'all'),
  'micro-batch-size': orNull('optimization.microBatchSize', 'all'),
  lr: at('optimization.learningRate'),
  warmup: at('optimization.warmupSteps'),
  schedule: at('optimization.schedule'),
  'lr-final-share': at('optimization.finalShare'),
  'gradient-shards': at('optimization.gradientShards'),
  'max-staleness': at('optimization.maxStaleness'),
  'max-grad-norm': orNull('optimization.clipNorm', 'none'),
  'adam-beta1': at('optimization.betas.0'),
  'adam-beta2': at('optimization.betas.1'),
  eps: at('optimization.epsilon'),
  'weight-decay': at('optimization.weightDecay'),
};

const model = {
  train: at('trained.parts'),
  'lora-rank': at('trained.rank', {
    otherwise: 'that of --init, else 8, or 64 and 128 in published presets',
  }),
  'lora-alpha': at('trained.alpha', { otherwise: 'that of --init, else twice the rank' }),
  'lora-dropout': at('trained.dropout', {
    otherwise: 'that of --init, else 0, or 0.001 in published presets',
  }),
  'lora-targets': at('trained.targets', { otherwise: 'those of --init, else all-linear' }),
  'min-length': at('speech.minLength'),
  'max-prompt-length': at('speech.maxPromptLength'),
  'tf-backend': at('model.tfBackend'),
  provider: at('model.provider'),
  layers: at('model.layers'),
  activations: at('model.activations'),
  weights: at('model.weights'),
};

export const grpoSettings = {
  ...start,
  ...game,
  ...play,
  ...rewards,
  ...losses,
  ...optimization,
  ...model,
  'eval-games': at('evaluation.games'),
  'checkpoint-every': at('checkpointEvery'),
  keep: keptOrFinal(),
  out: at('out'),
};

/** `final` stands for two settings: a run that goes on needs no more than two checkpoints, a finished one no more than its last. */
function keptOrFinal(): Setting {
  const kept = orNull('keep', 'all');
  const { parse, words, choices = [] } = kept.form;
  return {
    ...kept,
    help: `${kept.help}; final: its last alone, once the run is done`,
    paths: ['keep', 'onlyLast'],
    form: {
      words: `${words}, or final`,
      choices: [...choices, 'final'],
      parse: (text) => (text === 'final' ? text : parse(text)),
    },
    valueAt: (path, value) => {
      if (path === 'onlyLast') return value === 'final';
      return value === 'final' ? 2 : value;
    },
  };
}
