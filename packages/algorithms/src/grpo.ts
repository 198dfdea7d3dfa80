/**
 * Group relative policy optimization (GRPO; Shao et al., arXiv 2402.03300, algorithm 1) for any policy that draws answers and gives
 * gradients, and any reward of a prompt and an answer to it. Every prompt is answered by a group of G samples, which share its
 * reading; what an answer is worth is its reward beside those of its group, so that no network of values is learned. A reference,
 * such as the policy with its adapter off, holds it near its beginning (β).
 *
 * By default an update is one gradient step, as TRL's trainer does it: the ratio is 1 there, and nothing is clipped. Departures from the
 * paper: the reference stays what it is (no outer iterations), rewards are of whole answers.
 *
 * Answers may be of a policy some updates older than the one that learns (setting `maxStaleness`), as they are where others answer meanwhile: the ratio is of the policy
 * that learns to the one that answered then, π_θ / π_behaviour, and clipped only where a clip is set.
 *
 * A reward that cannot be had is an error: the run ends where its last checkpoint stands, and what is asked again is the same. No reward is
 * made up. The state changes only between two updates, is saved there and goes on from there to the same bytes.
 */
import type { Coming } from './ahead.ts';
import { stalenessOf } from './versions.ts';
import { beginAnswering, rewardedGroups, type Answered, type AnsweredGroups } from './grpo/answer-groups.ts';
import { grpoBatchOf } from './grpo/batch.ts';
import {
  beginGrpo,
  saveGrpo,
  type GrpoRun,
  type GrpoState,
  type GrpoTask,
  type RunningGrpo,
} from './grpo/grpo-run.ts';
import { improveGroups, type GroupImprovement } from './grpo/improve.ts';
import { answerMeasures } from './grpo/measures.ts';

/**
 * Trains the policy in place; returns the last state. Errors: those of the rewards; `data` for a reward that is not finite; `interrupted`
 * after a checkpoint; `check-failed` for a gradient that is not finite.
 */
export async function grpo<T extends GrpoTask>(asked: GrpoRun<T>): Promise<GrpoState> {
  const run = beginGrpo(asked);
  if (!run.resume) await saveGrpo(run);
  const answering = beginAnswering(run);
  try {
    while (run.state.update < run.settings.play.updates) await updated(run, answering);
  } finally {
    await answering.stop();
  }
  return run.state;
}

async function updated<T extends GrpoTask>(
  run: RunningGrpo<T>,
  answering: Coming<Answered<T>>,
): Promise<void> {
  const { versions, state } = run;
  const answered = await answering.next();
  const staleness = stalenessOf(answered, versions.limit);
  const groups = await rewardedGroups(run, answered);
  const batch = await grpoBatchOf(run, groups);
  const improvement = await improveGroups(run, batch);
  await count(run, groups, {
    ...answerMeasures(groups, batch),
    ...improvement,
    ...(versions.limit > 0 && { staleness }),
  });
  versions.keep(state.update);
  await saveGrpo(run);
}

/** The update is over: what it was is told, and the state stands after it. */
async function count<T extends GrpoTask>(
  run: RunningGrpo<T>,
  { samples }: AnsweredGroups<T>,
  measures: GroupImprovement & ReturnType<typeof answerMeasures> & { readonly staleness?: number },
): Promise<void> {
  const { state, metrics, sample } = run;
  const update = state.update++;
  state.answers += samples.length;
  state.tokens += samples.reduce((sum, { answer }) => sum + answer.tokens.length, 0);
  for (const each of samples) await sample?.({ ...each, update });
  await metrics({ v: 1, kind: 'update', phase: 'grpo', update, answers: state.answers, ...measures });
}
