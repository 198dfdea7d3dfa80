/** Turns the steps of an update into rows for the losses: advantages, returns, and log-probabilities when sampled. */
import type { ActorCriticRow } from '@emac/core';
import {
  generalizedAdvantages,
  normalized,
  tokenAdvantages,
  type CollectedSteps,
  type TokenAdvantages,
} from '@emac/rollout';
import type { PpoSettings } from './ppo-settings.ts';
import type { Shaped } from './shaping.ts';
import { mixedAdvantages } from './utility.ts';

/** The steps of an update, ready to be cut into minibatches. */
export interface Batch {
  readonly steps: CollectedSteps<unknown>;
  /** at which they were sampled */
  readonly temperature: number;
  /** as estimated, or normalized over the update [S · E] */
  readonly advantages: Float64Array;
  /** shaping bonuses, added after any normalization [S · E] */
  readonly bonuses: Float64Array | null;
  /** [S · E] */
  readonly returns: Float64Array;
  /** of the tokens of each answer, in place of `advantages`; null: an answer has one advantage [S · E] */
  readonly tokens: readonly AnswerTokens[] | null;
  /** whether the policy's own answer was acted on: it learns from no other [S · E] */
  readonly own: readonly boolean[];
}

interface AnswerTokens extends TokenAdvantages {
  /** before each token, when the update began */
  readonly values: Float32Array;
  /** nothing is learned from it */
  readonly isMasked: boolean;
}

/** A step in its minibatch. */
export interface BatchRow extends ActorCriticRow {
  readonly own: boolean;
  /** old log-probabilities for the ratio: per token, or of the whole answer */
  readonly sampledLogProbabilities: readonly number[];
}

/** What else the advantages depend on. */
interface Beside extends Pick<Shaped, 'rewards' | 'mix' | 'bonuses'> {
  /** at which the answers were sampled */
  readonly temperature: number;
  /** values before the tokens of each answer, for advantages of tokens; null: answers have one each [S · E] */
  readonly tokenValues: readonly Float32Array[] | null;
}

export function batchOf(
  steps: CollectedSteps<unknown>,
  { advantages: settings }: PpoSettings,
  { rewards: added, mix, bonuses, temperature, tokenValues }: Beside,
): Batch {
  const rewards = added ? steps.rewards.map((reward, place) => reward + added[place]!) : steps.rewards;
  const { advantages: estimated, returns } = generalizedAdvantages({ ...steps, rewards }, settings);
  const own = steps.readings.map(({ action }) => action !== null);
  const { normalize, normalizeEpsilon } = settings;
  const advantages = mix
    ? mixedAdvantages(mix, { advantages: estimated, returns, epsilon: normalizeEpsilon })
    : estimated;
  const { tokenTrace: trace = 1, tokenDiscount: discount = 1 } = settings;
  const isMasked = (place: number): boolean =>
    settings.truncation === 'masked' && steps.truncated[place] === 1 && steps.terminated[place] === 0;
  const tokens = tokenValues?.map((values, place): AnswerTokens => {
    if (isMasked(place))
      return { advantages: Array.from(values, () => 0), returns: Array.from(values), values, isMasked: true };
    return { ...tokenAdvantages(returns[place]!, values, { discount, trace }), values, isMasked: false };
  });
  const estimates = { own, advantages, tokens: tokens ?? null };
  const all = { places: Array.from(own.keys()), epsilon: normalizeEpsilon };
  const used = normalize === 'update' ? unit(estimates, all) : estimates;
  return { steps, temperature, bonuses, returns, ...used };
}

type Estimates = Pick<Batch, 'own' | 'advantages' | 'tokens'>;

interface Normalization {
  /** [S · E] indices of the steps that define mean and deviation */
  readonly places: readonly number[];
  readonly epsilon: number;
}

/** Normalized over the steps, or their tokens, that the policy learns from; the others are unchanged. */
function unit({ own, advantages, tokens }: Estimates, { places, epsilon }: Normalization): Estimates {
  const counted = places.filter((place) => own[place] && !tokens?.[place]!.isMasked);
  const estimated = counted.flatMap((place) => tokens?.[place]!.advantages ?? [advantages[place]!]);
  const changed = normalized(estimated, epsilon);
  let next = 0;
  if (!tokens) {
    const made = advantages.slice();
    for (const place of counted) made[place] = changed[next++]!;
    return { own, advantages: made, tokens };
  }
  const made = [...tokens];
  for (const place of counted) {
    const answer = tokens[place]!;
    made[place] = { ...answer, advantages: answer.advantages.map(() => changed[next++]!) };
  }
  return { own, advantages, tokens: made };
}

/**
 * The rows of a minibatch. The weights make the policy's loss the mean over its answers or tokens without random
 * fallback actions. The critic's loss is the mean over all values, of steps or of tokens, times its coefficient.
 */
export function rowsOf(batch: Batch, places: readonly number[], settings: PpoSettings): BatchRow[] {
  const { steps, own } = batch;
  const { normalize, normalizeEpsilon: epsilon, limit } = settings.advantages;
  const { credit, valueCoefficient } = settings.losses;
  const { advantages, tokens } = normalize === 'minibatch' ? unit(batch, { places, epsilon }) : batch;
  const termsAt = (place: number): number => {
    if (!own[place]) return 0;
    return credit === 'token' ? steps.answers[place]!.tokens.length : 1;
  };
  const terms = places.reduce((sum, place) => sum + termsAt(place), 0);
  const values = places.reduce((sum, place) => sum + (tokens?.[place]!.values.length ?? 1), 0);
  const bounded = (advantage: number, place: number): number =>
    limited(advantage, limit ?? Infinity) + (batch.bonuses?.[place] ?? 0);
  const estimatesAt = (place: number): Estimated => {
    const answer = tokens?.[place];
    if (!answer)
      return {
        advantage: bounded(advantages[place]!, place),
        sampledValue: steps.values[place]!,
        return: batch.returns[place]!,
      };
    return {
      advantage: answer.advantages.map((advantage) => bounded(advantage, place)),
      sampledValue: answer.values,
      return: answer.returns,
    };
  };
  return places.map((place) => {
    const said = saidAt(batch, place, settings.losses);
    return {
      prompt: steps.prompts[place]!,
      answers: [steps.answers[place]!.tokens],
      temperature: batch.temperature,
      weight: own[place] ? 1 / terms : 0,
      valueWeight: valueCoefficient / values,
      own: own[place]!,
      sampledLogProbabilities: said.logProbabilities,
      constants: { ...said.constants, ...estimatesAt(place) },
    };
  });
}

/** Constants of both losses: of an answer, or of each of its tokens. */
interface Estimated {
  readonly advantage: number | readonly number[];
  readonly sampledValue: number | Float32Array;
  readonly return: number | readonly number[];
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
