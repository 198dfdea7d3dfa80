/** Refuses GRPO settings without meaning in the run's environment, before anything is opened. */
import { EmacError } from '@emac/core';
import {
  grpoConfig,
  lewisGame,
  requireFittingObserve,
  smallNetworkOf,
  type GrpoConfig,
} from '@emac/settings';
import {
  changedFlag,
  ofModels,
  refuseOfModels,
  requireReadable,
  type Flags,
} from '../networks/fitting-network.ts';

/** Settings only of the Lewis game, by flag. */
const ofLewis: Flags<GrpoConfig> = {
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
const ofEpisodes: Flags<GrpoConfig> = {
  '--max-steps': ({ play }) => play.maxSteps,
  '--admissible-only': ({ play }) => play.admissibleOnly,
  '--reward': ({ rewards }) => rewards.attempt,
  '--invalid-cost': ({ rewards }) => rewards.invalid,
  '--games': ({ games }) => games,
  '--eval-on': ({ evaluation }) => evaluation.on,
  '--observe': ({ speech }) => speech.observe,
  '--dialogue': ({ speech }) => speech.dialogue,
};

/** Settings only of language models. */
const ofLanguageModels: Flags<GrpoConfig> = {
  ...ofModels,
  '--beta': ({ losses }) => losses.beta,
  '--kl-in': ({ losses }) => losses.penalty,
  '--kl-estimator': ({ losses }) => losses.estimate,
  '--invalid-cost': ({ rewards }) => rewards.invalid,
  '--max-prompt-tokens': ({ speech }) => speech.maxPromptLength,
  '--max-new-tokens': ({ losses }) => losses.maxLength,
};

/** Errors: `usage` for the first setting that has another value than its default and no meaning in the environment, or for the policy. */
export function requireFittingGroups(config: GrpoConfig): void {
  if (smallNetworkOf({ policy: config.model.path })) requireFittingNetwork(config);
  const { env, preset, speech } = config;
  const isLewis = env === lewisGame;
  const flag = changedFlag(isLewis ? ofEpisodes : ofLewis, config, grpoConfig({ env, preset }));
  if (flag === undefined) return requireFittingObserve(env, speech);
  const what = isLewis ? 'tasks of other environments' : 'the Lewis game';
  throw new EmacError('usage', `${flag}: is for ${what}, got --env ${env}; leave it out`);
}

/** It starts at random, so no penalty holds it there. */
function requireFittingNetwork(config: GrpoConfig): void {
  requireReadable(config, 'grpo');
  const { env, preset, model } = config;
  const standard = grpoConfig({ env, preset, model: { path: model.path } });
  refuseOfModels(ofLanguageModels, model.path, { config, standard });
}
