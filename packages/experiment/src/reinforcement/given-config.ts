/** Completes a PPO configuration: from its preset, and from its environment, such as the default model. */
import { ppoPreset, ppoPresetNames, type PpoPolicyKind, type PpoPresetName } from '@emac/algorithms';
import { EmacError } from '@emac/core';
import { environmentId, isWorded, kindOf } from '@emac/opening';
import { underNamesToday } from '@emac/runs';
import {
  checked,
  foundForPpo,
  isEnvironmentModule,
  merged,
  ppoSchema,
  smallNetworkOf,
  usualModel,
  type GivenPpoConfig,
  type PpoConfig,
} from '@emac/settings';

/** The default policy: the small model pretrained on such environments. Errors: `usage` if there is none. */
export function defaultPolicyOf(env: string): string {
  if (isEnvironmentModule(env)) return usualModel(env);
  const { policy } = kindOf(env);
  if (policy !== undefined) return policy;
  throw new EmacError(
    'usage',
    `--policy: is required, no small network has been trained for ${env}; give one`,
  );
}

/**
 * A whole configuration from given settings and their preset. Errors: `config` naming every invalid setting, `usage`
 * for an unknown environment.
 */
export function ppoConfig(asked: GivenPpoConfig): PpoConfig {
  const given = underNamesToday(asked);
  if (typeof given.env !== 'string') return checked(ppoSchema, given, 'configuration');
  // a module keeps its path, needed on the next call
  const env = isEnvironmentModule(given.env) ? given.env : environmentId(given.env);
  const { policy = defaultPolicyOf(env) } = given;
  const preset = ppoPresetOf({ ...given, env, policy });
  const base = merged(preset, given.world?.kind === 'http' ? ofClients(given.world) : {});
  return counted(checked(ppoSchema, merged(base, { ...given, env, policy }), 'configuration'));
}

/** With its length in steps. */
function counted({ play: { updates, ...play }, ...config }: PpoConfig): PpoConfig {
  if (updates === undefined) return { ...config, play };
  return {
    ...config,
    play: { ...play, environmentSteps: updates * play.stepsPerUpdate * play.environments },
  };
}

/** A configuration's preset values, default `tiny`. Errors: `usage` for an unknown environment. */
export function ppoPresetOf({
  preset,
  env,
  policy,
}: Pick<GivenPpoConfig, 'env' | 'preset'> & { readonly policy: string }) {
  const name = ppoPresetNames.find((each) => each === preset) ?? 'tiny';
  return ppoPresetConfig(name, env, smallNetworkOf({ policy }) ? 'network' : 'model');
}

/**
 * Given settings of a training that begins, over those found for its start: for the shipped model in ALFWorld's games, played here,
 * with frames, if no adapter is asked for.
 */
export function withFound(given: GivenPpoConfig): GivenPpoConfig {
  return merged(foundForPpo(given), given) as GivenPpoConfig;
}

/** The defaults beside given settings, those found for their start included. Errors: those of `ppoConfig`. */
export function ppoDefaults(given: GivenPpoConfig): PpoConfig {
  const { env, preset, policy } = given;
  const start = { env, ...(preset !== undefined && { preset }), ...(policy !== undefined && { policy }) };
  return ppoConfig(merged(foundForPpo(given), start) as GivenPpoConfig);
}

/** Each client plays an environment. */
const ofClients = ({ clients = 1 }: NonNullable<GivenPpoConfig['world']>) => ({
  play: { environments: clients },
});

/** A preset's part of a configuration; `env` null: an unknown environment. */
export function ppoPresetConfig(name: PpoPresetName, env: string | null, kind: PpoPolicyKind = 'network') {
  const { environments, maxSteps, settings } = ppoPreset(name, kind);
  const isOfWords = env !== null && isWorded(env);
  const family = env === null || isOfWords ? null : kindOf(env);
  // a remote client reports its number of tasks
  const world = family?.local?.(env!);
  const heldOut = world?.tasks.heldOut.count ?? null;
  const preset = {
    preset: name,
    ...settings,
    play: { ...settings.play, environments, maxSteps },
    ...(kind === 'model' && ofModel(name)),
    ...(kind === 'model' && (family?.robot || name === 'vlarl') && { speech: robotSpeech }),
    ...(heldOut !== null && { evaluation: { episodes: heldOut } }),
    ...(name === 'vlarl' && { curriculum: { formula: 'half' as const }, best: { ema: 0.99 } }),
  };
  // settings found for the environment, validated with the whole configuration
  const inWords = kind === 'model' ? wordsFound : networkInWords;
  const own = isOfWords ? inWords : world?.numbers?.found?.[kind];
  const found = name === 'tiny' ? own : undefined;
  return merged(preset, found) as typeof preset;
}

/** Further model settings of `tiny`, and those of RL4VLM and VLA-RL. */
const smallModel = { value: { hiddenWidths: [64], learningRateScale: 5 }, speech: { maxLength: 64 } };
/** Seven tokens and the end. */
const robotSpeech = { maxLength: 8 };
const publishedModel = {
  value: { hiddenWidths: [1024, 512], learningRateScale: 1 },
  speech: { maxLength: 256 },
};
/** Policy 8e-6, critic 5e-5. */
const robotModel = { ...publishedModel, value: { ...publishedModel.value, learningRateScale: 6.25 } };

/** A step begins with a long prompt and ends with a short command; episodes have many. */
const wordsFound = {
  play: { environments: 4, environmentSteps: 1024, stepsPerUpdate: 16 },
  optimization: { minibatchSize: 32 },
  speech: { maxLength: 24 },
  evaluation: { episodes: 20 },
};

/** It learns from numbers as in other environments. */
const networkInWords = { evaluation: { episodes: 20 } };

function ofModel(name: PpoPresetName): typeof publishedModel {
  if (name === 'vlarl') return robotModel;
  return name === 'tiny' ? smallModel : publishedModel;
}
