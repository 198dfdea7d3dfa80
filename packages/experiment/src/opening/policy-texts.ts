/** The words between world and student, counted with the student's own tokenizer. */
import type { Student } from '@emac/core';
import { postprocess } from '@emac/postprocess';
import { studentTarget, studentText } from '@emac/prompt';
import type { PolicyTexts } from '@emac/trainer';

/** Texts for acting, training and evaluation alike; over `maxTokens` the oldest steps go. */
export function policyTexts(student: Pick<Student, 'countTextTokens'>, maxTokens: number): PolicyTexts {
  const countTokens = (text: string) => student.countTextTokens(text);
  return {
    prompt: (history, memories) => studentText(history, { maxTokens, countTokens, memories }).text,
    target: studentTarget,
    command: postprocess,
  };
}
