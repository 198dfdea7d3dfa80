/** The policy's prompt at a step, and the text that goes to the environment. */
import {
  promptOf,
  type Answer,
  type Frame,
  type Observation,
  type Policy,
  type Prompt,
  type Said,
} from '@emac/core';

/**
 * The text for the environment: the answer's action, or else the whole answer, which the environment refuses in its own
 * way.
 */
export function handedOver({ text }: Pick<Answer, 'text'>, { action }: Pick<Said, 'action'>): string {
  return action ?? text.trim();
}

/** The picture of an environment without pictures: one black pixel. */
export const noFrame: Frame = { width: 1, height: 1, data: new Uint8Array(3) };

/** A prompt: the encoded pictures of an observation, then a text. */
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
