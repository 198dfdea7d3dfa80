/**
 * Group relative policy optimization (GRPO; Shao et al., arXiv 2402.03300, algorithm 1) for any policy that samples
 * answers and has gradients: attempts → rewards → advantages → surrogate → optimizer. Attempts are whole episodes of an
 * environment, of one step where a prompt is answered once. G attempts that begin alike form a group. An attempt's reward is compared with those of its group, so there is no value function. Every answer of
 * an attempt is a row with the attempt's advantage. A reference, such as the policy with its adapter off, holds the
 * policy near its beginning (β).
 *
 * The advantage is one of several (`losses.advantages`) of `grpo/group-methods.ts`. By default an update is one gradient step, as TRL's trainer
 * does it: the ratio is 1 there, and nothing is clipped. Departures from the paper: the reference is fixed (no outer
 * iterations), rewards are for whole attempts.
 *
 * Answers may come from a policy some updates older than the current one (`maxStaleness`), as with workers. The ratio
 * is then π_θ / π_behaviour, current to answering policy, clipped only if a clip is set.
 *
 * A missing reward or a lost episode is an error: no reward is made up. The state changes only between two updates. So
 * after such an error, parameters, optimizer and state equal the last checkpoint, and the update is replayed to the
 * same bytes.
 */
import type { Coming } from './ahead.ts';
import { temperatureOf } from './shared-settings.ts';
import { stalenessOf } from './versions.ts';
import type { AttemptGroups } from './grpo/attempts.ts';
import { isNamed } from './grpo/attempt-rewards.ts';
import { grpoBatchOf } from './grpo/batch.ts';
import { beginGrpo, saveGrpo, type GrpoRun, type GrpoState, type RunningGrpo } from './grpo/grpo-run.ts';
import { improveGroups, type GroupImprovement } from './grpo/improve.ts';
import { attemptMeasures, playedMeasures, successOf } from './grpo/measures.ts';
import { beginPlaying } from './grpo/played-groups.ts';

/**
 * Trains the policy in place; returns the last state. Errors: those of the attempts; `data` for a reward that is not
 * finite; `interrupted` after a checkpoint, or during attempts; `check-failed` for a gradient that is not finite.
 */
export async function grpo(asked: GrpoRun): Promise<GrpoState> {
  const run = beginGrpo(asked);
  if (!run.resume) await saveGrpo(run);
  const coming = beginPlaying(run);
  try {
    while (run.state.update < run.settings.play.updates) await updated(run, coming);
  } finally {
    await coming.stop();
  }
  return run.state;
}

async function updated(run: RunningGrpo, coming: Coming<AttemptGroups>): Promise<void> {
  const { versions, state } = run;
  const groups = await coming.next();
  const staleness = stalenessOf(groups, versions.limit);
  const batch = await grpoBatchOf(run, groups);
  const improvement = await improveGroups(run, batch);
  const { groups: compared, credits } = batch;
  await run.learned?.({ update: state.update, attempts: compared.attempts, credits });
  await count(run, compared, {
    ...attemptMeasures(batch),
    ...improvement,
    ...(versions.limit > 0 && { staleness }),
  });
  versions.keep(state.update);
  await saveGrpo(run);
}

/** Ends an update: reports it and advances the state. */
async function count(
  run: RunningGrpo,
  { attempts, replaced }: AttemptGroups,
  measures: GroupImprovement & ReturnType<typeof attemptMeasures> & { readonly staleness?: number },
): Promise<void> {
  const { state, metrics } = run;
  const update = state.update++;
  const lengths = [...attempts, ...(replaced ?? [])].flatMap(({ steps }) =>
    steps.map(({ answer }) => answer.tokens.length),
  );
  state.answers += lengths.length;
  state.tokens += lengths.reduce((sum, length) => sum + length, 0);
  const { answers } = state;
  // an environment whose rewards do not count has no returns worth a column
  const own = isNamed(run.attempts.reward)
    ? { success: successOf(attempts) }
    : playedMeasures(attempts, answers);
  const { play } = run.settings;
  const sampled = play.finalTemperature !== undefined && {
    temperature: temperatureOf(play, update, play.updates),
  };
  const redrawn = replaced && { redrawn_groups: replaced.length / play.groupSize };
  await metrics({
    v: 1,
    kind: 'update',
    phase: 'grpo',
    update,
    answers,
    ...sampled,
    ...measures,
    ...own,
    ...redrawn,
  });
}
