/** DAgger's metrics lines and progress events. */
import type { Label, Trajectory } from '@emac/core';
import { labelled, type RolloutEvent } from '@emac/rollout';
import type { Running } from './dagger-run.ts';
import type { EpisodeOf, MetricsLine } from './progress.ts';
import { groupOf } from './rounds.ts';
import { wonByPolicy } from './tally.ts';
import type { MadeUpdate } from './update-once.ts';

/** Measures on the probe, if there is one. */
export async function emitProbe(run: Running): Promise<void> {
  const measures = await run.learner.probe();
  if (measures) await emit(run, 'probe', { update: run.state.updates, ...measures });
}

export async function emitUpdate(
  run: Running,
  { update, index, learningRate, measures, microSteps }: MadeUpdate,
): Promise<void> {
  const { taskId: game, episode } = episodeAt(run, index);
  const samples = run.learner.length();
  const fields = { game, episode, update, lr: learningRate, ...measures, samples };
  const line = await measured(run, 'update', fields);
  await run.report?.({ kind: 'update', line, microSteps });
}

export function emitRound(run: Running): Promise<void> {
  const { state, settings } = run;
  const { played, won, expertWon, steps, ...labels } = state.tally;
  return emit(run, 'round', {
    played,
    won,
    // where the expert may act
    ...(settings.play.expertShare.start > 0 && { expert_won: expertWon }),
    success: ratio(won, played),
    mean_steps: ratio(steps, played),
    ...labels,
    solved: state.solved.length,
    updates: state.updates,
    samples: run.learner.length(),
    max_steps: settings.play.maxSteps,
    ...run.choice?.measures(),
  });
}

/** Tasks of the list that this round leaves out. */
export async function reportSkipped({ report, state, environment }: Running): Promise<void> {
  const playing = new Set(state.playing);
  for (const [place, { id: taskId }] of environment.tasks.entries())
    if (!playing.has(place)) await report?.({ kind: 'episode-skipped', round: state.round, place, taskId });
}

/** The rollout's events with their places in the run; `reportEnd` reports ends once the whole group is stored. */
export function reportRollout(run: Running) {
  return async (event: RolloutEvent): Promise<void> => {
    if (event.kind === 'episode-end') return;
    const of = episodeAt(run, event.number - run.state.episodes);
    if (event.kind === 'episode-start') {
      const { text: observation, frames } = event.first;
      await run.report?.({ kind: event.kind, ...of, taskType: event.task.type, observation, frames });
      return;
    }
    const { own, label, action, result } = event.step;
    const { text: observation, frames } = result.observation;
    const said = { own, ...saidBy(label), command: action, observation, frames };
    await run.report?.({ kind: 'step', ...of, index: event.index, ...said });
  };
}

export async function reportEnd(
  run: Running,
  trajectories: readonly Trajectory[],
  stored: readonly number[],
): Promise<void> {
  for (const [index, trajectory] of trajectories.entries()) {
    const won = wonByPolicy(trajectory);
    await run.report?.({
      kind: 'episode-end',
      ...episodeAt(run, index),
      won,
      expertWon: trajectory.won && !won,
      steps: trajectory.steps.length,
      repeated: trajectory.end === 'repeated',
      ...(trajectory.fault !== undefined && { fault: trajectory.fault }),
      stored: stored[index]!,
      trajectory,
    });
  }
}

/** An episode of the group that is under way. */
function episodeAt(run: Running, index: number): EpisodeOf {
  const { state, environment } = run;
  const place = groupOf(run)[index]!;
  return { round: state.round, episode: state.episodes + index, place, taskId: environment.tasks[place]!.id };
}

function saidBy(label: Label | null) {
  const thoughts = label?.kind === 'action' ? label.thoughts : undefined;
  return {
    label: labelled(label),
    ...(label?.kind === 'unusable' && { reason: label.reason }),
    ...(thoughts && { thoughts }),
  };
}

type Fields = Readonly<Record<string, string | number | null>>;

async function measured(run: Running, kind: MetricsLine['kind'], fields: Fields): Promise<MetricsLine> {
  const line: MetricsLine = { v: 1, kind, phase: run.phase, round: run.state.round, ...fields };
  await run.metrics(line);
  return line;
}

async function emit(run: Running, kind: 'probe' | 'round', fields: Fields): Promise<void> {
  const line = await measured(run, kind, fields);
  await run.report?.({ kind: kind === 'round' ? 'round-end' : kind, line });
}

function ratio(part: number, whole: number): number | null {
  return whole > 0 ? part / whole : null;
}
