/**
 * Named settings for each phase. `paper`: EMAC+ (arXiv 2505.19905v2), Table 9 and its text. `published-code`:
 * dagger_server.py of EMMA, identical in EMAC+. `small-scale`: a public two-round run of that code on three games.
 * `tiny`: for the shipped model, a first guess from trials with other tiny models.
 */
import { dynamicLossScaling } from './loss-scale.ts';
import type { Phase, TrainingSettings } from './settings.ts';

export const presetNames = ['paper', 'published-code', 'small-scale', 'tiny'] as const;
export type PresetName = (typeof presetNames)[number];

/** Where the sources agree, or say nothing and the default of this product holds. */
const common: Omit<TrainingSettings, 'batchSize' | 'accumulate' | 'learningRate' | 'warmup' | 'schedule'> = {
  rounds: 2, // small enough for a first look
  gamesPerRound: 3,
  maxSteps: 50, // TextWorld's and the public small run's limit
  updatesPerEpisode: 5, // Table 9 "training epochs per trial" 5; train_iters_per_epoch 5
  warmupStart: 1e-8, // warmup_lr in the code
  minimum: 0, // paper's text and code: minimal learning rate 0
  betas: [0.9, 0.999], // Table 9; code
  epsilon: 1e-8, // PyTorch's default, not changed by the code
  weightDecay: 0.05, // Table 9; code
  clipNorm: null, // the code does not clip
  lossScaling: null, // networks compute in single precision
  replacement: true, // code: numpy.random.randint over the filled part of the ring
  loss: 'sigmoid', // paper, Eq. 2; code
  beta: 0.1, // Table 9; fixed in dpo_forward
  mixRatio: 0.5, // model configuration of the code; the paper's Eq. 2 has no such term
  labelSmoothing: 0, // in neither
  referenceFree: false, // dpo_loss's default, not changed by the code
  averageLogProbabilities: true, // avg_log_probs in the code; the paper does not say
  actWith: 'student', // code: the student's action is sent, always
  expertProbability: 1, // DAgger's own schedule βᵢ = pⁱ (Ross et al. 2011), used with `mixture` only
  expertDecay: 0.5,
  admissibleOnly: false, // code: the student says what it likes
  trainAfter: 'every-episode', // paper's text; the code trains after failures only
  skipSolved: true, // code
  stopRepeating: false,
  selection: { keep: 'all' }, // code
  agreed: 'drop', // a pair of equal commands holds no preference
  trainOnUnusable: false, // a label nobody gave is none
};

const paper: TrainingSettings = {
  ...common,
  rounds: 12, // Table 9, trials
  gamesPerRound: 134, // the out-of-distribution tasks it trains on
  maxSteps: 30, // Table 9, episode length
  batchSize: 4, // Table 9 batch 16 = 4 samples × 4 micro-steps of the code
  accumulate: 4,
  learningRate: 5e-6, // Table 9, imitation
  mixRatio: 0, // Eq. 2 has no such term
  warmup: 300, // Table 9, imitation
  schedule: 'linear', // text: linear warm-up "succeeded by a linear decay"
  stopRepeating: true, // seen in every published transcript: A A and A B A B end an episode
};

const publishedCode: TrainingSettings = {
  ...common,
  rounds: 12, // num_rounds
  gamesPerRound: 134, // num_envs
  maxSteps: 30, // seen in the published transcripts: 30 commands executed
  batchSize: 4, // with enable_dpo
  accumulate: 4, // accum_grad_steps
  learningRate: 1e-5, // init_lr
  warmup: 300, // warmup_steps
  schedule: 'round-cosine', // LinearWarmupCosineLRScheduler with the round as epoch
  lossScaling: dynamicLossScaling, // GradScaler with its defaults, beside autocast
  stopRepeating: true, // seen in every published transcript
  trainAfter: 'failed-episodes', // code: successful episodes are neither stored nor trained on
  agreed: 'keep', // code: chosen = rejected stays in the buffer
  trainOnUnusable: true, // code: the student's own action becomes the label
};

const smallScale: TrainingSettings = {
  ...common, // 2 rounds × 3 games, 50 steps, 5 updates: as in that run
  batchSize: 1, // the run's DPO batch
  accumulate: 4,
  learningRate: 1e-5, // the run's printed rates
  warmup: 300,
  schedule: 'round-cosine',
  lossScaling: dynamicLossScaling, // as in the code that it ran
};

// Trial on the shipped model, three seeds each: Adam at 1e-3 that falls to 0 over the planned updates ended at 0.63–0.75
// of held-out games, at a constant rate 0.50–0.75, at a constant 1e-2 0.23–0.73; loops of failed plays harm unless dropped
const tiny: TrainingSettings = {
  ...common,
  batchSize: 8,
  accumulate: 1,
  learningRate: 1e-3,
  warmup: 0,
  schedule: 'linear',
  clipNorm: 1,
  stopRepeating: true,
  selection: { keep: 'distinct' },
  agreed: 'random', // a student that already agrees would leave nothing to prefer
};

const presets: Readonly<Record<PresetName, Readonly<Record<Phase, TrainingSettings>>>> = {
  paper: {
    // Table 9, "initialize πθ to πref": batch 128 (8 × 4 micro-steps × 4 GPUs in the code), lr 1e-5, warm-up 1000;
    // offline there, 6 epochs over demonstrations
    bc: { ...paper, batchSize: 8, accumulate: 16, learningRate: 1e-5, warmup: 1000 },
    dpo: paper,
  },
  'published-code': { bc: { ...publishedCode, batchSize: 8 }, dpo: publishedCode }, // batch_size 8 without enable_dpo
  'small-scale': { bc: { ...smallScale, batchSize: 8 }, dpo: smallScale },
  tiny: { bc: tiny, dpo: { ...tiny, learningRate: 3e-4 } },
};

/** The settings of a named preset for a phase. */
export function presetSettings(name: PresetName, phase: Phase): TrainingSettings {
  return presets[name][phase];
}
