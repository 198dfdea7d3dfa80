/**
 * Turns the attempts of an update into rows for the loss: advantages, and log-probabilities when sampled and under the
 * reference.
 */
import { EmacError, type GradientRow, type PossibleTokens, type Prompt } from '@emac/core';
import { answerWeights } from '@emac/losses';
import { groupAdvantages, type GroupAdvantages } from '@emac/rollout';
import type { EpisodePlaces } from '../episode-order.ts';
import { inGroups, type AttemptGroups, type StepOfAttempt } from './attempts.ts';
import { creditsOf, type AttemptCredit } from './credits.ts';
import type { RunningGrpo } from './grpo-run.ts';
import { groupMethodOf } from './group-methods.ts';
import type { GrpoSettings } from './grpo-settings.ts';
import { penalized } from './penalty.ts';
import { meanOf } from '../means.ts';

/** An answer before it has a weight in its minibatch. */
export interface GrpoRow extends Omit<GradientRow, 'weight' | 'constants'> {
  readonly constants: {
    readonly advantage: number;
    /** of each token */
    readonly sampledLogProbability: readonly number[];
    /** of each token; absent without a reference */
    readonly referenceLogProbability?: ArrayLike<number>;
  };
}

export interface GrpoBatch extends GroupAdvantages {
  /** the attempts with the rewards that were compared */
  readonly groups: AttemptGroups;
  /** a row for every step of every attempt, group after group */
  readonly rows: readonly GrpoRow[];
  /** the rows of each attempt, step after step */
  readonly attempts: readonly EpisodePlaces[];
  /** of each attempt */
  readonly credits: readonly AttemptCredit[];
}

/** With the penalty in the reward, attempts are compared after it. Errors: those of the reference; `internal` if it scores other tokens. */
export async function grpoBatchOf(
  run: Pick<RunningGrpo, 'settings' | 'reference'>,
  played: AttemptGroups,
): Promise<GrpoBatch> {
  const { losses } = run.settings;
  const said = stepsOf(played);
  const scored = losses.beta > 0 ? await referenceOf(run, said) : null;
  const inReward = losses.penalty === 'reward';
  const groups = scored && inReward ? penalized(played, { said: said.flat(), scored, losses }) : played;
  const reference = inReward ? null : scored;
  const { attempts, groupSize } = groups;
  const rewards = attempts.map(({ reward }) => reward);
  const { scale } = losses;
  const found = groupAdvantages(rewards, { groupSize, scale, advantages: groupMethodOf(losses).attempts });
  const credits = creditsOf(groups, { losses, advantages: found.advantages });
  const rows = said.flat().map(({ step: { prompt, answer, temperature }, attempt, index }, which) => ({
    prompt,
    answers: [answer.tokens],
    temperature,
    ...(answer.possible && { possible: [answer.possible] }),
    constants: {
      advantage: credits[attempt]!.steps[index]!.advantage,
      sampledLogProbability: answer.logProbabilities,
      ...(reference ? { referenceLogProbability: reference[which]! } : {}),
    },
  }));
  const places = attempts.map((): number[] => []);
  said.flat().forEach(({ attempt }, place) => places[attempt]!.push(place));
  return { ...found, rows, attempts: places, groups, credits };
}

/**
 * The steps of each group, ordered by step index, so attempts that are still alike have equal prompts next to each
 * other.
 */
function stepsOf(groups: AttemptGroups): StepOfAttempt[][] {
  const { groupSize } = groups;
  return inGroups(groups).map((own, group) => {
    const longest = Math.max(...own.map(({ steps }) => steps.length));
    return Array.from({ length: longest }, (_, index) =>
      own.flatMap(({ steps }, member) => {
        const step = steps[index];
        return step ? [{ step, index, attempt: group * groupSize + member }] : [];
      }),
    ).flat();
  });
}

/** Log-probability of every token under the reference; neighbouring equal prompts in a group are scored once. */
async function referenceOf(
  { reference }: Pick<RunningGrpo, 'reference'>,
  said: readonly (readonly StepOfAttempt[])[],
): Promise<readonly Float32Array[]> {
  const rows = said.flatMap((group) => {
    const own: {
      prompt: Prompt;
      answers: (readonly number[])[];
      temperature: number;
      possible: (PossibleTokens | null)[];
    }[] = [];
    for (const { step } of group) {
      const { prompt, answer, temperature } = step;
      const { tokens, possible = null } = answer;
      const last = own.at(-1);
      if (last && isSamePrompt(last.prompt, prompt)) {
        last.answers.push(tokens);
        last.possible.push(possible);
      } else own.push({ prompt, answers: [tokens], temperature, possible: [possible] });
    }
    return own;
  });
  const scores = (await reference!.score(rows)).flat();
  said.flat().forEach(({ step: { answer } }, which) => {
    const scored = scores[which]?.length;
    if (scored !== answer.tokens.length)
      throw new EmacError(
        'internal',
        `reference: scores ${scored} tokens of answer ${which}, which has ${answer.tokens.length}`,
      );
  });
  return scores;
}

function isSamePrompt(one: Prompt, other: Prompt): boolean {
  if (one === other) return true;
  return one.length === other.length && one.every((part, place) => isSamePart(part, other[place]!));
}

/** Arrays are compared as objects: prompts of language models have none. */
function isSamePart(one: Prompt[number], other: Prompt[number]): boolean {
  if (one.kind === 'text') return other.kind === 'text' && one.text === other.text;
  if (one.kind === 'image') return other.kind === 'image' && one.features.key === other.features.key;
  return one === other;
}

/** A row as the loss reads it: its log-probabilities when sampled are of tokens, or the mean of its answer. */
export interface WeightedRow extends GradientRow {
  readonly constants: Omit<GrpoRow['constants'], 'sampledLogProbability'> & {
    readonly sampledLogProbability: number | readonly number[];
  };
}

/** A row whose ratio is of its answer: its term counts once for every token of it. */
export function ofAnswers({ weight, constants, ...row }: GrpoRow & GradientRow): WeightedRow {
  const { advantage, sampledLogProbability: ofTokens } = constants;
  const sampledLogProbability = meanOf(ofTokens) ?? 0;
  return { ...row, weight: weight * ofTokens.length, constants: { advantage, sampledLogProbability } };
}

/** The rows of a minibatch with their weights. */
export function weighted(
  rows: readonly GrpoRow[],
  { losses, optimization }: GrpoSettings,
): (GrpoRow & GradientRow)[] {
  const weights = answerWeights(
    rows.map(({ constants }) => constants.sampledLogProbability.length),
    {
      normalization: losses.normalization,
      maxLength: losses.maxLength,
      microBatchSize: optimization.microBatchSize ?? rows.length,
    },
  );
  return rows.map((row, which) => ({ ...row, weight: weights[which]! }));
}
