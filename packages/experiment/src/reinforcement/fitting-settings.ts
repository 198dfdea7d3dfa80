/** Refuses PPO settings without effect, before a run begins. */
import { EmacError } from '@emac/core';
import { isDescribedElsewhere, isWorded, localWorld, requirePlayable } from '@emac/opening';
import { isEnvironmentModule, requireFittingObserve, smallNetworkOf, type PpoConfig } from '@emac/settings';
import { ofModels, refuseOfModels, type Flags } from '../networks/fitting-network.ts';
import { requireFittingTasks } from './fitting-tasks.ts';
import { ppoConfig } from './given-config.ts';

type Judged = Pick<
  PpoConfig,
  | 'env'
  | 'preset'
  | 'model'
  | 'policy'
  | 'play'
  | 'world'
  | 'games'
  | 'utilities'
  | 'speech'
  | 'evaluation'
  | 'curriculum'
  | 'shaping'
  | 'best'
  | 'losses'
  | 'optimization'
  | 'trained'
  | 'value'
>;

/**
 * Errors: `usage` for an environment that does not run here; tasks that do not fit (`requireFittingTasks`); settings
 * for numbered actions with words; settings of an unused average of returns; a critic adapter without a trained
 * adapter; settings of a language model with a small network; stale steps in a loss without ratios; a schedule that
 * ends at its start.
 */
export function requireFittingPpo(config: Judged): void {
  const { env, best, losses, optimization, speech } = config;
  requireFittingWorld(config);
  requireFittingObserve(env, speech);
  if (isWorded(env) || (isDescribedElsewhere(env) && !smallNetworkOf(config))) requireFittingWords(config);
  else if (isDescribedElsewhere(env)) requireFittingClients(config);
  else requireFittingNumbers(config);
  requireFittingValues(config);
  requireFittingNetwork(config);
  if (losses.policy === 'rlef' && optimization.maxStaleness > 0)
    throw refusal(
      `--max-staleness ${optimization.maxStaleness}: weights steps of older policies by their ratio, but --policy-loss rlef has none; give one of the two`,
    );
  if (best.ema !== null) return;
  const [flag] = [best.minDelta > 0 && '--min-delta', best.patience !== null && '--patience'].filter(Boolean);
  if (flag) throw refusal(`${flag}: belongs to --best-ema, which was not given`);
}

/** An environment of words has no fixed actions, apart from a custom one, and its tasks are chosen by seeds only. */
function requireFittingWords(config: Judged): void {
  const { env, policy, curriculum, shaping, utilities, speech } = config;
  const asked: readonly (readonly [boolean, string, string])[] = [
    [
      smallNetworkOf(config) !== null && !isEnvironmentModule(env),
      `--policy ${policy}`,
      'reads arrays or numbers its actions',
    ],
    [curriculum.tasks !== null, '--curriculum-tasks', 'mixes environments of numbered actions'],
    [curriculum.formula !== null, '--curriculum', 'chooses among initial states given by seeds'],
    [
      shaping.utility !== null || utilities !== null,
      shaping.utility === null ? '--utility-data' : '--utility',
      'rates numbered actions',
    ],
    [shaping.temporalPredictor > 0, '--temporal-predictor', 'predicts actions of a fixed list'],
    [speech.actionOnly, '--action-only-prompt', 'is for prompts of card games'],
    [speech.actionScores, '--action-score-prompt', 'scores actions of a fixed list'],
  ];
  const found = asked.find(([isGiven]) => isGiven);
  if (!found) return;
  const [, flag, why] = found;
  const instead = flag === `--policy ${policy}` ? 'give a vision-language model' : 'leave it out';
  throw refusal(`${flag}: ${why}, but actions of ${env} are words; ${instead}`);
}

/** Each client plays one environment, and has the games itself. */
function requireFittingWorld({ env, world, games, play, curriculum, shaping, utilities }: Judged): void {
  requirePlayable({ env, world });
  if (world.kind === 'own') return;
  if (games !== null)
    throw refusal(
      '--games: names games of this machine, but with --world http clients bring the games; leave it out',
    );
  const asked: readonly (readonly [boolean, string, string])[] = [
    [curriculum.tasks !== null, '--curriculum-tasks', 'mixes environments of this machine'],
    [
      shaping.utility !== null || utilities !== null,
      shaping.utility === null ? '--utility-data' : '--utility',
      'rates states of this machine',
    ],
  ];
  const found = asked.find(([isGiven]) => isGiven);
  if (found) throw refusal(`${found[1]}: ${found[2]}, but with --world http clients play; leave it out`);
  if (play.environments > world.clients)
    throw refusal(
      `--num-processes ${play.environments}: must be at most --clients ${world.clients}, as each environment needs its own client; give --clients ${play.environments}, or --num-processes ${world.clients}`,
    );
}

/** Of an environment that only its clients know. */
function requireFittingClients({ env, evaluation, curriculum }: Judged): void {
  const asked: readonly (readonly [boolean, string])[] = [
    [evaluation.on !== null, '--eval-on'],
    [curriculum.formula !== null, '--curriculum'],
  ];
  const [, flag] = asked.find(([isGiven]) => isGiven) ?? [];
  if (flag) throw refusal(`${flag}: names or chooses tasks, but ${env} draws seeds; leave it out`);
}

function requireFittingNumbers(config: Judged): void {
  const { env, games, evaluation } = config;
  localWorld(env);
  const flag = games !== null ? '--games' : evaluation.on !== null ? '--eval-on' : null;
  if (flag)
    throw refusal(
      `${flag}: names tasks of environments with word actions, but ${env} draws seeds; leave it out`,
    );
  requireFittingTasks(config);
}

function requireFittingValues(config: Judged): void {
  const { policy, trained, value, optimization } = config;
  if (value.learns === 'adapter' && smallNetworkOf(config))
    throw refusal(
      `--value-learns adapter: needs a vision-language model, got --policy ${policy}; leave it out`,
    );
  if (value.learns === 'adapter' && !trained.parts.includes('lora'))
    throw refusal(
      `--value-learns adapter: adds a second adapter beside the policy's, got --train ${trained.parts}; give --train lora or projection,lora, or --value-learns head`,
    );
  const { valueSchedule, finalShare } = optimization;
  if (valueSchedule !== null && valueSchedule !== 'constant' && finalShare === 1)
    throw refusal(
      `--value-schedule ${valueSchedule}: must fall to a share below 1, got --lr-final-share 1; give a lower share, or --value-schedule constant`,
    );
}

/** Settings only of language models. */
const ofLanguageModels: Flags<Judged> = {
  ...ofModels,
  '--max-prompt-tokens': ({ speech }) => speech.maxTextTokens,
  '--max-new-tokens': ({ speech }) => speech.maxLength,
  '--penalty-reward-value': ({ speech }) => speech.malformedPenalty,
  '--action-only-prompt': ({ speech }) => speech.actionOnly,
  '--action-score-prompt': ({ speech }) => speech.actionScores,
};

function requireFittingNetwork(config: Judged): void {
  if (!smallNetworkOf(config)) return;
  const { env, preset, policy } = config;
  refuseOfModels(ofLanguageModels, policy, { config, standard: ppoConfig({ env, preset, policy }) });
}

function refusal(sentence: string): EmacError {
  return new EmacError('usage', sentence);
}
