/**
 * The configuration of training, in the groups that read it: one schema with defaults, ranges and words for each setting.
 * Flags and their help, presets, checks and `config.yaml` are all made from it.
 */
import {
  given,
  labelOptimization,
  labelPreference,
  labelSamples,
  phases,
  presetNames,
  presetSettings,
  text,
  type Phase,
  type PresetName,
  type TrainingSettings,
} from '@emac/algorithms';
import { underNamesToday } from '@emac/runs';
import { z } from 'zod';
import { foundForLabels } from './found-by-trial.ts';
import { gameCurriculumSchema } from './groups/curriculum.ts';
import { expertSchema } from './groups/expert.ts';
import { checked, merged } from './merged.ts';
import { computingSchema, gamesText, heldOutSuite, parallelSchema, speechSchema } from './groups/model.ts';
import * as run from './groups/run.ts';
import { trainedSchema } from './groups/adapter.ts';
import { datasetSchema } from './groups/dataset.ts';
import { playSchema } from './groups/play.ts';
import { startSchema } from './groups/start.ts';
import { usualEnvironment, usualModel } from './usual-environment.ts';

export const trainSchema = z.strictObject({
  phase: z.enum(phases),
  method: text
    .optional()
    .describe('custom method, which a program passes beside the settings of its phase (bc or dpo)'),
  ...run.beginning,
  env: run.beginning.env.default(usualEnvironment).meta(given('env')),
  policy: run.beginning.policy.default('emma-tiny'),
  init: run.beginning.init
    .describe('initial projection: model (its own), random, or any value of --ref')
    .meta({ only: { model: 'model' }, otherwise: 'model for bc, the --ref for dpo, random for mlp' }),
  games: run.beginning.games
    .describe(`games to train on: ${gamesText}`)
    .meta({ when: ['words', 'played', 'here'], otherwise: 'for dpo from --ref, else builtin:train' }),
  preset: z
    .enum(presetNames)
    .default('tiny')
    .describe('named settings, see below')
    .meta(given('preset', { earlier: ['tiny-image'] })),
  model: computingSchema.prefault({}),
  start: startSchema.prefault({}),
  trained: trainedSchema.prefault({}),
  play: playSchema.meta({ when: 'played' }),
  curriculum: gameCurriculumSchema.prefault({}).meta({ when: ['alfworld', 'played'] }),
  samples: labelSamples,
  optimization: labelOptimization,
  preference: labelPreference.meta({ when: 'pairs' }),
  speech: speechSchema.prefault({}).meta({ when: 'model' }),
  expert: expertSchema.prefault({}).meta({ when: 'played' }),
  probe: z
    .boolean()
    .nullable()
    .default(null)
    .describe(
      'measure the loss on the expert’s own play of every training game, each round. On unless the expert costs money or time',
    )
    .meta(
      given('probe', {
        when: 'played',
        words: { expert: true, none: false },
        otherwise: 'expert, but none for --expert openai or human',
      }),
    ),
  dataset: datasetSchema.nullable().default(null),
  evaluation: run
    .evaluation(20, '100 for ALFWorld and preset tiny, else 20; with --data none')
    .extend({
      on: text
        .default(heldOutSuite)
        .describe(`games for evaluation before and after training: ${gamesText}`)
        .meta(given('eval-on', { when: 'words', path: 'existing' })),
      parallelEpisodes: parallelSchema.describe(
        'evaluation and probe: games played in parallel; affects speed only',
      ),
    })
    .prefault({}),
  ...run.ending,
  world: run.ending.world.meta({ when: 'played' }),
});

export type TrainConfig = z.infer<typeof trainSchema>;

/** The same with every setting but the phase optional; a missing one takes the preset's value, or its default. */
export type GivenTrainConfig = Partial2<Omit<TrainConfig, 'phase'>> & Pick<TrainConfig, 'phase'>;

type Partial2<T> = {
  readonly [K in keyof T]?: T[K] extends readonly unknown[]
    ? T[K]
    : T[K] extends object | null
      ? PartialOr<T[K]>
      : T[K];
};
type PartialOr<T> = T extends readonly unknown[] ? T : T extends object ? Partial2<T> : T;

/** A whole configuration from given settings and their preset. Errors: `config` naming every invalid setting. */
export function trainConfig(asked: GivenTrainConfig): TrainConfig {
  const given = underNamesToday(asked);
  const preset = presetConfig(given.preset ?? 'tiny', given.phase);
  const base = [ofEnvironment(given), ofDataset(given), foundForLabels(given)].reduce(merged, preset);
  const settings = merged(base, given) as TrainConfig;
  return checked(trainSchema, merged(settings, roundsFor(settings, given)), 'configuration');
}

/** The rounds that a number of updates takes, if the policy learns from every episode. */
function roundsFor({ play, optimization }: TrainConfig, given: GivenTrainConfig): object {
  if (optimization.updates == null || given.play?.rounds !== undefined) return {};
  const inRound = play.gamesPerRound * optimization.updatesPerEpisode;
  return { play: { rounds: Math.min(10_000, Math.ceil(optimization.updates / Math.max(1, inRound))) } };
}

/** Other environments have other default models; there, repeating an action does not mean going in circles. */
function ofEnvironment({ env = usualEnvironment }: Partial<GivenTrainConfig>): object {
  if (env === usualEnvironment) return {};
  return {
    policy: usualModel(env),
    play: { maxSteps: null, stopRepeating: false },
    speech: { beams: 1 },
  };
}

/** Training on a dataset plays no episodes by default. */
function ofDataset({ dataset }: Partial<GivenTrainConfig>): object {
  return dataset ? { evaluation: { episodes: 0 } } : {};
}

/** A preset's part of a configuration. */
export function presetConfig(
  name: PresetName,
  phase: Phase,
): Pick<TrainConfig, 'preset'> & PresetSettings & { speech: object } {
  const settings = presetSettings(name, phase);
  // this setting belongs to the policy that training may start from
  const { admissibleOnly: _ofThePolicy, ...play } = settings.play;
  return { preset: name, ...settings, play, speech: presetSpeech[name] };
}

type PresetSettings = Omit<TrainingSettings, 'play'> & {
  readonly play: Omit<TrainingSettings['play'], 'admissibleOnly'>;
};

const published = { beams: 5, minLength: 5, maxLength: 128 };

/**
 * The presets' speech settings in model tokens, if their sources give them. The published code generates with
 * `num_beams` 5, `min_length` 5, `max_length` 128 and `length_penalty` 0, the length penalty of every search here.
 */
const presetSpeech: Readonly<Record<PresetName, object>> = {
  paper: { beams: 5, maxPromptTokens: 1024 }, // Table 9: inference beam, maximum text length
  'published-code': published,
  'small-scale': published, // as in the code that it ran
  tiny: {}, // the shipped model's commands may be shorter than five tokens
};
