/** Updates of PPO that a dry run measures: fewer environments and steps than a run's, each step learned from once. */
import { ppo, updatesOf, type PpoRun } from '@emac/algorithms';
import { Random } from '@emac/core';
import { storedSizes, type PolicySizes, type PpoPolicy, type StepAction } from '@emac/opening';
import { ppoSettingsOf, type PpoConfig } from '@emac/settings';
import { hearing, type Rehearsal, type RehearsedPolicy } from '../life/rehearsal.ts';
import { evaluatePpo } from './ppo-evaluation.ts';
import { ppoParts, type PpoTrained } from './ppo-parts.ts';

export function ppoRehearsal(trained: PpoTrained): Rehearsal {
  const { config, policy } = trained;
  const { environments, stepsPerUpdate, environmentSteps } = config.play;
  const updates = updatesOf(ppoSettingsOf(config), environments);
  const size = environments * stepsPerUpdate;
  return {
    of: `${environmentSteps} steps of ${config.env} in ${updates} updates of ${size}; ${config.evaluation.episodes} held-out episodes before and after`,
    get policy() {
      return rehearsed(config, policy);
    },
    updates,
    size,
    noun: 'step',
    together: environments,
    passes: config.optimization.epochs,
    heldOut: config.evaluation.episodes,
    longest: config.play.maxSteps ?? policy.stored.policy?.maxSteps ?? 300,
    async update(most, heard) {
      const run = smaller(ppoParts(trained), Math.min(most, size));
      const { actorCritic } = run;
      await ppo({
        ...run,
        actorCritic: {
          ...actorCritic,
          act: hearing(actorCritic.act, { answers: ({ answers }) => answers, heard }),
          gradient: (rows, losses) => {
            heard.learning();
            return actorCritic.gradient(rows, losses);
          },
        },
        metrics: () => {},
      });
      return run.settings.play.environmentSteps;
    },
    async evaluate(episodes) {
      await evaluatePpo({
        config: { ...config, evaluation: { ...config.evaluation, episodes } },
        policy,
        random: Random.fromSeed(config.seed).stream('evaluation'),
        checkpoint: 'dry run',
        journal: null,
        host: {},
      });
    },
  };
}

/**
 * One update of so many steps, in one environment if there are fewer steps than environments; the policy learns from
 * the first.
 */
function smaller(
  run: Omit<PpoRun<StepAction>, 'metrics'>,
  size: number,
): Omit<PpoRun<StepAction>, 'metrics'> {
  const { settings, environments: all } = run;
  const environments = all.slice(0, size);
  const stepsPerUpdate = Math.floor(size / environments.length);
  return {
    ...run,
    environments,
    settings: {
      ...settings,
      play: { ...settings.play, stepsPerUpdate, environmentSteps: stepsPerUpdate * environments.length },
      optimization: { ...settings.optimization, epochs: 1, valueInitSteps: 0, targetKl: null },
    },
  };
}

function rehearsed({ policy: name }: PpoConfig, policy: PpoPolicy): RehearsedPolicy {
  const { identity, model, actorCritic } = policy;
  return { name, identity, model, sizes: sizesOf(policy), countPromptTokens: actorCritic.countPromptTokens };
}

/** Of a checkpoint. */
export function sizesOf(policy: PpoPolicy): PolicySizes {
  const { policy: own, value } = policy.actorCritic.groups;
  return storedSizes(policy, { groups: [...own, ...value, ...(policy.predictor?.policy.groups ?? [])] });
}
