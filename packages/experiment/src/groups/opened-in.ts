/** The environment whose tasks are attempted, and an attempt for the log. */
import type { PlayedAttempt } from '@emac/algorithms';
import type { OpenedKind } from '@emac/core';
import { openKind, type Host, type RewardedAnswer } from '@emac/opening';
import type { GrpoConfig } from '@emac/settings';

/** `frameSize`: of its pictures; absent: the size shown to people. Errors: those of the kind; `usage`. */
export function openedIn(config: GrpoConfig, host: Host, frameSize?: number): Promise<OpenedKind> {
  const { env, seed, world, games: source, evaluation } = config;
  const { maxSteps } = config.play;
  const asked = { env, maxSteps, seed, frameSize, source, heldOut: evaluation.on };
  return openKind(asked, host.environment ?? null, { world, host });
}

/** An attempt for the log: all answers, and the task. */
export function answerOf({
  steps,
  trajectory,
  update,
  reward,
  rewards,
}: PlayedAttempt & { readonly update: number }): RewardedAnswer {
  const content = steps.map(({ answer }) => answer.text).join('\n');
  return { update, reward, rewards, content, solution: trajectory.task.id };
}
