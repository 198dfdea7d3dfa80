/** The words between environment and policy, counted with the policy's own tokenizer. */
import type { Policy, Speech, SpeechForm } from '@emac/core';
import { postprocess } from '@emac/postprocess';
import { observedHistory, studentTarget, studentText } from '@emac/prompt';

/**
 * Texts for acting, training and evaluation alike, limited to the policy's observations; above `maxTokens` the oldest
 * steps are dropped. An answer ends after one line with a command; thoughts are separate lines and are read to the end.
 */
export function policyTexts(
  policy: Pick<Policy, 'countPromptTokens'>,
  { maxTokens, observe, thoughts, dialogue }: SpeechForm,
): Speech {
  const countTokens = (text: string) => policy.countPromptTokens(text);
  return {
    prompt: ({ history, memories }) =>
      studentText(observedHistory(history, observe), { maxTokens, countTokens, memories, dialogue }).text,
    target: studentTarget,
    // any other answer is a command the game does not understand
    read: ({ text }) => ({ action: postprocess(text), actionStart: 0 }),
    ...(!thoughts && { stop: ['\n'] }),
  };
}
