/** Trains on the steps of an update: passes in random minibatches, each an optimizer step of policy and critic. */
import type { ActorCriticGradient, ActorCriticLosses, Loss } from '@emac/core';
import { clippedPolicyLoss, valueLossOf, weightedImitationLoss } from '@emac/losses';
import { minibatches, type EpisodePlaces } from '../episode-order.ts';
import { meansOf } from '../means.ts';
import { rowsOf, type Batch, type BatchRow } from './batch.ts';
import { isAboveGuard, measured, type MinibatchMeasures } from './measures.ts';
import { optimizerStep } from './optimizer-step.ts';
import type { RunningPpo } from './ppo-run.ts';
import { updateRates, type UpdateRates } from './update-rates.ts';
import type { PpoLossSettings } from './ppo-settings.ts';

export interface Improvement {
  /** means over the minibatches with a step; null if the first one already exceeded the KL limit */
  readonly measures: MinibatchMeasures | null;
  readonly rates: UpdateRates;
  /** whether the policy learned, or only the critic */
  readonly policyLearns: boolean;
  /** optimizer steps made */
  readonly steps: number;
}

/** The parts of a run an update changes and reads. */
export type ImprovedRun = Pick<
  RunningPpo<unknown>,
  'actorCritic' | 'optimizers' | 'settings' | 'state' | 'random' | 'updates' | 'rows'
>;

/** Changes parameters and optimizers. Errors: `check-failed` for numbers that are not finite. */
export async function improve(run: ImprovedRun, batch: Batch): Promise<Improvement> {
  const { settings, state, random, updates } = run;
  const { passes, minibatchSize, targetKl, valueInitSteps } = settings.optimization;
  const rates = updateRates(settings.optimization, state.update, updates);
  const policyLearns = state.update >= valueInitSteps;
  const made: MinibatchMeasures[] = [];
  const draws = minibatches(batch.own.length, {
    passes,
    size: minibatchSize,
    random: random.stream('minibatches').stream(state.update),
    episodes: run.rows === 'episodes' ? episodesOf(batch) : null,
  });
  for (const places of draws) {
    const rows = rowsOf(batch, places, settings);
    const found = await guardedGradient(run, rows, policyLearns);
    const measures = measured(rows, found, settings.losses);
    if (targetKl !== null && measures.approx_kl !== null && measures.approx_kl > 1.5 * targetKl) break;
    made.push({ ...measures, ...optimizerStep(run, found, { rates, policyLearns }) });
  }
  const [first, ...more] = made;
  return { measures: first ? meansOf([first, ...more]) : null, rates, policyLearns, steps: made.length };
}

/** The steps of an update by episode: those of one environment up to an end. */
function episodesOf({ steps: { terminated, truncated, prompts, running } }: Batch): EpisodePlaces[] {
  const environments = running.length;
  return running.flatMap((_, environment) => {
    const episodes: number[][] = [[]];
    for (let place = environment; place < prompts.length; place += environments) {
      episodes.at(-1)!.push(place);
      if (terminated[place] || truncated[place]) episodes.push([]);
    }
    return episodes.filter(({ length }) => length > 0);
  });
}

/**
 * The gradient. An answer with a ratio above the guard gets the clipped term only, which has no slope; entropy and
 * value terms stay. As in RL4VLM's code, where minibatches accumulate gradients of one answer each.
 */
async function guardedGradient(
  { actorCritic, settings: { losses } }: ImprovedRun,
  rows: readonly BatchRow[],
  policyLearns: boolean,
): Promise<ActorCriticGradient> {
  const formulas = lossesOf(losses, policyLearns);
  const found = await actorCritic.gradient(rows, formulas);
  const isGuarded = rows.map((row, place) => isAboveGuard(row, found.logProbabilities[place]!, losses));
  if (!isGuarded.includes(true)) return found;
  const guarded = rows.map((row, place) =>
    isGuarded[place] ? { ...row, constants: { ...row.constants, advantage: 0 } } : row,
  );
  return actorCritic.gradient(guarded, formulas);
}

function lossesOf(losses: PpoLossSettings, policyLearns: boolean): ActorCriticLosses {
  return {
    policy: policyLearns ? policyLossOf(losses) : null,
    value: valueLossOf({ clip: losses.valueClip }),
  };
}

function policyLossOf({ policy, clip, credit, entropyCoefficient }: PpoLossSettings): Loss {
  if (policy === 'rlef') return weightedImitationLoss({ credit, entropyCoefficient });
  return clippedPolicyLoss({ clip, credit, entropyCoefficient });
}
