/**
 * A trained policy that plays step by step for a viewer, in an environment stepped by number or by a robot's numbers.
 */
import { Random, type StepEnvironment } from '@emac/core';
import {
  localWorld,
  openEnvironment,
  openPpoPolicy,
  plainHost,
  ppoEnvironment,
  steppedIn,
  type EnvironmentSettings,
  type Host,
  type StepAction,
} from '@emac/opening';
import { likeliestAction } from '@emac/rollout';
import type { PpoConfig } from '@emac/settings';
import { openAgent } from './agent.ts';
import { ppoConfig } from './reinforcement/given-config.ts';
import { configOf } from './reinforcement/evaluate-environment.ts';
import { evaluatedFormOf } from './reinforcement/evaluated-form.ts';

export interface Player {
  /** in the policy's settings; the caller begins its episodes and acts in it */
  readonly environment: StepEnvironment<unknown, StepAction>;
  /** The greedy action now; a random one if the answer names none. */
  act(): Promise<StepAction>;
  dispose(): Promise<void>;
}

export interface PlayerSettings extends EnvironmentSettings {
  readonly env: string;
}

/**
 * Opens the policy `emac eval --ckpt` takes; null settings are those of its PPO run, else the environment's own.
 * Errors: as `openAgent` and `evaluateEnvironment`.
 */
export async function openPlayer(
  ckpt: string,
  settings: PlayerSettings,
  host: Host = plainHost(),
): Promise<Player> {
  if (steppedIn(ckpt) !== null) return steppedPlayer(ckpt, settings, host);
  const { env, ...asked } = settings;
  const environment = openEnvironment(env, asked);
  const agent = await openAgent(ckpt, { env }, host);
  return {
    environment: environment as Player['environment'],
    act: inNumbers(environment, (situation) =>
      agent.act({ ...situation, arrays: environment.observe() }, situation.history),
    ),
    dispose: () => agent.dispose(),
  };
}

async function steppedPlayer(
  ckpt: string,
  { env, palette, maxSteps }: PlayerSettings,
  host: Host,
): Promise<Player> {
  const stored = evaluatedFormOf(ckpt, null);
  const run = configOf({ env, ckpt, policy: null, episodes: 1, temperature: 0, seed: 0 }, stored);
  const play = {
    ...run.play,
    maxSteps: maxSteps ?? run.play.maxSteps,
    palette: palette ?? run.play.palette,
  };
  const config = ppoConfig({ ...run, play: play as PpoConfig['play'] });
  const random = Random.fromSeed(0);
  const { actorCritic, texts, dispose } = await openPpoPolicy(config, { random, from: ckpt }, host);
  const environment = ppoEnvironment(config, 'evaluation');
  return {
    environment,
    act: () => likeliestAction(actorCritic, environment, { texts, random }),
    dispose,
  };
}

type Said = Parameters<Awaited<ReturnType<typeof openAgent>>['question']>[0];

/**
 * The number of the action named by an agent of words, which sees the current episode; a random one if it names none.
 */
export function inNumbers(
  environment: StepEnvironment,
  say: (situation: Said) => Promise<string>,
): () => Promise<number> {
  const { id, actions } = environment;
  const words = actions.map((word) => word.toLowerCase());
  const { offered } = localWorld(id);
  const random = Random.fromSeed(0);
  return async () => {
    const history = { initial: environment.text(), turns: [] };
    const said = await say({ history, frames: [environment.frame()], admissible: [...actions].sort() });
    const action = words.indexOf(said.trim().toLowerCase());
    return action < 0 ? random.pick(offered) : action;
  };
}
