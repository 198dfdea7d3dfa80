/** The words of a kind of environments, for environments that are stepped: prompts are made of the whole episode so far. */
import { invariant, type Policy, type Speech } from '@emac/core';
import { promptAt } from '../texts.ts';
import type { StepTexts } from './step-texts.ts';

export interface SpeechTextsOptions extends Pick<Policy, 'encode'> {
  /** lessons that every prompt has, oldest first */
  readonly memories: readonly string[];
  /** whether the speech may penalize answers, which is measured then; default false */
  readonly penalizes?: boolean;
}

/** For environments that tell their moments, such as `steppedOf` makes. Errors of `prompt`: `internal` for others; those of speech and policy. */
export function speechTexts(
  speech: Speech,
  { encode, memories, penalizes = false }: SpeechTextsOptions,
): StepTexts<string> {
  return {
    // the pictures of an observation are there already
    frames: false,
    penalizes,
    prompt: ({ moment }) => {
      invariant(moment, 'speechTexts: the environment does not tell the episode so far');
      return promptAt({ encode }, moment.observation, speech.prompt({ ...moment, memories }));
    },
    read: (answer, random) => speech.read(answer, random),
  };
}
