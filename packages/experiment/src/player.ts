/** A trained policy that plays step by step while somebody watches, in an environment that is stepped by number or by a robot's numbers. */
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
  /** as the policy plays it; whoever opened this begins its episodes and acts in it */
  readonly environment: StepEnvironment<unknown, StepAction>;
  /** The likeliest action now; where the answer names none, one that is drawn. */
  act(): Promise<StepAction>;
  dispose(): Promise<void>;
}

export interface PlayerSettings extends EnvironmentSettings {
  readonly env: string;
}

/** Opens what `emac eval --ckpt` takes; settings that are null are those of a run of PPO, else the environment's own. Errors: as `openAgent`'s and `evaluateEnvironment`'s. */
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

/** The number of the action that an agent of words names, who is shown the episode as it stands; where it names none, one that is drawn. */
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
