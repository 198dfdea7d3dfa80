/** A PPO policy on workers: its entry in the run's plan, and how to open it. */
import { EmacError, Random } from '@emac/core';
import { modelName, openPpoPolicy, playedEnvironment } from '@emac/opening';
import type { PpoConfig } from '@emac/settings';
import { requireForWorkers, type Players } from '@emac/workers';
import { samplingOf } from '../evaluation/evaluate-tasks.ts';
import { seedsOf } from './ppo-evaluation.ts';

/**
 * Resets settings that concern only the trainer; a start is shared separately. Paths of the configuration must be
 * absolute.
 */
export function plannedPpo(config: PpoConfig): PpoConfig {
  const shaping = { ...config.shaping, utility: null, temporalPredictor: 0 };
  return { ...config, policy: modelName(config.policy), shaping, init: null, utilities: null, out: 'runs' };
}

export const openStepped: Players['stepped'] = async ({ config, from, model, host }) => {
  const here = config as PpoConfig;
  const random = Random.fromSeed(here.seed).stream('start');
  const policy = await openPpoPolicy(here, { random, from, model }, host);
  const { actorCritic, texts, identity, computing } = policy;
  return {
    actorCritic,
    texts,
    identity,
    computing,
    environment: (set) => playedEnvironment(here, policy, set),
    evaluation: { sampling: samplingOf(here.evaluation), seedOf: seedsOf(here, policy) },
    dispose: () => policy.dispose(),
  };
};

/** Errors: `usage` for settings that workers do not support. */
export function requireStepsForWorkers({ curriculum, inference, world }: PpoConfig): void {
  requireForWorkers({ world });
  if (curriculum.formula !== null)
    throw new EmacError(
      'usage',
      `--queue: workers play sampled episodes, but --curriculum ${curriculum.formula} chooses each episode by earlier results; give one of the two`,
    );
  if (inference.url !== null)
    throw new EmacError(
      'usage',
      '--queue: workers compute answers themselves, but --inference sends them to a server; give one of the two',
    );
}
