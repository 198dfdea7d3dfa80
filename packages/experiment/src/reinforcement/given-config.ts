/** A configuration of PPO from what is given of it: what its preset sets, and what is known of its environment, such as the model that sees it. */
import { ppoPreset, ppoPresetNames, type PpoPolicyKind, type PpoPresetName } from '@emac/algorithms';
import { EmacError } from '@emac/core';
import { environmentId, isWorded, kindOf } from '@emac/opening';
import {
  checked,
  isEnvironmentModule,
  merged,
  ppoSchema,
  smallNetworkOf,
  usualModel,
  type GivenPpoConfig,
  type PpoConfig,
} from '@emac/settings';

/** What learns where nothing else is named: the small model that has learned to see such environments. Errors: `usage` where there is none. */
export function defaultPolicyOf(env: string): string {
  if (isEnvironmentModule(env)) return usualModel(env);
  const { policy } = kindOf(env);
  if (policy !== undefined) return policy;
  throw new EmacError('usage', `--policy: is needed, as no small model has learned to see ${env}; give one`);
}

/** A whole configuration from what is given and its preset. Errors: `config` naming every invalid setting, `usage` for an unknown environment. */
export function ppoConfig(given: GivenPpoConfig): PpoConfig {
  if (typeof given.env !== 'string') return checked(ppoSchema, given, 'configuration');
  // of a module the path, by which it is given again
  const env = isEnvironmentModule(given.env) ? given.env : environmentId(given.env);
  const { policy = defaultPolicyOf(env) } = given;
  const preset = ppoPresetOf({ ...given, env, policy });
  const base = merged(preset, given.world?.kind === 'http' ? ofClients(given.world) : {});
  return checked(ppoSchema, merged(base, { ...given, env, policy }), 'configuration');
}

/** What the preset of a configuration sets of it, `tiny` where it names none. Errors: `usage` for an unknown environment. */
export function ppoPresetOf({
  preset,
  env,
  policy,
}: Pick<GivenPpoConfig, 'env' | 'preset'> & { readonly policy: string }) {
  const name = ppoPresetNames.find((each) => each === preset) ?? 'tiny';
  return ppoPresetConfig(name, env, smallNetworkOf({ policy }) ? 'network' : 'model');
}

/** Each client plays an environment. */
const ofClients = ({ clients = 1 }: NonNullable<GivenPpoConfig['world']>) => ({
  play: { environments: clients },
});

/** What a preset sets of a configuration; null for an environment of which nothing is known. */
export function ppoPresetConfig(name: PpoPresetName, env: string | null, kind: PpoPolicyKind = 'network') {
  const { environments, maxSteps, settings } = ppoPreset(name, kind);
  const isOfWords = env !== null && isWorded(env);
  const family = env === null || isOfWords ? null : kindOf(env);
  // how many tasks a client elsewhere has is heard from it
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
  // what was found for the environment is checked with the whole configuration
  const own = isOfWords ? wordsFound : world?.numbers?.found?.[kind];
  const found = name === 'tiny' ? own : undefined;
  return merged(preset, found) as typeof preset;
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

/** A step begins with a long prompt and ends with a short command; episodes have many. */
const wordsFound = {
  play: { environments: 4, environmentSteps: 1024, stepsPerUpdate: 16 },
  optimization: { minibatchSize: 32 },
  speech: { maxLength: 24 },
  evaluation: { episodes: 20 },
};

function ofModel(name: PpoPresetName): typeof publishedModel {
  if (name === 'vlarl') return robotModel;
  return name === 'tiny' ? smallModel : publishedModel;
}
