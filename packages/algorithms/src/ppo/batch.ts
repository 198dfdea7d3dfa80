/** Turns the steps of an update into rows for the losses: advantages, returns, and log-probabilities when sampled. */
import type { ActorCriticRow } from '@emac/core';
import { generalizedAdvantages, normalized, type CollectedSteps } from '@emac/rollout';
import type { PpoSettings } from './ppo-settings.ts';
import type { Shaped } from './shaping.ts';
import { mixedAdvantages } from './utility.ts';

/** The steps of an update, ready to be cut into minibatches. */
export interface Batch {
  readonly steps: CollectedSteps<unknown>;
  /** as estimated, or normalized over the update [S · E] */
  readonly advantages: Float64Array;
  /** shaping bonuses, added after any normalization [S · E] */
  readonly bonuses: Float64Array | null;
  /** [S · E] */
  readonly returns: Float64Array;
  /** whether the policy's own answer was acted on: it learns from no other [S · E] */
  readonly own: readonly boolean[];
}

/** A step in its minibatch. */
export interface BatchRow extends ActorCriticRow {
  readonly own: boolean;
  /** old log-probabilities for the ratio: per token, or of the whole answer */
  readonly sampledLogProbabilities: readonly number[];
}

const unshaped = { rewards: null, mix: null, bonuses: null };

export function batchOf(
  steps: CollectedSteps<unknown>,
  { advantages: settings }: PpoSettings,
  { rewards: added, mix, bonuses }: Pick<Shaped, 'rewards' | 'mix' | 'bonuses'> = unshaped,
): Batch {
  const rewards = added ? steps.rewards.map((reward, place) => reward + added[place]!) : steps.rewards;
  const { advantages: estimated, returns } = generalizedAdvantages({ ...steps, rewards }, settings);
  const own = steps.readings.map(({ action }) => action !== null);
  const { normalize, normalizeEpsilon } = settings;
  const advantages = mix
    ? mixedAdvantages(mix, { advantages: estimated, returns, epsilon: normalizeEpsilon })
    : estimated;
  const all = Array.from(own.keys());
  const used =
    normalize === 'update' ? unit(advantages, { own, places: all, epsilon: normalizeEpsilon }) : advantages;
  return { steps, advantages: used, bonuses, returns, own };
}

interface Normalization {
  readonly own: readonly boolean[];
  /** [S · E] indices of the steps that define mean and deviation */
  readonly places: readonly number[];
  readonly epsilon: number;
}

/** Normalized over the steps the policy learns from; the others are unchanged. */
function unit(advantages: Float64Array, { own, places, epsilon }: Normalization): Float64Array {
  const counted = places.filter((place) => own[place]);
  const changed = normalized(
    counted.map((place) => advantages[place]!),
    epsilon,
  );
  const made = advantages.slice();
  counted.forEach((place, which) => (made[place] = changed[which]!));
  return made;
}

/**
 * The rows of a minibatch. The weights make the policy's loss the mean over its answers or tokens without random
 * fallback actions. The critic's loss is the mean over all steps times its coefficient.
 */
export function rowsOf(batch: Batch, places: readonly number[], settings: PpoSettings): BatchRow[] {
  const { steps, own } = batch;
  const { normalize, normalizeEpsilon: epsilon, limit } = settings.advantages;
  const { credit, valueCoefficient } = settings.losses;
  const advantages =
    normalize === 'minibatch' ? unit(batch.advantages, { own, places, epsilon }) : batch.advantages;
  const termsAt = (place: number): number => {
    if (!own[place]) return 0;
    return credit === 'token' ? steps.answers[place]!.tokens.length : 1;
  };
  const terms = places.reduce((sum, place) => sum + termsAt(place), 0);
  return places.map((place) => {
    const said = saidAt(batch, place, settings.losses);
    return {
      prompt: steps.prompts[place]!,
      answers: [steps.answers[place]!.tokens],
      temperature: settings.play.temperature,
      weight: own[place] ? 1 / terms : 0,
      valueWeight: valueCoefficient / places.length,
      own: own[place]!,
      sampledLogProbabilities: said.logProbabilities,
      constants: {
        ...said.constants,
        advantage: limited(advantages[place]!, limit ?? Infinity) + (batch.bonuses?.[place] ?? 0),
        sampledValue: steps.values[place]!,
        return: batch.returns[place]!,
      },
    };
  });
}

function limited(value: number, limit: number): number {
  return Math.max(-limit, Math.min(limit, value));
}

interface Said {
  readonly logProbabilities: readonly number[];
  readonly constants: NonNullable<ActorCriticRow['constants']>;
}

/** With a ratio an answer, log π = λ · thought + action. */
function saidAt(
  { steps }: Batch,
  place: number,
  { credit, thoughtCoefficient }: PpoSettings['losses'],
): Said {
  const { logProbabilities } = steps.answers[place]!;
  if (credit === 'token') return { logProbabilities, constants: { sampledLogProbability: logProbabilities } };
  const { actionStart } = steps.readings[place]!;
  const factors = logProbabilities.map((_, token) => (token < actionStart ? thoughtCoefficient : 1));
  const whole = logProbabilities.reduce((sum, value, token) => sum + factors[token]! * value, 0);
  return { logProbabilities: [whole], constants: { sampledLogProbability: whole, factors } };
}
