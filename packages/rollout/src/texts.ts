/** The policy's prompt at a step, and the text that goes to the environment. */
import {
  EmacError,
  promptOf,
  type Answer,
  type Features,
  type Frame,
  type Observation,
  type Policy,
  type Prompt,
  type Said,
} from '@emac/core';
import type { ActingPolicy } from './attempt.ts';

/**
 * The text for the environment: the answer's action, or else the whole answer, which the environment refuses in its own
 * way.
 */
export function handedOver({ text }: Pick<Answer, 'text'>, { action }: Pick<Said, 'action'>): string {
  return action ?? text.trim();
}

/** The picture of an environment without pictures: one black pixel. */
export const noFrame: Frame = { width: 1, height: 1, data: new Uint8Array(3) };

/** What a policy sees of some pictures: nothing where it reads text alone. */
export async function seenBy(
  { encode }: Pick<Policy, 'encode'>,
  frames: readonly Frame[],
): Promise<readonly Features[]> {
  return encode ? Promise.all(frames.map((frame) => encode(frame))) : [];
}

/** What a policy sees of the one picture that a prompt is about. Errors: `usage` where it reads text alone. */
export async function sightOf({ encode }: Pick<Policy, 'encode'>, frame: Frame): Promise<Features> {
  if (encode) return encode(frame);
  throw new EmacError(
    'usage',
    'model: reads text alone, but this prompt has a picture; give a model with a vision encoder',
  );
}

/** A prompt: the encoded pictures of an observation, then a text; or numbers, if the policy reads those. */
export async function promptAt(
  policy: Pick<ActingPolicy, 'encode' | 'promptOf'>,
  observation: Observation,
  text: string,
): Promise<Prompt> {
  if (policy.promptOf) return policy.promptOf(observation);
  const { frames } = observation;
  return promptOf(await seenBy(policy, frames.length > 0 ? frames : [noFrame]), text);
}

/** The words of a prompt, without its pictures. */
export function textOf(prompt: Prompt): string {
  return prompt.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('');
}
