/**
 * The configuration of training, in the groups that read it: one schema with defaults, ranges and words for each setting.
 * Flags and their help, presets, checks and `config.yaml` are all made from it.
 */
import { EmacError } from '@emac/core';
import {
  given,
  gradientShards,
  presetNames,
  presetSettings,
  type PresetName,
  type Phase,
  type TrainingSettings,
  phases,
} from '@emac/algorithms';
import { adapterTargets } from '@emac/backbone';
import { dynamicLossScaling } from '@emac/optim';
import { expertActs, policyActs } from '@emac/rollout';
import { z } from 'zod';
import { gameCurriculumSchema } from './curriculum-config.ts';
import { usualEnvironment, usualModel } from './usual-environment.ts';
import { worldSchema } from './world-config.ts';
import { problemsOf } from './problems.ts';
import { expertSchema } from './expert-config.ts';
import { gamesText, heldOutSuite, modelSchema, parallelSchema, speechSchema } from './model-config.ts';

const whole = (least: number, most: number) => z.number().int().min(least).max(most);
const probability = z.number().min(0).max(1);

const startSchema = z.strictObject({
  ref: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe('dpo: reference policy: a run folder, RUN@best, a checkpoint, a model or a published .pth')
    .meta(given('ref')),
  init: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe('initial projection: model (its own), random, or any value of --ref')
    .meta(given('init', { otherwise: 'model for bc, the --ref for dpo, random for mlp' })),
  projection: z
    .enum(['linear', 'mlp', 'mlp3'])
    .nullable()
    .default(null)
    .describe('trainable projection: one, two or three layers')
    .meta(given('projection', { otherwise: 'from --init, else linear' })),
  hidden: whole(1, 65_536)
    .nullable()
    .default(null)
    .describe('mlp, mlp3: hidden width')
    .meta(given('projection-hidden', { otherwise: 'width of the language model' })),
  carry: z
    .enum(['memories'])
    .nullable()
    .default(null)
    .describe('dpo: start with the reflections on failed attempts of --ref’s run')
    .meta(given('carry')),
});

/** null takes the starting adapter's value, else the default (`defaultAdapter`). */
const trainedSchema = z.strictObject({
  parts: z
    .enum(['projection', 'lora', 'projection,lora'])
    .nullable()
    .default(null)
    .describe('parameters to train: the projection, a low-rank adapter of the language model (LoRA), or both')
    .meta(given('train', { otherwise: 'projection; lora for a model that reads text alone' })),
  rank: whole(1, 4096)
    .nullable()
    .default(null)
    .describe('--train lora: rank of the adapter')
    .meta(given('lora-rank', { otherwise: 'from --init, else 8, or from a published preset' })),
  alpha: z
    .number()
    .positive()
    .max(1_000_000)
    .nullable()
    .default(null)
    .describe('--train lora: α; the adapter’s output is scaled by α / rank')
    .meta(given('lora-alpha', { otherwise: 'from --init, else 16, or from a published preset' })),
  dropout: z
    .number()
    .min(0)
    .max(0.99)
    .nullable()
    .default(null)
    .describe('--train lora: dropout probability of the adapter’s inputs')
    .meta(given('lora-dropout', { otherwise: 'from --init, else 0, or from a published preset' })),
  targets: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe(
      `--train lora: modules to adapt: all-linear, or some of ${adapterTargets.join(', ')}, separated by commas`,
    )
    .meta(
      given('lora-targets', {
        otherwise: 'from --init, else all-linear, or from a published preset',
      }),
    ),
});

/** The same where an adapter learns unless something else is asked for. */
export const learningAdapter = trainedSchema.extend({
  parts: trainedSchema.shape.parts.unwrap().unwrap().default('lora').meta(given('train')),
});

const playSchema = z.strictObject({
  games: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe(`games to train on: ${gamesText}`)
    .meta(given('games', { otherwise: 'for dpo from --ref, else builtin:train' })),
  rounds: whole(1, 10_000).describe('passes over the games').meta(given('rounds')),
  gamesPerRound: whole(1, 100_000)
    .describe(
      'number of games, the same in every round; dpo prefers those --ref’s run did not solve, then unseen ones',
    )
    .meta(given('games-per-round')),
  episodesPerUpdate: whole(1, 100_000)
    .describe('episodes per policy version (between updates)')
    .meta(given('episodes-per-update')),
  parallelEpisodes: parallelSchema
    .describe('training episodes played in parallel, per policy version; affects speed only')
    .meta(
      given('parallel-episodes', {
        also: ['evaluation.parallelEpisodes'],
        otherwise: 'up to 8, or 1 with streamed layers',
      }),
    ),
  maxSteps: whole(1, 10_000)
    .nullable()
    .describe('step limit of an episode; own, the default outside alfworld: the limit of --env')
    .meta(given('max-steps', { none: 'own' })),
  expertShare: z
    .strictObject({
      start: probability
        .describe('--act-with mixture: probability of the expert in the first round')
        .meta(given('expert-probability', { otherwise: '1' })),
      decay: probability
        .describe('--act-with mixture: factor on that probability per round')
        .meta(given('expert-decay', { otherwise: '0.5' })),
    })
    .describe('acting policy; mixture: the expert with a probability that falls each round, else the student')
    .meta(
      given('act-with', {
        words: { student: policyActs, expert: expertActs, mixture: { start: 1, decay: 0.5 } },
      }),
    ),
  admissibleOnly: z
    .boolean()
    .nullable()
    .default(null)
    .describe('restrict the policy to commands the game accepts (admissible)')
    .meta(given('admissible-only')),
  sampleTemperature: z
    .number()
    .positive()
    .max(100)
    .nullable()
    .default(null)
    .describe(
      'training episodes: sample answers at this temperature instead of a beam search; dpo rejects the sampled answer',
    )
    .meta(given('sample-temperature', { otherwise: 'a search' })),
  skipSolved: z
    .boolean()
    .describe('skip games the policy has won in later rounds')
    .meta(
      given('', {
        off: { flag: 'no-skip-solved', help: 'replay won games in later rounds' },
      }),
    ),
  stopRepeating: z
    .boolean()
    .describe('end an episode that repeats itself')
    .meta(
      given('stop-repeating', {
        off: {
          flag: 'no-stop-repeating',
          help: 'play repeating episodes to the step limit',
        },
      }),
    ),
  policyMemory: z
    .boolean()
    .default(false)
    .describe('show the policy the reflections on failed attempts')
    .meta(given('student-memory')),
});

const samplesSchema = z.strictObject({
  trainAfter: z
    .enum(['every-episode', 'failed-episodes'])
    .describe('episodes to learn from')
    .meta(given('train-after', { words: { 'every-episode': 'every-episode', failed: 'failed-episodes' } })),
  selection: z
    .union([
      z.strictObject({ keep: z.enum(['all', 'distinct']) }),
      z.strictObject({
        keep: z.literal('departure'),
        after: whole(0, 10_000)
          .describe('--train-on departure: also keep so many steps after the first wrong one')
          .meta(given('departure-steps', { otherwise: '0' })),
      }),
    ])
    .describe('steps to learn from: all, without repeated ones, or up to the first wrong one')
    .meta(
      given('train-on', {
        words: {
          all: { keep: 'all' },
          distinct: { keep: 'distinct' },
          departure: { keep: 'departure', after: 0 },
        },
      }),
    ),
  agreed: z
    .enum(['drop', 'keep', 'random'])
    .describe('dpo: if policy and expert agree: drop the pair, keep it, or pair with a random command')
    .meta(given('agreed')),
  trainOnUnusable: z
    .boolean()
    .describe("label if the expert's reply is unusable: none, or the policy's own command")
    .meta(given('unusable-labels', { words: { skip: false, own: true } })),
});

const optimizationSchema = z.strictObject({
  updatesPerEpisode: whole(0, 10_000)
    .describe('gradient steps after every episode')
    .meta(given('updates-per-episode')),
  batchSize: whole(1, 1024).describe('samples of one micro-step').meta(given('batch-size')),
  accumulate: whole(1, 1024).describe('micro-steps of one update').meta(given('accumulate')),
  replacement: z
    .boolean()
    .describe('sample micro-steps with replacement')
    .meta(
      given('', { off: { flag: 'without-replacement', help: 'sample micro-steps without replacement' } }),
    ),
  schedule: z
    .enum(['round-cosine', 'linear', 'constant'])
    .describe(
      'learning-rate schedule after warm-up: cosine within each round, linear to the minimum, or constant',
    )
    .meta(given('schedule')),
  learningRate: z
    .number()
    .positive()
    .describe('highest learning rate')
    .meta(given('lr', { aliases: ['learning-rate'] })),
  warmup: whole(0, 1_000_000_000).describe('micro-steps of linear warm-up').meta(given('warmup')),
  warmupStart: z
    .number()
    .min(0)
    .describe('learning rate at the start of the warm-up')
    .meta(given('warmup-lr')),
  minimum: z.number().min(0).describe('learning rate to which the schedule falls').meta(given('min-lr')),
  betas: z.tuple([
    z.number().min(0).describe('Adam: decay of the running mean, below 1').meta(given('adam-beta1')),
    z.number().min(0).describe('Adam: decay of the running mean square, below 1').meta(given('adam-beta2')),
  ]),
  epsilon: z
    .number()
    .positive()
    .describe('Adam: ε, added to the root of the mean square')
    .meta(given('adam-epsilon', { aliases: ['eps'] })),
  weightDecay: z
    .number()
    .min(0)
    .describe('AdamW: decoupled weight decay; none on biases')
    .meta(given('weight-decay')),
  clipNorm: z
    .number()
    .positive()
    .nullable()
    .describe('largest gradient norm over all parameters')
    .meta(given('max-grad-norm', { aliases: ['clip-norm'], none: 'none' })),
  lossScaling: z
    .strictObject({
      start: z.number().positive(),
      growth: z.number().positive(),
      backoff: z.number().positive(),
      interval: whole(1, 1_000_000_000),
    })
    .nullable()
    .describe(
      'scale the loss for half-precision gradients; an overflow skips the update and lowers the scale',
    )
    .meta(given('loss-scaling', { words: { none: null, dynamic: dynamicLossScaling } })),
  gradientShards,
});

const preferenceSchema = z.strictObject({
  loss: z.enum(['sigmoid', 'ipo', 'hinge']).describe('dpo: the preference loss').meta(given('loss')),
  beta: z.number().positive().describe('dpo: inverse temperature of the implicit reward').meta(given('beta')),
  mixRatio: z
    .number()
    .min(0)
    .describe('dpo: weight of −log π(chosen) beside the preference loss')
    .meta(given('mix-ratio')),
  labelSmoothing: z
    .number()
    .min(0)
    .describe('dpo, sigmoid: label smoothing: probability of swapped pairs, below 0.5')
    .meta(given('label-smoothing')),
  referenceFree: z.boolean().describe('dpo: no reference policy (uniform)').meta(given('reference-free')),
  averageLogProbabilities: z
    .boolean()
    .describe('dpo: average log-probabilities over tokens instead of summing; ipo becomes length-normalized')
    .meta(
      given('', {
        off: {
          flag: 'sum-log-probs',
          help: 'dpo: log-probabilities are sums over tokens, not means; ipo is then not length-normalized',
        },
      }),
    ),
});

const datasetSchema = z.strictObject({
  data: z
    .string()
    .min(1)
    .describe(
      'train on a dataset instead of games: a JSON list of {image, text_input, text_output}, for dpo also text_output_neg',
    )
    .meta(given('data')),
  images: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe('--data: folder of pictures, PNG or JPEG')
    .meta(given('images', { otherwise: 'the folder of the JSON file' })),
  validation: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe(
      '--data: validation dataset, scored after each epoch; its lowest loss gives the best checkpoint',
    )
    .meta(given('val')),
  epochs: whole(1, 10_000)
    .default(6)
    .describe('--data: number of epochs, each in a new order')
    .meta(given('epochs')),
  maxUpdates: whole(1, 999_999_999)
    .nullable()
    .default(null)
    .describe('--data: stop after so many updates, also within an epoch; null for none')
    .meta(given('max-updates', { aliases: ['updates'], otherwise: 'all of --epochs' })),
  checkpointEvery: whole(1, 1_000_000)
    .default(50)
    .describe('--data: updates between checkpoints within an epoch')
    .meta(given('checkpoint-every')),
  skipBadRecords: z
    .boolean()
    .default(false)
    .describe(
      '--data: skip, count and name overlong records and undecodable pictures in training and --val; also with --resume',
    )
    .meta(given('skip-bad-records')),
});

export const trainSchema = z.strictObject({
  phase: z.enum(phases),
  method: z
    .string()
    .min(1)
    .optional()
    .describe('custom method, which a program passes beside the settings of its phase (bc or dpo)'),
  env: z
    .string()
    .min(1)
    .default(usualEnvironment)
    .describe(
      'environment: alfworld, an id such as gym_cards/NumberLine-v0, MiniGrid-Empty-5x5-v0, tabletop/spatial/0 or lewis/listener, remote/ID with --world http, or a file of your own such as ./mine.mjs',
    )
    .meta(given('env')),
  preset: z.enum(presetNames).default('tiny').describe('named settings, see below').meta(given('preset')),
  seed: whole(0, 999_999_999_999_999).default(0).describe('seed of every random draw').meta(given('seed')),
  model: modelSchema.prefault({}),
  start: startSchema.prefault({}),
  trained: trainedSchema.prefault({}),
  play: playSchema,
  curriculum: gameCurriculumSchema.prefault({}),
  world: worldSchema.prefault({}),
  samples: samplesSchema,
  optimization: optimizationSchema,
  preference: preferenceSchema,
  speech: speechSchema.prefault({}),
  expert: expertSchema.prefault({}),
  probe: z
    .boolean()
    .nullable()
    .default(null)
    .describe(
      'measure the loss on the expert’s own play of every training game, each round. On unless the expert costs money',
    )
    .meta(
      given('probe', {
        words: { expert: true, none: false },
        otherwise: 'expert, but none for --expert openai',
      }),
    ),
  dataset: datasetSchema.nullable().default(null),
  evaluation: z
    .strictObject({
      games: whole(0, 100_000)
        .default(20)
        .describe('number of games of --eval-on before and after training; 0 for none')
        .meta(given('eval-episodes', { aliases: ['eval-games'], otherwise: '20; with --data none' })),
      on: z
        .string()
        .min(1)
        .default(heldOutSuite)
        .describe(`games for evaluation before and after training: ${gamesText}`)
        .meta(given('eval-on')),
      parallelEpisodes: parallelSchema.describe(
        'evaluation and probe: games played in parallel; affects speed only',
      ),
    })
    .prefault({}),
  keep: whole(1, 999_999_999)
    .nullable()
    .default(5)
    .describe(
      'number of newest checkpoints to keep, beside the best and each round’s last. From 2 on a run survives a damaged newest one',
    )
    .meta(given('keep', { none: 'all' })),
  out: z.string().min(1).default('runs').describe('parent folder of the run folder').meta(given('out')),
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
export function trainConfig(given: GivenTrainConfig): TrainConfig {
  const preset = presetConfig(given.preset ?? 'tiny', given.phase);
  const base = [ofEnvironment(given), ofDataset(given)].reduce(merged, preset);
  return checked(trainSchema, merged(base, given), 'configuration');
}

/** Other environments have other default models; there, repeating an action does not mean going in circles. */
function ofEnvironment({ env = usualEnvironment }: Partial<GivenTrainConfig>): object {
  if (env === usualEnvironment) return {};
  return {
    model: { path: usualModel(env) },
    play: { maxSteps: null, stopRepeating: false },
    speech: { beams: 1 },
  };
}

/** Training on a dataset plays no episodes by default. */
function ofDataset({ dataset }: Partial<GivenTrainConfig>): object {
  return dataset ? { evaluation: { games: 0 } } : {};
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
  paper: { beams: 5, maxTextTokens: 1024 }, // Table 9: inference beam, maximum text length
  'published-code': published,
  'small-scale': published, // as in the code that it ran
  tiny: {}, // the shipped model's commands may be shorter than five tokens
  'tiny-image': { observe: 'image' },
};

/** `given` over `base`, group by group; a list is taken whole, and so is a choice, marked by `keep`. */
export function merged(base: unknown, given: unknown): unknown {
  const isWhole = !isGroup(base) || !isGroup(given) || (isChoice(given) && isChoice(base));
  if (isWhole) return given === undefined ? base : given;
  const names = new Set([...Object.keys(base), ...Object.keys(given)]);
  return Object.fromEntries([...names].map((name) => [name, merged(base[name], given[name])]));
}

/** Of `samples.selection`; the settings as a whole have a `keep` too. */
function isChoice({ keep, ...rest }: Readonly<Record<string, unknown>>): boolean {
  return typeof keep === 'string' && Object.keys(rest).every((name) => name === 'after');
}

function isGroup(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value as its schema has it. Errors: `config` naming every invalid setting. */
export function checked<T>(schema: z.ZodType<T>, value: unknown, place: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new EmacError('config', `${place}: ${problemsOf(schema, value).join('; ')}`);
}
