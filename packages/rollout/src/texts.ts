/**
 * The words between environment and policy, given as functions because they depend on the model's tokenizer and on
 * options. Acting, training and evaluation use the same ones: what is trained on is what is read when acting.
 */
import { promptOf, type Frame, type History, type Observation, type Policy, type Prompt } from '@emac/core';

export interface PolicyTexts {
  /** what the policy reads after its pictures; memories are lessons about the task, oldest first */
  prompt(history: History, memories: readonly string[]): string;
  /** what the policy is to say for a command */
  target(command: string): string;
  /** the command in what the policy said */
  command(answer: string): string;
  /** texts that end an answer, so that a model that writes on after its command is not waited for; default none */
  readonly stop?: readonly string[];
}

/** What a policy sees of an environment without pictures: one black pixel. */
export const noFrame: Frame = { width: 1, height: 1, data: new Uint8Array(3) };

/** The pictures of an observation as the policy encodes them, then a text. */
export async function promptAt(
  policy: Pick<Policy, 'encode'>,
  { frames }: Pick<Observation, 'frames'>,
  text: string,
): Promise<Prompt> {
  const images = await Promise.all(
    (frames.length > 0 ? frames : [noFrame]).map((frame) => policy.encode(frame)),
  );
  return promptOf(images, text);
}

/** The words of a prompt, without its pictures. */
export function textOf(prompt: Prompt): string {
  return prompt.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('');
}
