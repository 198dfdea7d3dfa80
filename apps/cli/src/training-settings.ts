/** The numbers of a phase: the preset's, except where a flag says otherwise. */
import { checkSettings, presetSettings, type TrainingSettings } from '@emac/trainer';
import { optimizationSettings } from './optimization-options.ts';
import type { PhaseValues } from './train-options.ts';

/** Settings for the trainer; explicit flags win. Errors: `usage`. */
export function trainingSettings(values: PhaseValues): TrainingSettings {
  const preset = presetSettings(values.preset, values.phase);
  const settings: TrainingSettings = {
    ...preset,
    ...optimizationSettings(values, preset),
    rounds: values.rounds ?? preset.rounds,
    gamesPerRound: values['games-per-round'] ?? preset.gamesPerRound,
    maxSteps: values['max-steps'] ?? preset.maxSteps,
    actWith: values['act-with'] ?? preset.actWith,
    expertProbability: values['expert-probability'] ?? preset.expertProbability,
    expertDecay: values['expert-decay'] ?? preset.expertDecay,
    admissibleOnly: values['admissible-only'] || preset.admissibleOnly,
    trainAfter:
      values['train-after'] === 'failed' ? 'failed-episodes' : (values['train-after'] ?? preset.trainAfter),
    skipSolved: values['no-skip-solved'] ? false : preset.skipSolved,
    stopRepeating: values['no-stop-repeating'] ? false : values['stop-repeating'] || preset.stopRepeating,
    updatesPerEpisode: values['updates-per-episode'] ?? preset.updatesPerEpisode,
    batchSize: values['batch-size'] ?? preset.batchSize,
    accumulate: values.accumulate ?? preset.accumulate,
    learningRate: values.lr ?? preset.learningRate,
    warmup: values.warmup ?? preset.warmup,
    beta: values.beta ?? preset.beta,
    mixRatio: values['mix-ratio'] ?? preset.mixRatio,
  };
  checkSettings(settings);
  return settings;
}
