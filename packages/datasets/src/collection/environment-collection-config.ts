/** The configuration of a dataset collection from a step environment. */
import { isDeepStrictEqual } from 'node:util';
import { given } from '@emac/algorithms';
import { EmacError, type LocalWorld } from '@emac/core';
import {
  environmentId,
  environmentsWith,
  isWorded,
  kindOf,
  localWorld,
  type GivenEnvironment,
} from '@emac/opening';
import { changeableOfLanguageModel, checked, serviceSchema } from '@emac/settings';
import { z } from 'zod';

const whole = (least: number, most: number) => z.number().int().min(least).max(most);
const share = z.number().min(0).max(1);

export const environmentCollectionSchema = z.strictObject({
  env: z
    .string()
    .min(1)
    .describe(
      'environment to play instead of games, e.g. gym_cards/EZPoints-v0; its scripted player or a language model labels',
    )
    .meta(given('env')),
  out: z.string().min(1).describe('folder to create').meta(given('out')),
  seed: whole(0, 999_999_999_999_999).default(0).describe('seed of every random draw').meta(given('seed')),
  samples: whole(1, 10_000_000)
    .default(1000)
    .describe(
      '--env: number of steps to write; the last episode is cut there, and unlabelled steps are skipped',
    )
    .meta(given('num-samples')),
  maxSteps: whole(1, 999_999_999)
    .nullable()
    .default(null)
    .describe('step limit of an episode; null for the environment’s own')
    .meta(given('max-steps', { otherwise: 'own' })),
  randomActions: share
    .default(0.1)
    .describe('--env: share of steps with a random action')
    .meta(given('random-actions')),
  labelNoise: share
    .default(0)
    .describe('--env: share of scripted labels that are deliberately wrong, without a conclusion')
    .meta(given('label-noise')),
  validation: share
    .max(0.9)
    .default(0.1)
    .describe('--env: share of episodes held out in val.json')
    .meta(given('val-share')),
  actionSteps: whole(1, 1000)
    .nullable()
    .default(null)
    .describe('--env tabletop/…: round action numbers to so many steps a unit; null: unrounded')
    .meta(given('action-steps', { none: 'exact', otherwise: 'exact' })),
  format: z
    .enum(['json', 'rlds'])
    .default('json')
    .describe(
      '--env tabletop/…: output format: a folder for emac sft, or an RLDS dataset of TensorFlow Datasets',
    )
    .meta(given('format')),
  palette: z
    .enum(['true', 'legacy-wrapped'])
    .default('true')
    .describe('--env MiniGrid-…: colours of the picture')
    .meta(given('palette')),
  actionOnly: z
    .boolean()
    .default(false)
    .describe('--env gym_cards/…: prompt for the action only, without thoughts')
    .meta(given('action-only-prompt')),
  expert: z
    .strictObject({
      kind: z
        .enum(['scripted', 'openai'])
        .default('scripted')
        .describe('--env: labels from the scripted player, or from a language model that sees the picture')
        .meta(given('expert')),
      languageModel: serviceSchema.prefault({}),
    })
    .prefault({}),
  qualityScores: z
    .boolean()
    .default(false)
    .describe('--env --expert openai: also ask for a rating of every action, 0 to 10; stored as utilities')
    .meta(given('quality-scores')),
  parallelEpisodes: whole(1, 1024)
    .default(8)
    .describe('--env --expert openai: parallel players; each plays its share of the steps')
    .meta(given('parallel-episodes')),
});

export type EnvironmentCollectionConfig = z.infer<typeof environmentCollectionSchema>;

/** A complete configuration; a module is named by its file. Errors: `config`; `usage` for an unknown environment, and for a missing module. */
export function environmentCollectionConfig(
  asked: z.input<typeof environmentCollectionSchema>,
  environment: GivenEnvironment | null = null,
): EnvironmentCollectionConfig {
  const env = environmentId(asked.env, environment);
  return checked(environmentCollectionSchema, { ...asked, env }, 'configuration');
}

/** The local world of environments with actions in words. */
const wordsAlone: Pick<Partial<LocalWorld>, 'moved' | 'words'> = {};

/** Checks settings against the environment and the expert. Errors: `usage`. */
export function requireFitting(config: EnvironmentCollectionConfig): void {
  const { env, actionOnly, expert, labelNoise, qualityScores } = config;
  const { kind, languageModel } = expert;
  const refuse = (flag: string, rule: string): never => {
    throw new EmacError('usage', `${flag}: ${rule}; leave it out`);
  };
  const { moved, words } = isWorded(env) ? wordsAlone : localWorld(env);
  if (moved && kind === 'openai') refuse('--expert', `openai labels actions in words, got ${env}`);
  if (isWorded(env) && kind === 'openai')
    refuse('--expert', `openai labels environments of a fixed list of actions, got ${env}`);
  const ofRobots = environmentsWith((_, world) => world.moved !== undefined);
  if (!moved && config.actionSteps !== null) refuse('--action-steps', `is for ${ofRobots}, got ${env}`);
  if (!moved && config.format === 'rlds') refuse('--format', `rlds is for ${ofRobots}, got ${env}`);
  if (config.palette !== 'true' && (isWorded(env) || !kindOf(env).palettes))
    refuse('--palette', `is for ${environmentsWith(({ palettes }) => palettes !== undefined)}, got ${env}`);
  if (actionOnly && !words?.asksActionOnly)
    refuse(
      '--action-only-prompt',
      `is for ${environmentsWith((_, world) => world.words?.asksActionOnly ?? false)}, got ${env}`,
    );
  if (kind === 'openai' && labelNoise > 0) refuse('--label-noise', 'belongs to --expert scripted');
  if (kind === 'scripted' && qualityScores) refuse('--quality-scores', 'belongs to --expert openai');
  if (kind === 'scripted' && !isDeepStrictEqual(languageModel, serviceSchema.parse({})))
    refuse('expert.languageModel', 'belongs to --expert openai, which was not given');
}

/** The settings that affect the records, for `collection.json`; not paths or spending limits. */
export function collectionSettings(config: EnvironmentCollectionConfig): object {
  const {
    out: _out,
    expert,
    qualityScores,
    parallelEpisodes,
    labelNoise,
    actionSteps,
    format,
    ...rest
  } = config;
  const common =
    !isWorded(config.env) && kindOf(config.env).robot
      ? { ...rest, actionSteps, ...(format !== 'json' && { format }) }
      : rest;
  if (expert.kind === 'scripted') return { ...common, labelNoise };
  const changeable = new Set<string>(changeableOfLanguageModel);
  const counting = Object.entries(expert.languageModel).filter(([name]) => !changeable.has(name));
  const languageModel = Object.fromEntries(counting);
  return { ...common, qualityScores, parallelEpisodes, expert: { kind: expert.kind, languageModel } };
}
