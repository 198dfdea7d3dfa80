/**
 * Counts episodes. Tasks won by the expert's commands are not solved by the policy, for skipping and in every number.
 */
import type { Trajectory } from '@emac/core';
import { historyOf, labelled } from '@emac/rollout';
import type { DaggerState } from './dagger-state.ts';

/** True if the policy's own commands won: the environment got the policy's answer at every step. */
export function wonByPolicy({ won, steps }: Trajectory): boolean {
  return won && steps.every(({ actor }) => actor === 'policy');
}

/**
 * Counts a played episode into its round and run: tally, labels, solved tasks, failures. A lost episode is only counted
 * as lost.
 */
export function countEpisode(state: DaggerState, trajectory: Trajectory, maxSteps: number): void {
  const { task, first, steps, won, end } = trajectory;
  const { tally, labels } = state;
  if (end === 'lost') {
    tally.lost = (tally.lost ?? 0) + 1;
    return;
  }
  const isOwn = wonByPolicy(trajectory);
  tally.played++;
  tally.won += isOwn ? 1 : 0;
  tally.expertWon += won && !isOwn ? 1 : 0;
  tally.steps += isOwn ? steps.length : maxSteps;
  for (const { label, own } of steps) {
    const command = labelled(label);
    tally[command === null ? 'unusable' : 'labelled']++;
    labels[command === null ? 'unusable' : 'usable']++;
    if (label?.kind === 'unusable') labels.reason = label.reason;
    if (label?.kind === 'action' && label.isRepaired) tally.repairs = (tally.repairs ?? 0) + 1;
    if (command === own) tally.agreed++;
  }
  if (isOwn && !state.solved.includes(task.id)) state.solved.push(task.id);
  if (won) return;
  const expertCommands = steps.map(({ label }) => labelled(label));
  const history = historyOf(first.text, steps);
  state.failures.push({ taskId: task.id, taskType: task.type, round: state.round, history, expertCommands });
}
