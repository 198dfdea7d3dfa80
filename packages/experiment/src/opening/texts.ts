/** The words between environment and policy, counted with the policy's own tokenizer. */
import type { Policy } from '@emac/core';
import { postprocess } from '@emac/postprocess';
import { observedHistory, studentTarget, studentText } from '@emac/prompt';
import type { PolicyTexts } from '@emac/rollout';
import type { Speech } from './policy-form.ts';

/**
 * Texts for acting, training and evaluation alike, as far as the policy is given them; over `maxTokens` the oldest steps go. A command is one
 * line and ends its answer with it; thoughts have lines of their own and are read to the end.
 */
export function policyTexts(
  policy: Pick<Policy, 'countPromptTokens'>,
  { maxTokens, observe, thoughts }: Speech['text'],
): PolicyTexts {
  const countTokens = (text: string) => policy.countPromptTokens(text);
  return {
    prompt: (history, memories) =>
      studentText(observedHistory(history, observe), { maxTokens, countTokens, memories }).text,
    target: studentTarget,
    command: postprocess,
    ...(!thoughts && { stop: ['\n'] }),
  };
}
