/** Playing games for evaluation: no expert, no memories. */
import { EmacError, type Student } from '@emac/core';
import { evaluate, type EvaluationResult } from '@emac/trainer';
import { renderFrame, worldSource, type Game } from '@emac/world';
import { policyTexts } from './policy-texts.ts';
import type { Policy } from './policy.ts';
import type { Progress } from './progress.ts';

export interface HeldOut {
  readonly student: Student;
  readonly policy: Pick<Policy, 'text' | 'maxSteps'>;
  readonly games: readonly Game[];
  readonly trainedOn: readonly string[];
  /** what is evaluated, as the result names it */
  readonly checkpoint: string;
  readonly progress: Progress;
  readonly signal?: AbortSignal;
}

/** One attempt at each game with the student. Errors: `interrupted`. */
export function evaluateGames(heldOut: HeldOut): Promise<EvaluationResult> {
  const { student, policy, games, trainedOn, checkpoint, progress, signal } = heldOut;
  const { maxSteps } = policy;
  return evaluate({
    ...{ student, maxSteps, checkpoint },
    world: worldSource(games, { maxSteps, frames: (visible) => renderFrame(visible) }),
    texts: policyTexts(student, policy.text.maxTokens),
    trainedOn: new Set(trainedOn),
    onStep: () => stopIfAsked(signal),
    onGame: (game) => progress.game(game),
  });
}

/** Throws `interrupted` once the signal has fired. */
export function stopIfAsked(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new EmacError('interrupted', 'stopped on request');
}
