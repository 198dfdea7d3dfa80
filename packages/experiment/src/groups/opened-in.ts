/** The environment whose tasks are attempted, and an attempt for the log. */
import type { PlayedAttempt } from '@emac/algorithms';
import type { OpenedKind } from '@emac/core';
import { kindOf, openRemoteKind, openTrained, type Host, type RewardedAnswer } from '@emac/opening';
import type { GrpoConfig } from '@emac/settings';

/** `frameSize`: of its pictures; absent: the size shown to people. Errors: those of the kind; `usage`. */
export async function openedIn(config: GrpoConfig, host: Host, frameSize?: number): Promise<OpenedKind> {
  const { env, seed, world, games: source, evaluation } = config;
  const { maxSteps } = config.play;
  const sources = { source, heldOut: evaluation.on };
  const opened = await openTrained({ env, maxSteps, seed, frameSize, ...sources }, host.environment ?? null, {
    world,
    host,
  });
  if (opened) return opened;
  const own = await kindOf(env).open(env, { maxSteps, ...sources });
  return world.kind === 'own' ? own : openRemoteKind(own, world, host);
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
