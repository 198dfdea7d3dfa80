/** Flags of how updates are made: rates, optimizer, loss, and which steps they are made from; presets have the values. */
import { dynamicLossScaling, type StepSelection, type TrainingSettings } from '@emac/trainer';
import { choice, integer, number, numberOrNone, toggle, type Values } from './option.ts';
import { presetText, presetValues, type PresetField } from './preset-values.ts';

export const optimizationOptions = {
  schedule: choice(
    ['round-cosine', 'linear', 'constant'],
    ofPreset(
      'schedule',
      'learning rates after the warm-up: a cosine of the round, falling to the minimum, or the same',
    ),
  ),
  'warmup-lr': number('from 0', ofPreset('warmupStart', 'learning rate at which the warm-up begins')),
  'min-lr': number('from 0', ofPreset('minimum', 'learning rate to which the schedule falls')),
  'adam-beta1': number('from 0', betaOfPreset(0, 'decay of the mean of gradients, below 1')),
  'adam-beta2': number('from 0', betaOfPreset(1, 'decay of the mean of squared gradients, below 1')),
  'adam-epsilon': number('above 0', ofPreset('epsilon', 'added to the root of the mean square')),
  'weight-decay': number('from 0', ofPreset('weightDecay', 'decoupled decay of weights; biases have none')),
  'clip-norm': numberOrNone(ofPreset('clipNorm', 'limit of the joint gradient norm')),
  'loss-scaling': choice(
    ['none', 'dynamic'],
    ofPreset(
      'lossScaling',
      'for gradients in half precision: an overflow skips its update and lowers the scale',
    ),
  ),
  loss: choice(['sigmoid', 'ipo', 'hinge'], ofPreset('loss', 'dpo: the preference loss')),
  'label-smoothing': number(
    'from 0',
    ofPreset('labelSmoothing', 'dpo, sigmoid: probability that expert and student were exchanged, below 0.5'),
  ),
  'reference-free': toggle('dpo: the loss treats the reference as uniform'),
  'sum-log-probs': toggle(
    'dpo: log-probabilities are sums over tokens, not means; ipo is then not length-normalised',
  ),
  'without-replacement': toggle('no sample comes twice in one micro-step'),
  'train-on': choice(
    ['all', 'distinct', 'departure'],
    ofPreset(
      'selection',
      'steps of an episode: all, none that repeats another, or those up to the first wrong one',
    ),
  ),
  'departure-steps': integer([0, 10_000], {
    help: '--train-on departure: steps after the first wrong one that are kept too',
    default: 0,
  }),
  agreed: choice(
    ['drop', 'keep', 'random'],
    ofPreset(
      'agreed',
      'dpo: where the student agrees with the expert no pair, a pair of equals, or a random other command',
    ),
  ),
  'unusable-labels': choice(
    ['skip', 'own'],
    ofPreset(
      'trainOnUnusable',
      "what is learnt where the expert's reply is unusable: nothing, or the student's own",
    ),
  ),
  'stop-repeating': toggle('an episode that goes in circles ends'),
};

export type OptimizationValues = Values<typeof optimizationOptions>;

/** The preset's settings with what was given in their place. */
export function optimizationSettings(values: OptimizationValues, preset: TrainingSettings) {
  const unusable = values['unusable-labels'];
  const { schedule, loss, agreed } = values;
  return {
    schedule: schedule ?? preset.schedule,
    warmupStart: values['warmup-lr'] ?? preset.warmupStart,
    minimum: values['min-lr'] ?? preset.minimum,
    betas: [values['adam-beta1'] ?? preset.betas[0], values['adam-beta2'] ?? preset.betas[1]],
    epsilon: values['adam-epsilon'] ?? preset.epsilon,
    weightDecay: values['weight-decay'] ?? preset.weightDecay,
    clipNorm: orNone(values['clip-norm'], preset.clipNorm),
    lossScaling: orNone(
      values['loss-scaling'] === 'dynamic' ? dynamicLossScaling : values['loss-scaling'],
      preset.lossScaling,
    ),
    loss: loss ?? preset.loss,
    labelSmoothing: values['label-smoothing'] ?? preset.labelSmoothing,
    referenceFree: values['reference-free'] || preset.referenceFree,
    averageLogProbabilities: values['sum-log-probs'] ? false : preset.averageLogProbabilities,
    replacement: values['without-replacement'] ? false : preset.replacement,
    selection: selectionOf(values) ?? preset.selection,
    agreed: agreed ?? preset.agreed,
    trainOnUnusable: unusable === null ? preset.trainOnUnusable : unusable === 'own',
  } satisfies Partial<TrainingSettings>;
}

/** The flags that would give these settings, for the run's record. */
export function optimizationFlags(
  settings: TrainingSettings,
): Partial<Record<keyof OptimizationValues, unknown>> {
  return {
    schedule: settings.schedule,
    'warmup-lr': settings.warmupStart,
    'min-lr': settings.minimum,
    'adam-beta1': settings.betas[0],
    'adam-beta2': settings.betas[1],
    'adam-epsilon': settings.epsilon,
    'weight-decay': settings.weightDecay,
    'clip-norm': settings.clipNorm ?? 'none',
    'loss-scaling': settings.lossScaling ? 'dynamic' : 'none',
    loss: settings.loss,
    'label-smoothing': settings.labelSmoothing,
    'reference-free': settings.referenceFree,
    'sum-log-probs': !settings.averageLogProbabilities,
    'without-replacement': !settings.replacement,
    'train-on': settings.selection.keep,
    'departure-steps': settings.selection.keep === 'departure' ? settings.selection.after : 0,
    agreed: settings.agreed,
    'unusable-labels': settings.trainOnUnusable ? 'own' : 'skip',
    'stop-repeating': settings.stopRepeating,
  };
}

function selectionOf(values: OptimizationValues): StepSelection | null {
  const keep = values['train-on'];
  return keep === 'departure' ? { keep, after: values['departure-steps'] } : keep && { keep };
}

function orNone<T>(given: T | 'none' | null, preset: T | null): T | null {
  if (given === 'none') return null;
  return given ?? preset;
}

function ofPreset(field: PresetField, help: string) {
  return { help, default: null, defaultText: presetValues(field) };
}

function betaOfPreset(place: 0 | 1, help: string) {
  return { help, default: null, defaultText: presetText(({ betas }) => betas[place]) };
}
