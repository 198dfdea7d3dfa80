/** Every setting of `emac train`: its flag and its place in the configuration. */
import { expertActs, policyActs } from '@emac/rollout';
import { dynamicLossScaling } from '@emac/optim';
import { trainSchema, type TrainConfig } from '@emac/experiment';
import { presetText } from './preset-values.ts';
import { settingsOf } from './setting.ts';
import {
  computeSettings,
  expertSettings,
  languageModelSettings,
  speechSettings,
  worldSettings,
} from './shared-settings.ts';

const settings = settingsOf<TrainConfig>(trainSchema, presetText);
const { at, both, off, orNull, words } = settings;

const start = {
  ref: at('start.ref'),
  model: at('model.path'),
  init: at('start.init', { otherwise: 'model for bc, the --ref for dpo, random for mlp' }),
  projection: at('start.projection', { otherwise: 'that of --init, else linear' }),
  'projection-hidden': at('start.hidden', { otherwise: 'width of the language model' }),
  carry: at('start.carry'),
  preset: at('preset'),
  seed: at('seed'),
};

const trained = {
  train: at('trained.parts'),
  'lora-rank': at('trained.rank', { otherwise: 'that of --init, else 8' }),
  'lora-alpha': at('trained.alpha', { otherwise: 'that of --init, else 16' }),
  'lora-dropout': at('trained.dropout', { otherwise: 'that of --init, else 0' }),
  'lora-targets': at('trained.targets', { otherwise: 'those of --init, else all-linear' }),
};

const play = {
  games: at('play.games', { otherwise: 'for dpo those of --ref, else builtin:train' }),
  rounds: at('play.rounds'),
  'games-per-round': at('play.gamesPerRound'),
  curriculum: words('curriculum.formula', {
    half: 'half',
    paper: 'paper',
    failures: 'failures',
    distance: 'distance',
    none: null,
  }),
  'curriculum-games': at('curriculum.games', { otherwise: 'half of the list' }),
  'curriculum-alpha': at('curriculum.decay'),
  'curriculum-temp': orNull('curriculum.temperature', 'own', { otherwise: 'that of the formula' }),
  'curriculum-min-prob': at('curriculum.floor'),
  'episodes-per-update': at('play.episodesPerUpdate'),
  'parallel-episodes': both(['play.parallelEpisodes', 'evaluation.parallelEpisodes'], {
    help: 'episodes under way at once, in training of those of one update; changes the speed alone',
    otherwise: 'up to 8, 1 where layers are streamed',
  }),
  'max-steps': at('play.maxSteps'),
  'stop-repeating': at('play.stopRepeating'),
  'no-stop-repeating': off(
    'play.stopRepeating',
    'an episode that goes in circles is played to its last step',
  ),
  'no-skip-solved': off('play.skipSolved', 'games that were won are played again in later rounds'),
  'admissible-only': at('play.admissibleOnly'),
  'act-with': words(
    'play.expertShare',
    { student: policyActs, expert: expertActs, mixture: { start: 1, decay: 0.5 } },
    {
      help: "whose command is played; mixture: the expert's with a probability that falls from round to round",
    },
  ),
  'expert-probability': at('play.expertShare.start', { otherwise: '1' }),
  'expert-decay': at('play.expertShare.decay', { otherwise: '0.5' }),
  'student-memory': at('play.policyMemory'),
  'sample-temperature': at('play.sampleTemperature', { otherwise: 'a search' }),
};

const samples = {
  'train-after': words('samples.trainAfter', { 'every-episode': 'every-episode', failed: 'failed-episodes' }),
  'train-on': words(
    'samples.selection',
    { all: { keep: 'all' }, distinct: { keep: 'distinct' }, departure: { keep: 'departure', after: 0 } },
    { help: 'steps of an episode: all, none that repeats another, or those up to the first wrong one' },
  ),
  'departure-steps': at('samples.selection.after', {
    help: '--train-on departure: steps after the first wrong one that are kept too',
    otherwise: '0',
  }),
  agreed: at('samples.agreed'),
  'unusable-labels': words('samples.trainOnUnusable', { skip: false, own: true }),
};

const optimization = {
  'updates-per-episode': at('optimization.updatesPerEpisode'),
  'batch-size': at('optimization.batchSize'),
  accumulate: at('optimization.accumulate'),
  'without-replacement': off('optimization.replacement', 'no sample comes twice in one micro-step'),
  lr: at('optimization.learningRate'),
  warmup: at('optimization.warmup'),
  'warmup-lr': at('optimization.warmupStart'),
  'min-lr': at('optimization.minimum'),
  schedule: at('optimization.schedule'),
  'adam-beta1': at('optimization.betas.0'),
  'adam-beta2': at('optimization.betas.1'),
  'adam-epsilon': at('optimization.epsilon'),
  'weight-decay': at('optimization.weightDecay'),
  'clip-norm': orNull('optimization.clipNorm', 'none'),
  'gradient-shards': at('optimization.gradientShards'),
  'loss-scaling': words('optimization.lossScaling', { none: null, dynamic: dynamicLossScaling }),
};

const preference = {
  loss: at('preference.loss'),
  beta: at('preference.beta'),
  'mix-ratio': at('preference.mixRatio'),
  'label-smoothing': at('preference.labelSmoothing'),
  'reference-free': at('preference.referenceFree'),
  'sum-log-probs': off(
    'preference.averageLogProbabilities',
    'dpo: log-probabilities are sums over tokens, not means; ipo is then not length-normalized',
  ),
};

const dataset = {
  data: at('dataset.data'),
  images: at('dataset.images', { otherwise: 'the folder of the JSON file' }),
  val: at('dataset.validation'),
  epochs: at('dataset.epochs'),
  'max-updates': at('dataset.maxUpdates', { otherwise: 'all of --epochs' }),
  'checkpoint-every': at('dataset.checkpointEvery'),
  'skip-bad-records': at('dataset.skipBadRecords'),
};

export const trainSettings = {
  ...start,
  ...trained,
  ...play,
  ...samples,
  ...optimization,
  ...preference,
  ...expertSettings(settings),
  ...languageModelSettings(settings),
  probe: words('probe', { expert: true, none: false }, { otherwise: 'expert, but none for --expert openai' }),
  ...dataset,
  ...worldSettings(settings),
  ...speechSettings(settings),
  ...computeSettings(settings),
  savings: at('model.savings'),
  'eval-games': at('evaluation.games'),
  'eval-on': at('evaluation.on'),
  keep: orNull('keep', 'all'),
  out: at('out'),
};
