/** The numbers of a phase: the preset's, except where a flag says otherwise. */
import { presetSettings, type TrainingSettings } from '@emac/trainer';
import type { TrainValues } from './train-options.ts';

/** Settings for the trainer; explicit flags win. */
export function trainingSettings(values: TrainValues): TrainingSettings {
  const preset = presetSettings(values.preset, values.phase);
  return {
    ...preset,
    rounds: values.rounds ?? preset.rounds,
    gamesPerRound: values['games-per-round'] ?? preset.gamesPerRound,
    maxSteps: values['max-steps'] ?? preset.maxSteps,
    actWith: values['act-with'] ?? preset.actWith,
    updatesPerEpisode: values['updates-per-episode'] ?? preset.updatesPerEpisode,
    batchSize: values['batch-size'] ?? preset.batchSize,
    accumulate: values.accumulate ?? preset.accumulate,
    learningRate: values.lr ?? preset.learningRate,
    warmup: values.warmup ?? preset.warmup,
    beta: values.beta ?? preset.beta,
    mixRatio: values['mix-ratio'] ?? preset.mixRatio,
  };
}
