/**
 * The configuration of `emac ppo`, in the groups that read it: one schema with ranges and words for each setting. What a preset sets has
 * no default of its own.
 */
import {
  ppoPreset,
  ppoPresetNames,
  type PpoPolicyKind,
  type PpoPresetName,
  type PpoSettings,
} from '@emac/algorithms';
import { z } from 'zod';
import { environmentId } from '../reinforcement/environment-id.ts';
import { countedStarts, isRemoteRobotId, isRobotId } from '../reinforcement/robots.ts';
import { curriculumFields } from './curriculum-config.ts';
import { inferenceSchema } from './inference-config.ts';
import { modelSchema } from './model-config.ts';
import { optimizationSchema, valuesSchema } from './ppo-optimization-config.ts';
import { checked, merged, trainedSchema } from './train-config.ts';

const whole = (least: number, most: number) => z.number().int().min(least).max(most);
const steps = whole(1, 999_999_999_999);
const coefficient = z.number().min(0).max(1_000_000);
const positive = z.number().positive().max(1_000_000);
const share = z.number().min(0).max(1);

const playSchema = z.strictObject({
  environmentSteps: steps.describe(
    'steps of all environments together; the last update may go beyond it by less than its own',
  ),
  environments: whole(1, 65_536).describe('environments that are stepped side by side'),
  stepsPerUpdate: whole(1, 999_999_999).describe(
    'steps of each environment that one version of the policy makes before it learns',
  ),
  maxSteps: whole(1, 999_999_999)
    .nullable()
    .describe('steps after which an episode is cut off, which is no end: what would follow counts'),
  palette: z
    .enum(['true', 'legacy-wrapped'])
    .default('true')
    .describe('MiniGrid: colours of the picture; legacy-wrapped as a published trainer showed them'),
  temperature: positive.describe('divides the logits, where answers are drawn and where they are scored'),
  together: whole(1, 65_536)
    .nullable()
    .default(null)
    .describe(
      'environments whose prompts are asked about at once, which decides last bits: with --queue those of a job, so that as many workers play as there are groups; by default all',
    ),
});

const advantagesSchema = z.strictObject({
  discount: share.describe('γ, what a reward is worth one step earlier'),
  trace: share.describe('λ of generalized advantage estimation'),
  truncation: z
    .enum(['bootstrap', 'termination', 'masked'])
    .describe(
      'what follows a step that was cut off: the value of what was seen last, nothing as after an end, or the step has no advantage',
    ),
  normalize: z
    .enum(['update', 'minibatch'])
    .nullable()
    .describe('over which steps advantages get mean 0 and deviation 1'),
  normalizeEpsilon: coefficient.describe('added to that deviation'),
});

const shapingSchema = z.strictObject({
  actionFrequencyBonus: coefficient
    .default(0)
    .describe(
      'what an action that its answer named is worth in an episode that failed, over √ of how often it was taken there so far; added to advantages',
    ),
  utility: z
    .enum(['reward', 'advantage'])
    .nullable()
    .default(null)
    .describe(
      'what ratings of steps, by the scripted player or --utility-data, do: up to 0.04 more reward in episodes that succeed, or a share of the advantages that falls to 0 in the first quarter of the run',
    ),
  temporalPredictor: coefficient
    .default(0)
    .describe(
      "a model: what the step is worth that a second adapter, which predicts an episode's actions from its first picture, expected least of those in episodes that failed; others less; added to advantages; temp_predictor of RL4VLM's fork, which has 0.00025",
    ),
});

const curriculumSchema = z.strictObject({
  ...curriculumFields(
    'tabletop/…, or --curriculum-tasks: tasks are drawn by their success s with {weights}, for every episode; none: alike',
  ),
  tasks: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe(
      'MiniGrid: environments that are the tasks, --env among them, with commas; training draws them by --curriculum, else alike, and evaluations play them in turn',
    ),
});

const lossesSchema = z.strictObject({
  policy: z
    .enum(['ppo', 'rlef'])
    .default('ppo')
    .describe(
      'what the policy learns by: the clipped ratio times the advantage A (ppo), or behaviour cloning of its own answers weighted by min(e^A, 10), without ratio, clip or guard (rlef)',
    ),
  clip: z.strictObject({
    low: positive.max(1).describe('how far below 1 the ratio of probabilities counts'),
    high: positive.describe('how far above 1 the ratio of probabilities counts'),
  }),
  credit: z
    .enum(['token', 'answer'])
    .describe('what has a ratio: each token (VL-DAC), or an answer as a whole (RL4VLM)'),
  thoughtCoefficient: coefficient.describe(
    '--credit answer: what the log-probability of its thoughts counts beside that of its action',
  ),
  ratioGuard: z
    .number()
    .gt(1)
    .max(1_000_000_000)
    .nullable()
    .describe('an answer with a ratio above this has the clamped ratio alone in its loss'),
  entropyCoefficient: coefficient.describe('what a nat of entropy is worth: it is taken off the loss'),
  valueCoefficient: coefficient.describe('weight of the loss of values'),
  valueClip: positive.nullable().describe('how far a value may move from the one before the update'),
});

/** What learns where nothing else is named: the small model that has learned to see such environments. */
export function defaultPolicyOf(env: string): string {
  return isRobotId(env) ? 'vla-tiny' : 'rl-tiny';
}

export const ppoSchema = z.strictObject({
  env: z
    .string()
    .min(1)
    .describe('the environment, e.g. gym_cards/NumberLine-v0, MiniGrid-DoorKey-6x6-v0; -v0 may be left out'),
  policy: z
    .string()
    .min(1)
    .describe(
      'what learns: rl-tiny, for tabletop/… vla-tiny, or the folder of another vision-language model, which reads the picture and a prompt and answers in JSON or a robot’s action tokens; or a small network over the arrays (mlp) or the picture (cnn) of the environment',
    ),
  init: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe(
      'a run, RUN@best or a checkpoint whose parameters the policy starts from, a model also from one of emac train; fresh ones without it',
    ),
  utilities: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe(
      '--utility: the folder or JSON file of a dataset made with emac collect --quality-scores, which rates the steps in place of the scripted player',
    ),
  preset: z.enum(ppoPresetNames).default('tiny').describe('named settings; other flags win over them'),
  seed: whole(0, 999_999_999_999_999).default(0).describe('seed of every random draw'),
  play: playSchema,
  advantages: advantagesSchema,
  shaping: shapingSchema.prefault({}),
  losses: lossesSchema,
  optimization: optimizationSchema,
  curriculum: curriculumSchema.prefault({}),
  trained: trainedSchema.extend({ parts: trainedSchema.shape.parts.default('lora') }).prefault({}),
  value: valuesSchema.prefault({}),
  speech: z
    .strictObject({
      minLength: whole(1, 4096)
        .default(1)
        .describe('a model: shortest answer in tokens, before the end token'),
      maxLength: whole(1, 4096)
        .default(256)
        .describe('a model: longest answer in tokens, end token included'),
      malformedPenalty: z
        .number()
        .min(-1_000_000)
        .max(0)
        .default(-1)
        .describe(
          'a model in tabletop/…: added to the reward of a step whose answer is no action, at which the robot does nothing',
        ),
      maxTextTokens: whole(16, 65_536).default(1024).describe('a model: longest prompt in tokens'),
      actionOnly: z
        .boolean()
        .default(false)
        .describe('a model in card games: it is asked for an action without thoughts'),
      actionScores: z
        .boolean()
        .default(false)
        .describe(
          'a model in MiniGrid: it is asked for a score from 1 to 5 of each action, and one is drawn with probability in proportion to e^(score / 2)',
        ),
    })
    .prefault({}),
  model: modelSchema.omit({ path: true }).prefault({}),
  inference: inferenceSchema.prefault({}),
  evaluation: z
    .strictObject({
      episodes: whole(0, 1_000_000)
        .default(200)
        .describe(
          'held-out episodes played before and after training; 0 for none; in tabletop/… all that are held out unless fewer are given',
        ),
      temperature: z
        .number()
        .min(0)
        .max(100)
        .default(0)
        .describe('evaluation: answers are drawn at this temperature; 0 takes the likeliest'),
    })
    .prefault({}),
  best: z
    .strictObject({
      ema: share
        .lt(1)
        .nullable()
        .default(null)
        .describe(
          'α of a moving average of mean returns: the best checkpoint is made where it rises; none: the best of the checkpoints is that with the highest mean return of its update',
        ),
      minDelta: coefficient.default(0).describe('--best-ema: how much it has to rise above the best'),
      patience: whole(1, 999_999_999)
        .nullable()
        .default(null)
        .describe('--best-ema: updates without a rise after which training ends'),
    })
    .prefault({}),
  checkpointEvery: whole(1, 999_999_999).default(10).describe('updates from one checkpoint to the next'),
  keep: whole(1, 999_999_999).nullable().default(5).describe('newest checkpoints that stay, beside the best'),
  out: z.string().min(1).default('runs').describe('folder in which the run folder is made'),
});

export type PpoConfig = z.infer<typeof ppoSchema>;

/** True for a policy that is a model, not a small network. */
export function isModelPolicy({ policy }: Pick<PpoConfig, 'policy'>): boolean {
  return policy !== 'mlp' && policy !== 'cnn';
}

/** What is given of a configuration, checked only when it is completed. */
export type GivenPpoConfig = Pick<PpoConfig, 'env'> & {
  readonly [K in Exclude<keyof PpoConfig, 'env'>]?: PpoConfig[K] extends object
    ? { readonly [N in keyof PpoConfig[K]]?: PpoConfig[K][N] }
    : PpoConfig[K];
};

/** A whole configuration from what is given and its preset. Errors: `config` naming every invalid setting, `usage` for an unknown environment. */
export function ppoConfig(given: GivenPpoConfig): PpoConfig {
  const env = typeof given.env === 'string' ? environmentId(given.env) : given.env;
  const name = ppoPresetNames.find((each) => each === given.preset) ?? 'tiny';
  const { policy = defaultPolicyOf(env) } = given;
  const preset = ppoPresetConfig(name, env, isModelPolicy({ policy }) ? 'model' : 'network');
  return checked(ppoSchema, merged(preset, { ...given, env, policy }), 'configuration');
}

/** What a preset sets of a configuration. */
export function ppoPresetConfig(name: PpoPresetName, env: string, kind: PpoPolicyKind = 'network') {
  const { environments, maxSteps, settings } = ppoPreset(name, env, kind);
  return {
    preset: name,
    ...settings,
    play: { ...settings.play, environments, maxSteps },
    ...(kind === 'model' && ofModel(name)),
    ...(kind === 'model' && (isRobotId(env) || name === 'vlarl') && { speech: robotSpeech }),
    // there are no more; how many a client elsewhere has is heard from it
    ...(isRobotId(env) &&
      !isRemoteRobotId(env) && { evaluation: { episodes: countedStarts(env, 'held-out').length } }),
    ...(name === 'vlarl' && { curriculum: { formula: 'half' as const }, best: { ema: 0.99 } }),
  };
}

/** What `tiny` sets beside the algorithm's numbers where the policy is a model, and what RL4VLM and VLA-RL have there. */
const smallModel = { value: { hiddenWidths: [64], learningRateScale: 5 }, speech: { maxLength: 64 } };
/** Seven tokens and the end. */
const robotSpeech = { maxLength: 8 };
const publishedModel = {
  value: { hiddenWidths: [1024, 512], learningRateScale: 1 },
  speech: { maxLength: 256 },
};
/** Policy 8e-6, values 5e-5. */
const robotModel = { ...publishedModel, value: { ...publishedModel.value, learningRateScale: 6.25 } };

function ofModel(name: PpoPresetName): typeof publishedModel {
  if (name === 'vlarl') return robotModel;
  return name === 'tiny' ? smallModel : publishedModel;
}

/** Of a configuration what the algorithm needs. */
export function ppoSettingsOf(config: PpoConfig): PpoSettings {
  const { play, advantages, shaping, losses, optimization } = config;
  const { environmentSteps, stepsPerUpdate, temperature, together } = play;
  const playing = { environmentSteps, stepsPerUpdate, temperature, together };
  return { play: playing, advantages, shaping, losses, optimization };
}
