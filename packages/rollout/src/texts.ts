/** What a policy reads at a step, and what the environment is handed for its answer. */
import {
  promptOf,
  type Answer,
  type Frame,
  type Observation,
  type Policy,
  type Prompt,
  type Said,
} from '@emac/core';

/** What the environment is handed for an answer: its action, else the answer's text, which the environment refuses in its own way. */
export function handedOver({ text }: Pick<Answer, 'text'>, { action }: Pick<Said, 'action'>): string {
  return action ?? text.trim();
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
