/** The words between environment and policy, counted with the policy's own tokenizer. */
import type { Policy } from '@emac/core';
import { postprocess } from '@emac/postprocess';
import { studentTarget, studentText } from '@emac/prompt';
import type { PolicyTexts } from '@emac/rollout';

/** Texts for acting, training and evaluation alike; over `maxTokens` the oldest steps go. */
export function policyTexts(policy: Pick<Policy, 'countPromptTokens'>, maxTokens: number): PolicyTexts {
  const countTokens = (text: string) => policy.countPromptTokens(text);
  return {
    prompt: (history, memories) => studentText(history, { maxTokens, countTokens, memories }).text,
    target: studentTarget,
    command: postprocess,
  };
}
