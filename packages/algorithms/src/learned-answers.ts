/** The training targets of a step: the answer to imitate, and for preferences the policy's worse answer. */
import type { Speech, TrajectoryStep } from '@emac/core';
import { labelled } from '@emac/rollout';
import type { SampleSettings } from './label-settings.ts';

export interface LearnedAnswer {
  /** the action, or the text of an answer that names none */
  readonly command: string;
  /** in the policy's form */
  readonly said: string;
}

type Speaking = Pick<Speech, 'target' | 'requireRoom'>;

/** The label's answer; without a label the policy's own if the setting allows it, else null. Errors: `usage` for a label that the policy has no room to say. */
export function rightAnswer(
  { label, own, observation }: Pick<TrajectoryStep, 'label' | 'own' | 'observation'>,
  texts: Speaking,
  { trainOnUnusable }: Pick<SampleSettings, 'trainOnUnusable'>,
): LearnedAnswer | null {
  const command = labelled(label) ?? (trainOnUnusable ? own : null);
  if (command === null) return null;
  if (label?.kind === 'action') texts.requireRoom?.(command);
  const thoughts = label?.kind === 'action' ? label.thoughts : undefined;
  return { command, said: texts.target(command, observation, thoughts) };
}

/** The policy's answer instead of a command; null if it gave that command, none, or was not asked. */
export function worseThan(
  command: string,
  { own, answer, observation }: Pick<TrajectoryStep, 'own' | 'answer' | 'observation'>,
  texts: Speaking,
): LearnedAnswer | null {
  if (own !== null)
    return own === command || own === '' ? null : { command: own, said: texts.target(own, observation) };
  const text = answer?.text.trim() ?? '';
  return text === '' ? null : { command: text, said: answer!.text };
}
