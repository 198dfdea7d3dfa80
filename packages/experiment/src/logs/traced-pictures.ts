/**
 * Pictures of traced prompts: each once in `frames/` beside the traces, named by its content, as soon as a policy has read it. A prompt holds features
 * alone, so that a picture is found by their key.
 */
import type { Features, Frame, Policy, Prompt, Seen } from '@emac/core';
import { encodePng } from '@emac/images';
import { noFrame, type StepTexts } from '@emac/rollout';
import { layout, type Run } from '@emac/runs';

export interface TracedPictures {
  /** The policy; what it encodes from now on is kept. */
  ofPolicy<P extends Pick<Policy, 'encode'>>(policy: P): P;
  /** The texts; pictures of their prompts are kept. */
  ofTexts<Action>(texts: StepTexts<Action>): StepTexts<Action>;
  /** The file of a picture, from the folder of the traces; null where it is not kept. */
  readonly fileOf: (features: Features) => string | null;
}

/** Errors while pictures are read: `io`, `cannot-create`. */
export function tracedPictures({ frame }: Pick<Run, 'frame'>): TracedPictures {
  const names = new Map<string, string>();
  const keep = async ({ key }: Features, picture: Frame): Promise<void> => {
    if (!names.has(key)) names.set(key, `${layout.frames}/${frame(await encodePng(picture), 'png')}`);
  };
  return {
    ofPolicy(policy) {
      const { encode } = policy;
      if (!encode) return policy;
      const keeping = async (picture: Frame): Promise<Features> => {
        const features = await encode(picture);
        await keep(features, picture);
        return features;
      };
      return { ...policy, encode: keeping };
    },
    ofTexts(texts) {
      const kept = async (making: Promise<Prompt>, seen: Seen): Promise<Prompt> => {
        const prompt = await making;
        const read = prompt.flatMap((part) => (part.kind === 'image' ? [part.features] : []));
        const shown = framesOf(seen);
        if (read.length === shown.length)
          for (const [place, features] of read.entries()) await keep(features, shown[place]!);
        return prompt;
      };
      return {
        ...texts,
        prompt(seen) {
          const made = texts.prompt(seen);
          return made instanceof Promise ? kept(made, seen) : made;
        },
      };
    },
    fileOf: ({ key }) => names.get(key) ?? null,
  };
}

/** What a prompt of this observation shows. */
function framesOf({ frame, moment }: Seen): readonly Frame[] {
  if (frame) return [frame];
  const frames = moment?.observation.frames ?? [];
  return frames.length > 0 ? frames : [noFrame];
}
