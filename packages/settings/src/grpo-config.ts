/**
 * The configuration of `emac grpo`, in the groups that read it: one schema with ranges and words for each setting.
 * Settings of presets have no defaults, except the pixel limit, which configurations of earlier runs lack.
 */
import {
  given,
  gradientShards,
  grpoPreset,
  grpoPresetNames,
  maxStaleness,
  publishedCredit,
  type GrpoPresetName,
  type GrpoSettings,
} from '@emac/algorithms';
import { EmacError } from '@emac/core';
import { normalizations } from '@emac/losses';
import { accuracyModes } from '@emac/lewis';
import { z } from 'zod';
import { defaultAdapter, type FreshAdapter } from './fresh-adapter.ts';
import { modelSchema, parallelSchema } from './model-config.ts';
import { checked, merged, trainedSchema } from './train-config.ts';
import { usualModel } from './usual-environment.ts';
import { worldSchema } from './world-config.ts';

const whole = (least: number, most: number) => z.number().int().min(least).max(most);
const coefficient = z.number().min(0).max(1_000_000);
const positive = z.number().positive().max(1_000_000);
const share = z.number().min(0).max(1);
const name = z.string().min(1);

/** The default players: each role as the model has it. */
export const untrained = 'model';

/** The environment of speaker and listener; each role has its own settings. */
export const lewisGame = 'lewis';

const gameSchema = z.strictObject({
  pictures: name
    .default('drawn')
    .describe(
      'what is described: drawn (the built-in world), a folder of pictures as category/concept/picture.png, or a catalogue.json in the published layout with its pictures below its folder',
    )
    .meta(given('pictures')),
  candidates: whole(2, 26)
    .default(3)
    .describe('pictures that the listener chooses from')
    .meta(given('candidates')),
  splitSeed: whole(0, 999_999_999)
    .default(23)
    .describe('seed of which concepts are trained on; the others are held out')
    .meta(given('split-seed')),
  trainingShare: z
    .number()
    .gt(0)
    .lt(1)
    .default(0.65)
    .describe('share of the concepts of each category that are trained on')
    .meta(given('training-share')),
});

const playSchema = z.strictObject({
  updates: whole(1, 999_999_999)
    .nullable()
    .default(null)
    .describe('updates of the policy; by default as many as the epochs have')
    .meta(given('updates', { none: 'epochs' })),
  epochs: positive
    .nullable()
    .describe('passes over all training games, where no updates are given')
    .meta(given('epochs', { aliases: ['num-train-epochs'], none: 'none' })),
  promptsPerUpdate: whole(1, 65_536)
    .describe('prompts that one version of the policy answers, or tasks that it attempts, before it learns')
    .meta(given('prompts-per-update')),
  groupSize: whole(2, 4096)
    .describe('G, answers to each prompt or attempts at each task, whose rewards are compared')
    .meta(given('group-size', { aliases: ['num-generations'] })),
  temperature: positive
    .describe('divides the logits, where answers are drawn and where they are scored')
    .meta(given('temperature')),
  together: whole(1, 65_536)
    .nullable()
    .default(null)
    .describe(
      'prompts, or tasks, that are answered at once, which decides last bits: with --queue those of a job, so that as many workers are busy as there are jobs; by default all of an update',
    )
    .meta(given('prompts-together', { none: 'all', otherwise: 'all' })),
  speakerTemperature: z
    .number()
    .min(0)
    .max(100)
    .describe(
      'listener: what the speaker says of training pictures is drawn at this temperature; 0 takes the likeliest, as published',
    )
    .meta(given('speaker-temperature')),
  maxSteps: whole(1, 10_000)
    .nullable()
    .default(null)
    .describe('steps after which an attempt is given up; own: the limit of --env')
    .meta(given('max-steps', { none: 'own', otherwise: 'own' })),
  parallelEpisodes: parallelSchema
    .describe('attempts under way at once, which decides last bits; 1 where layers are streamed')
    .meta(given('parallel-episodes', { otherwise: '8' })),
});

const rewardsSchema = z.strictObject({
  accuracy: z
    .enum(accuracyModes)
    .default('binary')
    .describe(
      'speaker: 1 for the right candidate; soft_gated: how clearly the listener chose it; soft_always: how clearly it chose any',
    )
    .meta(given('listener-reward-mode')),
  format: z
    .enum(['all', 'each'])
    .default('all')
    .describe('speaker: 1 where all three parts are in their tags, or a third for each')
    .meta(given('format-reward')),
  length: z
    .enum(['sentence', 'words', 'none'])
    .default('sentence')
    .describe('speaker: 0.1 for one sentence; words: costs of too many sentences and too few or many words')
    .meta(given('length-reward')),
  overlap: z
    .boolean()
    .default(false)
    .describe('speaker: what the description repeats of state and location costs')
    .meta(given('overlap-reward')),
  verdict: z
    .enum(['consistency', 'weighted'])
    .default('consistency')
    .describe(
      'listener: 1 for the right verdict; weighted: also −1 for a wrong yes and −0.3 for a wrong no. 1 for the form is added',
    )
    .meta(given('verdict-reward')),
  attempt: z
    .enum(['return', 'success'])
    .default('return')
    .describe(
      "other environments: what an attempt is worth, the sum of the environment's rewards, or 1 for success",
    )
    .meta(given('reward')),
  invalid: coefficient
    .default(0)
    .describe('other environments: cost of an answer that names no admissible action')
    .meta(given('invalid-cost')),
});

const lossesSchema = z.strictObject({
  beta: coefficient
    .describe('β, what a nat of divergence from the model without its adapter costs')
    .meta(given('beta')),
  clip: z
    .strictObject({
      low: positive.max(1).describe('how far below 1 the ratio of probabilities counts'),
      high: positive
        .describe('how far above 1 the ratio of probabilities counts')
        .meta(given('clip-high', { aliases: ['epsilon-high'], otherwise: 'the --clip' })),
    })
    .nullable()
    .describe('clip range ε of the probability ratio')
    .meta(given('clip', { aliases: ['epsilon'], otherwise: 'no clipping' })),
  advantages: z
    .enum(['group', 'leave-one-out', 'steps', 'history'])
    .default('group')
    .describe(
      'compare attempts with the mean of their group, or of the others in it (RLOO); steps: also single steps from equal states (GiGPO); history: steps alone, by the states before them (HGPO)',
    )
    .meta(given('advantages')),
  credit: z
    .strictObject({
      discount: share
        .default(publishedCredit.discount)
        .describe('--advantages steps, history: discount factor γ')
        .meta(given('gamma')),
      weight: coefficient
        .default(publishedCredit.weight)
        .describe("--advantages steps: weight ω of a step's own advantage beside its attempt's")
        .meta(given('step-weight')),
      history: whole(0, 1000)
        .default(publishedCredit.history)
        .describe('--advantages history: earlier states in the longest context')
        .meta(given('history')),
      exponent: z
        .number()
        .min(0)
        .max(100)
        .default(publishedCredit.exponent)
        .describe('--advantages history: a context of k states weighs (k + 1) to this power')
        .meta(given('history-exponent')),
    })
    .prefault({}),
  scale: z
    .enum(['group', 'batch', 'none'])
    .describe('what advantages are divided by: the deviation in their group, in the batch, or nothing')
    .meta(given('scale-rewards')),
  normalization: z
    .enum(normalizations)
    .describe("how the terms of tokens become one loss (TRL's loss_type)")
    .meta(given('loss-type')),
  maxLength: whole(1, 65_536)
    .describe('longest answer in tokens, end token included')
    .meta(given('max-new-tokens', { aliases: ['max-completion-length', 'max-length'] })),
});

const optimizationSchema = z.strictObject({
  iterations: whole(1, 10_000)
    .describe('passes over the answers of an update')
    .meta(given('passes', { aliases: ['num-iterations'] })),
  minibatchSize: whole(1, 999_999_999)
    .nullable()
    .describe('answers of one gradient step; by default all of an update')
    .meta(given('batch-size', { aliases: ['minibatch-size'], none: 'all' })),
  microBatchSize: whole(1, 999_999_999)
    .nullable()
    .describe('answers that bnpo takes a mean over; by default a minibatch')
    .meta(given('micro-batch-size', { none: 'all' })),
  learningRate: positive.describe('largest learning rate').meta(given('lr', { aliases: ['learning-rate'] })),
  warmupSteps: whole(0, 999_999_999)
    .describe('gradient steps in which the learning rate rises from 0')
    .meta(given('warmup')),
  schedule: z
    .enum(['constant', 'linear', 'cosine'])
    .describe('how the learning rate falls')
    .meta(given('schedule')),
  finalShare: share
    .describe('share of the learning rate that is left at the end of its fall')
    .meta(given('lr-final-share')),
  clipNorm: positive
    .nullable()
    .describe('limit of the gradient norm over all parameters')
    .meta(given('max-grad-norm', { none: 'none', aliases: ['clip-norm'] })),
  betas: z.tuple([
    z.number().min(0).lt(1).describe('Adam: decay of the running mean').meta(given('adam-beta1')),
    z.number().min(0).lt(1).describe('Adam: decay of the running mean square').meta(given('adam-beta2')),
  ]),
  epsilon: positive.describe('Adam: ε').meta(given('adam-epsilon', { aliases: ['eps'] })),
  weightDecay: coefficient.describe('AdamW: weight decay').meta(given('weight-decay')),
  gradientShards,
  maxStaleness,
});

export const sendForms = ['data', 'paths'] as const;

export const lewisRoles = ['speaker', 'listener', 'both'] as const;
/** The role a run trains; `both` is a chain of runs. */
export type LewisRole = 'speaker' | 'listener';

export const grpoSchema = z.strictObject({
  env: name
    .default(lewisGame)
    .describe(
      'lewis, a speaker and a listener, or the environment that is attempted: alfworld, or an id such as gym_cards/NumberLine-v0, MiniGrid-Empty-5x5-v0 or tabletop/spatial/0',
    )
    .meta(given('env', { otherwise: 'lewis' })),
  role: z
    .enum(lewisRoles)
    .nullable()
    .default(null)
    .describe('lewis: who learns; both: in turns, each turn a run of its own, the listener first')
    .meta(given('role', { otherwise: 'needed in lewis unless --resume' })),
  turns: whole(2, 1000)
    .default(4)
    .describe('--role both: how many turns there are in all')
    .meta(given('turns')),
  turn: whole(0, 999)
    .nullable()
    .default(null)
    .describe('which turn of --role both a run is, from 0; null for a run of one role alone'),
  init: name
    .nullable()
    .default(null)
    .describe('a run, RUN@best or a checkpoint that the policy starts from; a fresh adapter without it')
    .meta(given('init')),
  listener: name
    .default(untrained)
    .describe(
      'who listens to a speaker: model (the untrained one), a run that trained a listener, or the address of a listener service; LISTENER_URL wins over the default',
    )
    .meta(given('listener')),
  speaker: name
    .default(untrained)
    .describe(
      'who speaks to a listener: model (the untrained one), true (says what is drawn), a run that trained a speaker, or the address of a speaker service',
    )
    .meta(given('speaker')),
  preset: z
    .enum(grpoPresetNames)
    .default('tiny')
    .describe('named settings; other flags win over them')
    .meta(given('preset')),
  seed: whole(0, 999_999_999_999_999).default(0).describe('seed of every random draw').meta(given('seed')),
  game: gameSchema.prefault({}),
  play: playSchema,
  world: worldSchema.prefault({}),
  rewards: rewardsSchema.prefault({}),
  losses: lossesSchema,
  optimization: optimizationSchema,
  trained: trainedSchema.extend({ parts: trainedSchema.shape.parts.default('lora') }).prefault({}),
  speech: z
    .strictObject({
      minLength: whole(1, 4096)
        .default(1)
        .describe('shortest answer in tokens, before the end token')
        .meta(given('min-length')),
      maxPromptLength: whole(16, 65_536)
        .default(1024)
        .describe(
          'longest prompt in tokens, those of its picture included; a longer one is refused, never cut',
        )
        .meta(given('max-prompt-tokens', { aliases: ['max-prompt-length', 'max-text-tokens'] })),
    })
    .prefault({}),
  model: modelSchema
    .extend({
      path: modelSchema.shape.path.default('lewis-tiny'),
      maxPixels: whole(1, 999_999_999)
        .nullable()
        .default(null)
        .describe(
          "pixels of a picture that a model is shown, at most: max_pixels of a Qwen2-VL or Qwen2.5-VL; by default the model's own",
        )
        .meta(
          given('max-pixels', {
            none: 'own',
            otherwise: 'that of --init, else own, or 401408 in published presets',
          }),
        ),
    })
    .prefault({}),
  send: z
    .enum(sendForms)
    .default('data')
    .describe(
      'how own pictures go to a service: data, scaled to what a model sees of them at most, or paths, for one that reads the same folder',
    )
    .meta(given('send')),
  evaluation: z
    .strictObject({
      games: whole(0, 1_000_000)
        .default(150)
        .describe(
          'held-out tasks, or games with held-out concepts and views, played before and after training; 0 for none',
        )
        .meta(given('eval-episodes', { aliases: ['eval-games'], otherwise: '150 in lewis, else 20' })),
    })
    .prefault({}),
  checkpointEvery: whole(1, 999_999_999)
    .default(10)
    .describe('updates from one checkpoint to the next')
    .meta(given('checkpoint-every')),
  keep: whole(1, 999_999_999)
    .nullable()
    .default(5)
    .describe('newest checkpoints that stay, beside the best')
    .meta(given('keep', { none: 'all' })),
  onlyLast: z
    .boolean()
    .default(false)
    .describe('once the run is done its last checkpoint alone stays, not the best either'),
  out: name.default('runs').describe('folder in which the run folder is made').meta(given('out')),
});

export type GrpoConfig = z.infer<typeof grpoSchema>;

/** A partial configuration, validated only when completed. */
export type GivenGrpoConfig = {
  readonly [K in keyof GrpoConfig]?: GrpoConfig[K] extends object
    ? { readonly [N in keyof GrpoConfig[K]]?: GrpoConfig[K][N] }
    : GrpoConfig[K];
};

/**
 * A whole configuration from given settings and their preset. Errors: `config` naming every invalid setting, `usage`
 * for an unknown environment.
 */
export function grpoConfig(given: GivenGrpoConfig): GrpoConfig {
  const preset = grpoPresetConfig(grpoPresetNames.find((each) => each === given.preset) ?? 'tiny');
  const { epochs, updates } = given.play ?? {};
  // given epochs override the preset's updates
  const play = epochs != null && updates === undefined ? { ...preset.play, updates: null } : preset.play;
  const base = merged({ ...preset, play }, ofEnvironment(given));
  return checked(grpoSchema, merged(base, given), 'configuration');
}

/** Settings that differ outside the Lewis game: the model, and the number of evaluated episodes. */
function ofEnvironment({ env }: GivenGrpoConfig): object {
  if (typeof env !== 'string' || env === lewisGame) return {};
  return { model: { path: usualModel(env) }, evaluation: { games: 20 } };
}

/** `max_pixels` of the published runs: 512 visual tokens of 28 · 28 */
const publishedMaxPixels = 401_408;

/** A preset's part of a configuration. */
export function grpoPresetConfig(preset: GrpoPresetName) {
  const { epochs, settings } = grpoPreset(preset);
  const { updates, ...play } = settings.play;
  return {
    preset,
    ...settings,
    play: {
      ...play,
      epochs,
      updates: epochs === null ? updates : null,
      // sampling also uses answers that are never greedy, so two untrained roles can learn
      speakerTemperature: preset === 'tiny' ? 1 : 0,
    },
    model: { maxPixels: preset === 'tiny' ? null : publishedMaxPixels },
  };
}

/** A preset's new adapter, on all linear layers. */
export function adapterOfGrpoPreset(preset: GrpoPresetName): FreshAdapter {
  if (preset === 'tiny') return defaultAdapter;
  const rank = preset === 'published-14b' ? 128 : 64;
  return { ...defaultAdapter, rank, alpha: 2 * rank, dropout: 0.001 };
}

/** The algorithm's settings in a configuration, for so many tasks. Errors: `usage` for epochs of endless tasks. */
export function grpoSettingsOf(
  { play, losses, optimization }: GrpoConfig,
  tasks: number | null,
): GrpoSettings {
  const { updates, epochs, promptsPerUpdate, groupSize, temperature, together } = play;
  const rest = { promptsPerUpdate, groupSize, temperature, together };
  if (updates === null && tasks === null)
    throw new EmacError(
      'usage',
      `--epochs ${epochs}: there are as many tasks as seeds, so passes have no end; give --updates`,
    );
  const needed = Math.max(1, Math.ceil(((epochs ?? 1) * (tasks ?? 1)) / play.promptsPerUpdate));
  return { play: { ...rest, updates: updates ?? needed }, losses, optimization };
}
