/** Every setting of `emac ppo`: its flag, as published where there is one, and its place in the configuration. */
import { isDeepStrictEqual } from 'node:util';
import { ppoPresetNames } from '@emac/algorithms';
import { ppoPresetConfig, ppoSchema, type PpoConfig } from '@emac/experiment';
import { valueAtPath } from './configured.ts';
import type { Presets } from './preset-table.ts';
import { settingsOf, type Setting } from './setting.ts';

/** An environment for which `tiny` has nothing of its own, and a model, which learns where nothing else is named. */
const anyEnvironment = '';

function presetValue(path: string, name: string): unknown {
  const preset = ppoPresetNames.find((each) => each === name) ?? 'tiny';
  return valueAtPath(ppoPresetConfig(preset, anyEnvironment, 'model'), path);
}

function presetText(path: string, shown: Setting['shown'], name = 'tiny'): string | null {
  if (path === 'play.environmentSteps' && name === 'tiny') return 'by --env';
  const value = presetValue(path, name);
  return value === undefined ? null : shown(value);
}

/** The presets, for the end of `--help`. */
export const ppoPresets: Presets = {
  head: 'Presets (tiny: for a small model; small networks have others, by environment):',
  names: ppoPresetNames,
  isOf: (path) =>
    path !== 'preset' &&
    ppoPresetNames.some((name) => !isDeepStrictEqual(presetValue(path, name), presetValue(path, 'tiny'))),
  text: presetText,
};

const settings = settingsOf<PpoConfig>(ppoSchema, presetText);
const { at, both, orNull, words } = settings;

const start = {
  env: at('env', { otherwise: 'needed unless --resume' }),
  policy: at('policy'),
  init: at('init'),
  preset: at('preset'),
  seed: at('seed'),
};

const play = {
  'total-steps': at('play.environmentSteps'),
  'num-processes': at('play.environments'),
  'num-steps': at('play.stepsPerUpdate'),
  'max-steps': orNull('play.maxSteps', 'own', { otherwise: 'own' }),
  palette: at('play.palette'),
  temperature: at('play.temperature'),
  'envs-together': orNull('play.together', 'all', { otherwise: 'all' }),
};

const advantages = {
  gamma: at('advantages.discount'),
  'gae-lambda': at('advantages.trace'),
  truncation: at('advantages.truncation'),
  'normalize-advantages': words('advantages.normalize', {
    update: 'update',
    minibatch: 'minibatch',
    none: null,
  }),
  'advantage-epsilon': at('advantages.normalizeEpsilon'),
};

const shaping = {
  'action-frequency-bonus': at('shaping.actionFrequencyBonus'),
  utility: words('shaping.utility', { reward: 'reward', advantage: 'advantage', none: null }),
  'temporal-predictor': at('shaping.temporalPredictor'),
  'utility-data': at('utilities'),
};

const curriculum = {
  curriculum: words('curriculum.formula', {
    half: 'half',
    paper: 'paper',
    failures: 'failures',
    distance: 'distance',
    none: null,
  }),
  'curriculum-tasks': at('curriculum.tasks', { otherwise: '--env alone' }),
  'curriculum-alpha': at('curriculum.decay'),
  'curriculum-temp': orNull('curriculum.temperature', 'own', { otherwise: 'that of the formula' }),
  'curriculum-min-prob': at('curriculum.floor'),
};

const losses = {
  'policy-loss': at('losses.policy'),
  'clip-param': both(['losses.clip.low', 'losses.clip.high'], {
    help: 'how far from 1 the ratio of probabilities counts',
  }),
  'clip-param-high': at('losses.clip.high', { otherwise: 'the --clip-param' }),
  credit: at('losses.credit'),
  'thought-prob-coef': at('losses.thoughtCoefficient'),
  'ratio-guard': orNull('losses.ratioGuard', 'none'),
  'entropy-coef': at('losses.entropyCoefficient'),
  'value-loss-coef': at('losses.valueCoefficient'),
  'value-clip': orNull('losses.valueClip', 'none'),
};

const optimization = {
  'ppo-epoch': at('optimization.epochs'),
  'mini-batch-size': at('optimization.minibatchSize'),
  'init-lr': at('optimization.learningRate'),
  schedule: at('optimization.schedule'),
  'lr-final-share': at('optimization.finalShare'),
  'lr-max-steps': orNull('optimization.decayUpdates', 'all'),
  'value-schedule': orNull('optimization.valueSchedule', 'joint'),
  'gradient-shards': at('optimization.gradientShards'),
  'max-staleness': at('optimization.maxStaleness'),
  'max-grad-norm': orNull('optimization.clipNorm', 'none'),
  'value-max-grad-norm': orNull('optimization.valueClipNorm', 'joint'),
  'value-init-steps': at('optimization.valueInitSteps'),
  'target-kl': orNull('optimization.targetKl', 'none'),
  'adam-beta1': at('optimization.betas.0'),
  'adam-beta2': at('optimization.betas.1'),
  eps: at('optimization.epsilon'),
  'weight-decay': at('optimization.weightDecay'),
};

/** Of a policy that is a model. */
const model = {
  train: at('trained.parts'),
  'lora-rank': at('trained.rank', { otherwise: 'that of --init, else 8, or 128 in published presets' }),
  'lora-alpha': at('trained.alpha', { otherwise: 'that of --init, else 16, or 256 in published presets' }),
  'lora-dropout': at('trained.dropout', { otherwise: 'that of --init, else 0' }),
  'lora-targets': at('trained.targets', {
    otherwise: 'those of --init, else all-linear, or q_proj,k_proj,v_proj in minigrid',
  }),
  'value-learns': at('value.learns'),
  'value-lr-scale': at('value.learningRateScale'),
  'min-length': at('speech.minLength'),
  'max-new-tokens': at('speech.maxLength'),
  'penalty-reward-value': at('speech.malformedPenalty'),
  'max-text-tokens': at('speech.maxTextTokens'),
  'action-only-prompt': at('speech.actionOnly'),
  'action-score-prompt': at('speech.actionScores'),
  'tf-backend': at('model.tfBackend'),
  provider: at('model.provider'),
  layers: at('model.layers'),
  activations: at('model.activations'),
  weights: at('model.weights'),
};

export const ppoSettings = {
  ...start,
  ...play,
  ...advantages,
  ...shaping,
  ...curriculum,
  ...losses,
  ...optimization,
  ...model,
  inference: at('inference.url'),
  'inference-adapters': at('inference.adapters'),
  'inference-max-gap': at('inference.maxGap'),
  'inference-logprobs': at('inference.logprobs'),
  'eval-episodes': at('evaluation.episodes'),
  'eval-temperature': at('evaluation.temperature'),
  'best-ema': orNull('best.ema', 'none'),
  'min-delta': at('best.minDelta'),
  patience: orNull('best.patience', 'none'),
  'checkpoint-every': at('checkpointEvery'),
  keep: orNull('keep', 'all'),
  out: at('out'),
};
