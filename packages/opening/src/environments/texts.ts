/** The words between environment and policy, counted with the policy's own tokenizer. */
import type { Policy, Speech } from '@emac/core';
import { postprocess } from '@emac/postprocess';
import { observedHistory, studentTarget, studentText } from '@emac/prompt';
import type { PolicyForm } from '../models/policy-form.ts';

/**
 * Texts for acting, training and evaluation alike, as far as the policy is given them; over `maxTokens` the oldest steps go. A command is one
 * line and ends its answer with it; thoughts have lines of their own and are read to the end.
 */
export function policyTexts(
  policy: Pick<Policy, 'countPromptTokens'>,
  { maxTokens, observe, thoughts }: Pick<PolicyForm['text'], 'maxTokens' | 'observe' | 'thoughts'>,
): Speech {
  const countTokens = (text: string) => policy.countPromptTokens(text);
  return {
    prompt: ({ history, memories }) =>
      studentText(observedHistory(history, observe), { maxTokens, countTokens, memories }).text,
    target: studentTarget,
    // what is no command is one that the game does not understand
    read: ({ text }) => ({ action: postprocess(text), actionStart: 0 }),
    ...(!thoughts && { stop: ['\n'] }),
  };
}
