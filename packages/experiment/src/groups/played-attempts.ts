/** Learning from whole episodes and evaluating by them: the same for language models and small networks. */
import { basename } from 'node:path';
import { grpo, type AttemptSource, type PlayedAttempt } from '@emac/algorithms';
import type { OpenedKind, Task } from '@emac/core';
import type { GrpoConfig } from '@emac/settings';
import { evaluateRun, type RunEvaluation } from '../evaluation/evaluate-run.ts';
import { heldOutPlay } from '../evaluation/evaluated-play.ts';
import { attemptRecord, isRecorded } from './attempt-record.ts';
import type { When } from '../life/recipe.ts';
import type { GroupPlay } from './group-play.ts';

/** Learns from these attempts; every answer is told with the solution of its task, and some updates are recorded. */
export function learnFromAttempts(
  attempts: AttemptSource<PlayedAttempt>,
  { answered, recorded, ...run }: Parameters<GroupPlay['train']>[0],
  solutionOf: (task: Task) => string,
): ReturnType<GroupPlay['train']> {
  return grpo<PlayedAttempt>({
    ...run,
    attempts,
    sample: ({ steps, trajectory: { task }, update, reward, rewards }) => {
      const content = steps.map(({ answer }) => answer.text).join('\n');
      answered({ update, reward, rewards, content, solution: solutionOf(task) });
    },
    ...(recorded && {
      learned: (learned) => {
        if (isRecorded(learned.update, run.settings.play.updates)) recorded(attemptRecord(learned));
      },
    }),
  });
}

export interface HeldOutEvaluation extends Pick<RunEvaluation, 'policy' | 'texts' | 'parallel' | 'form'> {
  readonly config: GrpoConfig;
  readonly opened: OpenedKind;
  /** where another process plays; default here */
  readonly elsewhere?: (when: When) => RunEvaluation['elsewhere'];
}

/** Plays the held-out tasks of the configuration; none is trained on. */
export function heldOutEvaluation({
  config: { seed, model },
  opened,
  elsewhere,
  ...playing
}: HeldOutEvaluation): GroupPlay['evaluate'] {
  const subject = { env: opened.id, policy: basename(model.path), seed };
  return (when, { most, ...kept }, host) => {
    const play = heldOutPlay(opened, most);
    const asked = { ...playing, play, trainedOn: [], subject, elsewhere: elsewhere?.(when) };
    return evaluateRun(asked, { when, ...kept }, host);
  };
}
