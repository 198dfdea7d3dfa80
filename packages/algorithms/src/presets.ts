/**
 * Named settings for each phase. `paper`: EMAC+ (arXiv 2505.19905v2), Table 9 and its text. `published-code`:
 * dagger_server.py of EMMA, identical in EMAC+. `small-scale`: a public two-round run of that code on three games.
 * `tiny`: for the shipped model in ALFWorld, frames alone, found by trial.
 */
import { dynamicLossScaling } from '@emac/optim';
import { expertActs, policyActs } from '@emac/rollout';
import type {
  OptimizationSettings,
  PlaySettings,
  SampleSettings,
  TrainingSettings,
} from './label-settings.ts';
import { labelMethod, type LabelMethod, type Phase } from './methods/list.ts';

export const presetNames = ['paper', 'published-code', 'small-scale', 'tiny'] as const;
export type PresetName = (typeof presetNames)[number];

// Where the sources agree, or say nothing and the default of this product holds

const play: PlaySettings = {
  rounds: 2, // small enough for a first look
  gamesPerRound: 3,
  episodesPerUpdate: 1, // "after every episode"
  maxSteps: 50, // TextWorld's and the public small run's limit
  expertShare: policyActs, // code: the policy's action is sent, always
  admissibleOnly: false, // code: the policy may say anything
  skipSolved: true, // code
  stopRepeating: false,
};

const samples: SampleSettings = {
  trainAfter: 'every-episode', // paper's text; the code trains after failures only
  selection: { keep: 'all' }, // code
  agreed: 'drop', // a pair of equal commands holds no preference
  trainOnUnusable: false, // a label nobody gave is none
};

const optimization = {
  updatesPerEpisode: 5, // Table 9 "training epochs per trial" 5; train_iters_per_epoch 5
  replacement: true, // code: numpy.random.randint over the filled part of the ring
  warmupStart: 1e-8, // warmup_lr in the code
  minimum: 0, // paper's text and code: minimal learning rate 0
  betas: [0.9, 0.999], // Table 9; code
  epsilon: 1e-8, // PyTorch's default, not changed by the code
  weightDecay: 0.05, // Table 9; code
  clipNorm: null, // the code does not clip
  lossScaling: null, // networks compute in single precision
} as const satisfies Partial<OptimizationSettings>;

const preference: TrainingSettings['preference'] = {
  loss: 'sigmoid', // paper, Eq. 2; code
  beta: 0.1, // Table 9; fixed in dpo_forward
  mixRatio: 0.5, // model configuration of the code; the paper's Eq. 2 has no such term
  labelSmoothing: 0, // in neither
  referenceFree: false, // dpo_loss's default, not changed by the code
  targetMargin: 0, // SimPO's, which has its own
  desirableWeight: 1, // KTO's, as published
  undesirableWeight: 1,
  averageLogProbabilities: true, // avg_log_probs in the code; the paper does not say
};

const paper: TrainingSettings = {
  play: {
    ...play,
    rounds: 12, // Table 9, trials
    gamesPerRound: 134, // the out-of-distribution tasks it trains on
    maxSteps: 30, // Table 9, episode length
    stopRepeating: true, // seen in every published transcript: A A and A B A B end an episode
  },
  samples,
  optimization: {
    ...optimization,
    batchSize: 4, // Table 9 batch 16 = 4 samples × 4 micro-steps of the code
    accumulate: 4,
    learningRate: 5e-6, // Table 9, imitation
    warmup: 300, // Table 9, imitation
    schedule: 'linear', // text: linear warm-up "succeeded by a linear decay"
  },
  preference: { ...preference, mixRatio: 0 }, // Eq. 2 has no such term
};

const publishedCode: TrainingSettings = {
  play: {
    ...play,
    rounds: 12, // num_rounds
    gamesPerRound: 134, // num_envs
    maxSteps: 30, // seen in the published transcripts: 30 commands executed
    stopRepeating: true, // seen in every published transcript
  },
  samples: {
    ...samples,
    trainAfter: 'failed-episodes', // code: successful episodes are neither stored nor trained on
    agreed: 'keep', // code: chosen = rejected stays in the buffer
    trainOnUnusable: true, // code: the policy's own action becomes the label
  },
  optimization: {
    ...optimization,
    batchSize: 4, // with enable_dpo
    accumulate: 4, // accum_grad_steps
    learningRate: 1e-5, // init_lr
    warmup: 300, // warmup_steps
    schedule: 'round-cosine', // LinearWarmupCosineLRScheduler with the round as epoch
    lossScaling: dynamicLossScaling, // GradScaler with its defaults, beside autocast
  },
  preference,
};

const smallScale: TrainingSettings = {
  play, // 2 rounds × 3 games, 50 steps: as in that run
  samples,
  optimization: {
    ...optimization, // 5 updates
    batchSize: 1, // the run's DPO batch
    accumulate: 4,
    learningRate: 1e-5, // the run's printed rates
    warmup: 300,
    schedule: 'round-cosine',
    lossScaling: dynamicLossScaling, // as in the code that it ran
  },
  preference,
};

// Trial on the shipped model, frames alone: while the policy acts, its games lead where labels teach little
const tiny: TrainingSettings = {
  play: { ...play, rounds: 1, gamesPerRound: 250, expertShare: expertActs, stopRepeating: true },
  samples: {
    ...samples,
    selection: { keep: 'distinct' },
  },
  optimization: {
    ...optimization,
    updatesPerEpisode: 2,
    batchSize: 16,
    accumulate: 1,
    learningRate: 1e-3,
    warmup: 0,
    schedule: 'linear',
    clipNorm: 1,
  },
  preference,
};

// Trial: a pair teaches less than a label, so there are more games with smaller steps
const tinyPairs: TrainingSettings = {
  ...withOptimization(tiny, { updatesPerEpisode: 1, batchSize: 8, learningRate: 5e-4 }),
  play: { ...tiny.play, gamesPerRound: 500 },
};

/** For methods that learn from answers, and from pairs. */
const presets: Readonly<Record<PresetName, Readonly<Record<LabelMethod['over'], TrainingSettings>>>> = {
  paper: {
    // Table 9, "initialize πθ to πref": batch 128 (8 × 4 micro-steps × 4 GPUs in the code), lr 1e-5, warm-up 1000;
    // offline in the paper, 6 epochs over demonstrations
    answers: withOptimization(paper, { batchSize: 8, accumulate: 16, learningRate: 1e-5, warmup: 1000 }),
    pairs: paper,
  },
  // batch_size 8 without enable_dpo
  'published-code': {
    answers: withOptimization(publishedCode, { batchSize: 8 }),
    pairs: publishedCode,
  },
  'small-scale': { answers: withOptimization(smallScale, { batchSize: 8 }), pairs: smallScale },
  tiny: { answers: tiny, pairs: tinyPairs },
};

/** The settings of a named preset for a phase. */
export function presetSettings(name: PresetName, phase: Phase): TrainingSettings {
  const method = labelMethod(phase);
  const settings = presets[name][method.over];
  if (method.over === 'answers') return settings;
  return { ...settings, preference: { ...settings.preference, ...method.published } };
}

function withOptimization(
  settings: TrainingSettings,
  changes: Partial<OptimizationSettings>,
): TrainingSettings {
  return { ...settings, optimization: { ...settings.optimization, ...changes } };
}
