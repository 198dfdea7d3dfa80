/** The settings that a collection's records depend on, and the combinations that an environment refuses. */
import { EmacError, type LocalWorld } from '@emac/core';
import { canonicalJson, sha256 } from '@emac/files';
import { environmentsWith, isWorded, kindOf, localWorld, type Teacher } from '@emac/opening';
import { changeableOfLanguageModel, ofProgram, requireEffect } from '@emac/settings';
import { resolve } from 'node:path';
import {
  environmentCollectionSchema,
  type CollectConfig,
  type EnvironmentCollectionConfig,
} from './collection-config.ts';

/** The local world of environments with actions in words. */
const wordsAlone: Pick<Partial<LocalWorld>, 'moved' | 'words'> = {};

/** Checks settings against the environment and the expert. Errors: `usage`. */
export function requireFitting(config: EnvironmentCollectionConfig): void {
  const { env, actionOnly } = config;
  const { kind } = config.expert;
  const refuse = (flag: string, rule: string): never => {
    throw new EmacError('usage', `${flag}: ${rule}; leave it out`);
  };
  const { moved, words } = isWorded(env) ? wordsAlone : localWorld(env);
  if (moved && kind !== 'scripted')
    refuse('--expert', `${config.expert.module ?? kind} labels actions in words, got ${env}`);
  if (isWorded(env) && kind === 'openai')
    refuse('--expert', `openai labels environments of a fixed list of actions, got ${env}`);
  const ofRobots = environmentsWith((_, world) => world.moved !== undefined);
  if (!moved && config.actionSteps !== null) refuse('--action-steps', `is for ${ofRobots}, got ${env}`);
  if (moved && config.form !== 'published')
    refuse('--form', `${config.form} is for actions in words, got ${env}`);
  if (config.form === 'preference') refuse('--form', 'preference is for games with --phase dpo');
  if (!moved && config.format === 'rlds') refuse('--format', `rlds is for ${ofRobots}, got ${env}`);
  if (config.palette !== 'true' && (isWorded(env) || !kindOf(env).palettes))
    refuse('--palette', `is for ${environmentsWith(({ palettes }) => palettes !== undefined)}, got ${env}`);
  if (actionOnly && !words?.asksActionOnly)
    refuse(
      '--action-only-prompt',
      `is for ${environmentsWith((_, world) => world.words?.asksActionOnly ?? false)}, got ${env}`,
    );
  const defaults = environmentCollectionSchema.parse({ env, out: config.out });
  requireEffect({ schema: environmentCollectionSchema, layers: ofProgram(config), defaults });
}

/** The settings that affect the records, for `collection.json`; not paths or spending limits. */
export function settingsOfEnvironment(
  config: EnvironmentCollectionConfig,
  { code }: Pick<Teacher, 'code'> = {},
): object {
  const {
    out: _out,
    expert,
    qualityScores,
    parallelEpisodes,
    labelNoise,
    actionSteps,
    format,
    form,
    ...others
  } = config;
  const rest = { ...others, ...(form !== 'published' && { form }) };
  const common =
    !isWorded(config.env) && kindOf(config.env).robot
      ? { ...rest, actionSteps, ...(format !== 'json' && { format }) }
      : rest;
  if (expert.kind === 'scripted') return { ...common, labelNoise };
  // the module's content counts, not its path
  if (expert.kind === 'module') return { ...common, labelNoise, expert: { kind: expert.kind, code } };
  const { kind } = expert;
  if (kind === 'human') return { ...common, expert: { kind } };
  return { ...common, qualityScores, parallelEpisodes, expert: { kind, languageModel: counting(expert) } };
}

/** Of games; not settings of speed and spending. */
export function settingsOfGames(
  { out: _out, parallelEpisodes: _parallel, expert, world, form, ...config }: CollectConfig,
  { code }: Pick<Teacher, 'code'>,
): object {
  // the module's content counts, not its path
  const { module: _place, ...labelling } = expert;
  return {
    ...config,
    ...(form !== 'published' && { form }),
    // only whether it connects matters, because that decides the games
    ...(world.kind === 'http' && { world: world.kind }),
    expert: { ...labelling, ...(code !== undefined && { code }), languageModel: counting(expert) },
  };
}

/** A language model's settings that its answers depend on. */
function counting({ languageModel }: { readonly languageModel: object }): object {
  const changeable = new Set<string>(changeableOfLanguageModel);
  return Object.fromEntries(Object.entries(languageModel).filter(([name]) => !changeable.has(name)));
}

/** A collection's name among the queue's runs: the same when the same command resumes, another one for the same collection into another folder. */
export function collectionName(out: string, settings: object): string {
  return `collect-${sha256(canonicalJson([resolve(out), settings])).slice(0, 16)}`;
}

const ofEpisodes = [
  'env',
  'seed',
  'maxSteps',
  'palette',
  'randomActions',
  'labelNoise',
  'actionOnly',
  'actionSteps',
] as const;

/** The settings that determine an episode of a number. */
export type EpisodeSettings = Pick<EnvironmentCollectionConfig, (typeof ofEpisodes)[number]>;

/** These settings of a collection, as JSON. */
export function episodeSettings(config: EpisodeSettings): EpisodeSettings {
  return Object.fromEntries(ofEpisodes.map((name) => [name, config[name]])) as unknown as EpisodeSettings;
}

const shares = { student: 0, expert: 1 } as const;

/** Probability that the expert acts, per step. */
export function expertShareOf({
  actWith,
  expertProbability,
}: Pick<CollectConfig, 'actWith' | 'expertProbability'>): number {
  return actWith === 'mixture' ? expertProbability : shares[actWith];
}
