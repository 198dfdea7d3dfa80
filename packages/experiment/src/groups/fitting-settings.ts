/** Refuses GRPO settings without meaning in the run's environment, before anything is opened. */
import { isDeepStrictEqual } from 'node:util';
import { EmacError } from '@emac/core';
import { isWorded } from '@emac/opening';
import {
  grpoConfig,
  isEnvironmentModule,
  lewisGame,
  requireFittingObserve,
  smallNetworkOf,
  type GrpoConfig,
} from '@emac/settings';

type Shown = (config: GrpoConfig) => unknown;

/** Settings only of the Lewis game, by flag. */
const ofLewis: Readonly<Record<string, Shown>> = {
  '--role': ({ role }) => role,
  '--turns': ({ turns }) => turns,
  '--listener': ({ listener }) => listener,
  '--speaker': ({ speaker }) => speaker,
  '--pictures': ({ game }) => game.pictures,
  '--candidates': ({ game }) => game.candidates,
  '--split-seed': ({ game }) => game.splitSeed,
  '--training-share': ({ game }) => game.trainingShare,
  '--speaker-temperature': ({ play }) => play.speakerTemperature,
  '--listener-reward-mode': ({ rewards }) => rewards.accuracy,
  '--format-reward': ({ rewards }) => rewards.format,
  '--length-reward': ({ rewards }) => rewards.length,
  '--overlap-reward': ({ rewards }) => rewards.overlap,
  '--verdict-reward': ({ rewards }) => rewards.verdict,
  '--send': ({ send }) => send,
};

/** Settings only of episodes; their number at once may also come from an environment variable for all commands. */
const ofEpisodes: Readonly<Record<string, Shown>> = {
  '--max-steps': ({ play }) => play.maxSteps,
  '--admissible-only': ({ play }) => play.admissibleOnly,
  '--reward': ({ rewards }) => rewards.attempt,
  '--invalid-cost': ({ rewards }) => rewards.invalid,
  '--games': ({ games }) => games,
  '--eval-on': ({ evaluation }) => evaluation.on,
  '--observe': ({ speech }) => speech.observe,
  '--dialogue': ({ speech }) => speech.dialogue,
};

/** Settings only of models. */
const ofModels: Readonly<Record<string, Shown>> = {
  '--beta': ({ losses }) => losses.beta,
  '--train': ({ trained }) => trained.parts,
  '--lora-rank': ({ trained }) => trained.rank,
  '--lora-alpha': ({ trained }) => trained.alpha,
  '--lora-dropout': ({ trained }) => trained.dropout,
  '--lora-targets': ({ trained }) => trained.targets,
  '--admissible-only': ({ play }) => play.admissibleOnly,
  '--invalid-cost': ({ rewards }) => rewards.invalid,
  '--min-length': ({ speech }) => speech.minLength,
  '--max-prompt-tokens': ({ speech }) => speech.maxPromptLength,
  '--max-new-tokens': ({ losses }) => losses.maxLength,
  '--observe': ({ speech }) => speech.observe,
  '--dialogue': ({ speech }) => speech.dialogue,
};

/** Errors: `usage` for the first setting that has another value than its default and no meaning in the environment, or for the policy. */
export function requireFittingGroups(config: GrpoConfig): void {
  if (smallNetworkOf({ policy: config.model.path })) requireFittingNetwork(config);
  const { env, preset, speech } = config;
  const isLewis = env === lewisGame;
  const flag = changed(isLewis ? ofEpisodes : ofLewis, config, grpoConfig({ env, preset }));
  if (flag === undefined) return requireFittingObserve(env, speech);
  const what = isLewis ? 'tasks of other environments' : 'the Lewis game';
  throw new EmacError('usage', `${flag}: is for ${what}, got --env ${env}; leave it out`);
}

/** A small network reads numbers, chooses among numbered actions, starts at random, and plays in this process. */
function requireFittingNetwork(config: GrpoConfig): void {
  const { env, preset, world, model } = config;
  const policy = `--policy ${model.path}`;
  if (!isEnvironmentModule(env) && (env === lewisGame || isWorded(env)))
    throw new EmacError(
      'usage',
      `${policy}: reads arrays or numbers its actions, but actions of ${env} are words; give a vision-language model`,
    );
  if (world.kind !== 'own')
    throw new EmacError(
      'usage',
      `${policy}: plays in this process with --method grpo, but with --world ${world.kind} clients play; give --method ppo`,
    );
  const flag = changed(ofModels, config, grpoConfig({ env, preset, model: { path: model.path } }));
  if (flag !== undefined)
    throw new EmacError('usage', `${flag}: is for language models, got ${policy}; leave it out`);
}

/** The first flag whose setting differs. */
function changed(
  flags: Readonly<Record<string, Shown>>,
  config: GrpoConfig,
  standard: GrpoConfig,
): string | undefined {
  return Object.keys(flags).find((name) => !isDeepStrictEqual(flags[name]!(config), flags[name]!(standard)));
}
