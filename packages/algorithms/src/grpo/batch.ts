/** From the answers of an update to rows with what the loss reads: advantages, and log-probabilities as drawn and of the reference. */
import { EmacError, type GradientRow } from '@emac/core';
import { answerWeights } from '@emac/losses';
import { groupAdvantages, type GroupAdvantages } from '@emac/rollout';
import type { AnsweredGroups } from './answer-groups.ts';
import type { GrpoTask, RunningGrpo } from './grpo-run.ts';
import type { GrpoSettings } from './grpo-settings.ts';

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
  /** [P · G] */
  readonly rows: readonly GrpoRow[];
}

/** Errors: those of the reference; `internal` where it scores other tokens. */
export async function grpoBatchOf<T extends GrpoTask>(
  run: RunningGrpo<T>,
  groups: AnsweredGroups<T>,
): Promise<GrpoBatch> {
  const { samples, groupSize } = groups;
  const { play, losses } = run.settings;
  const rewards = samples.map(({ reward }) => reward);
  const found = groupAdvantages(rewards, { groupSize, scale: losses.scale });
  const reference = losses.beta > 0 ? await referenceOf(run, groups) : null;
  const rows = samples.map(({ task, answer }, which) => ({
    prompt: task.prompt,
    answers: [answer.tokens],
    temperature: play.temperature,
    constants: {
      advantage: found.advantages[which]!,
      sampledLogProbability: answer.logProbabilities,
      ...(reference ? { referenceLogProbability: reference[which]! } : {}),
    },
  }));
  return { ...found, rows };
}

/** Log-probability of every token under the reference; the answers of a group are one row, whose prompt is read once. */
async function referenceOf<T extends GrpoTask>(
  { reference, settings }: RunningGrpo<T>,
  { samples, groupSize }: AnsweredGroups<T>,
): Promise<readonly Float32Array[]> {
  const { temperature } = settings.play;
  const rows = Array.from({ length: samples.length / groupSize }, (_, group) => ({
    prompt: samples[group * groupSize]!.task.prompt,
    answers: samples.slice(group * groupSize, (group + 1) * groupSize).map(({ answer }) => answer.tokens),
    temperature,
  }));
  const scores = (await reference!.score(rows)).flat();
  samples.forEach(({ answer }, which) => {
    const scored = scores[which]?.length;
    if (scored !== answer.tokens.length)
      throw new EmacError(
        'internal',
        `reference: scores ${scored} tokens of answer ${which}, which has ${answer.tokens.length}`,
      );
  });
  return scores;
}

/** The rows of a minibatch with their weights. */
export function weighted(rows: readonly GrpoRow[], { losses, optimization }: GrpoSettings): GradientRow[] {
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
