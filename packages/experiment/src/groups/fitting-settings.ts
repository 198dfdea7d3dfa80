/** Refuses GRPO settings without meaning in the run's environment, before anything is opened. */
import { isDeepStrictEqual } from 'node:util';
import { EmacError } from '@emac/core';
import { grpoConfig, lewisGame, requireFittingObserve, type GrpoConfig } from '@emac/settings';

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

/** Errors: `usage` for the first setting that has another value than its default and no meaning in the environment. */
export function requireFittingGroups(config: GrpoConfig): void {
  const { env, preset, speech } = config;
  const isLewis = env === lewisGame;
  const standard = grpoConfig({ env, preset });
  const others = isLewis ? ofEpisodes : ofLewis;
  const flag = Object.keys(others).find(
    (name) => !isDeepStrictEqual(others[name]!(config), others[name]!(standard)),
  );
  if (flag === undefined) return requireFittingObserve(env, speech);
  const what = isLewis ? 'tasks of other environments' : 'the Lewis game';
  throw new EmacError('usage', `${flag}: is for ${what}, got --env ${env}; leave it out`);
}
