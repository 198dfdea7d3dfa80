/** What a policy said in place of a label, for preferences. */
import type { Speech, TrajectoryStep } from '@emac/core';

export interface WorseAnswer {
  /** the action, or the text of an answer that names none */
  readonly command: string;
  /** as the policy says it */
  readonly said: string;
}

/** Null where the policy said the label, nothing, or was not asked. */
export function worseThan(
  label: string,
  { own, answer, observation }: Pick<TrajectoryStep, 'own' | 'answer' | 'observation'>,
  texts: Pick<Speech, 'target'>,
): WorseAnswer | null {
  if (own !== null)
    return own === label || own === '' ? null : { command: own, said: texts.target(own, observation) };
  const command = answer?.text.trim() ?? '';
  return command === '' ? null : { command, said: answer!.text };
}
