/**
 * A trajectory as samples of a dataset: every state labelled by the expert, with its picture. For preferences, only
 * states where the policy's own answer differs; that answer is the worse one.
 */
import { invariant, type Frame, type Trajectory } from '@emac/core';
import { labelled } from './episode.ts';
import { noFrame, textOf } from './texts.ts';

/** One record of a dataset, before its picture is named. */
export interface CollectedSample {
  readonly taskId: string;
  readonly taskType: string | null;
  readonly frame: Frame;
  /** the policy's prompt */
  readonly text: string;
  /** the expert's command */
  readonly output: string;
  /** the policy's own command; null for imitation */
  readonly worse: string | null;
}

/** Samples of a trajectory that an expert labelled, in order. */
export function samplesOf(
  { task, steps }: Trajectory,
  kind: 'imitation' | 'preference',
): readonly CollectedSample[] {
  return steps.flatMap(({ observation, prompt, label, own }): CollectedSample[] => {
    const output = labelled(label);
    invariant(prompt, 'samplesOf: the policy read nothing at this step');
    if (output === null) return [];
    if (kind === 'preference' && (own === null || own === '' || own === output)) return [];
    const frame = observation.frames[0] ?? noFrame;
    const worse = kind === 'preference' ? own : null;
    return [{ taskId: task.id, taskType: task.type, frame, text: textOf(prompt), output, worse }];
  });
}
