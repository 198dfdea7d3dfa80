/** The resolved configuration of a run, as config.yaml keeps it: every flag with the value in use, and what was drawn. */
import type { TrainValues } from './train-options.ts';
import type { TrainingPlan } from './training-plan.ts';

/** All flags but `--out` (where a run lies changes nothing in it), the full settings, the ids of the games. */
export function runConfig({ values, settings, policy, games }: TrainingPlan): object {
  const { out: _place, ...flags } = values;
  const { generation, text, projection } = policy;
  const resolved: Partial<Record<keyof TrainValues, unknown>> = {
    init: values.init ?? values.ref ?? (values.projection === 'mlp' ? 'random' : 'model'),
    projection: projection.kind,
    'projection-hidden': projection.hidden,
    rounds: settings.rounds,
    'games-per-round': settings.gamesPerRound,
    'max-steps': settings.maxSteps,
    'act-with': settings.actWith,
    'updates-per-episode': settings.updatesPerEpisode,
    'batch-size': settings.batchSize,
    accumulate: settings.accumulate,
    lr: settings.learningRate,
    warmup: settings.warmup,
    beta: settings.beta,
    'mix-ratio': settings.mixRatio,
    beams: generation.beams,
    'min-length': generation.minLength,
    'max-length': generation.maxLength,
    'max-text-tokens': text.maxTokens,
  };
  return { command: 'train', flags: { ...flags, ...resolved }, settings, drawn: games.map(({ id }) => id) };
}
