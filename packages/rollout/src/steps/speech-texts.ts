/** The texts of an environment kind for stepped environments: prompts contain the whole episode so far. */
import { invariant, type Policy, type Speech } from '@emac/core';
import { promptAt } from '../texts.ts';
import type { StepTexts } from './step-texts.ts';

export interface SpeechTextsOptions extends Pick<Policy, 'encode'> {
  /** lessons in every prompt, oldest first */
  readonly memories: readonly string[];
  /** whether the speech may penalize answers (then measured); default false */
  readonly penalizes?: boolean;
}

/**
 * For environments that expose moments, such as those of `steppedOf`. Errors of `prompt`: `internal` for other
 * environments; those of speech and policy.
 */
export function speechTexts(
  speech: Speech,
  { encode, memories, penalizes = false }: SpeechTextsOptions,
): StepTexts<string> {
  return {
    // an observation already has its pictures
    frames: false,
    penalizes,
    prompt: ({ moment }) => {
      invariant(moment, 'speechTexts: the environment does not give the episode so far');
      return promptAt({ encode }, moment.observation, speech.prompt({ ...moment, memories }));
    },
    read: (answer, random) => speech.read(answer, random),
  };
}
