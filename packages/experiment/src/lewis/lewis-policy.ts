/** The trained role's policy, and its prompt limit. */
import { EmacError, type Prompt } from '@emac/core';
import type { Student } from '@emac/model';
import {
  lewisFormOf,
  requireSight,
  requireSplit,
  type AskedForm,
  type Host,
  type OpenModel,
  type PolicyStart,
} from '@emac/opening';
import type { GrpoConfig } from '@emac/settings';
import { openGroupPolicy, type GroupPolicy } from '../groups/group-policy.ts';

/** Errors: `missing`, `data`, `usage`, `unavailable`. */
export async function openLewisPolicy(
  config: GrpoConfig,
  start: PolicyStart,
  host: Pick<Host, 'env'>,
): Promise<GroupPolicy> {
  const { from } = start;
  const form = from === null ? null : lewisFormOf(from);
  if (form) requireSplit(`--init ${from}`, form.game, config.game);
  const formed = (_: unknown, { files }: OpenModel) => {
    requireSight('lewis', files);
    return formOf(config);
  };
  return openGroupPolicy(config, { ...start, formed }, host);
}

function formOf({ speech, losses }: GrpoConfig): AskedForm {
  return {
    generation: { beams: 1, minLength: speech.minLength, maxLength: losses.maxLength },
    text: { maxTokens: speech.maxPromptLength, thoughts: false, observe: 'both' },
    maxSteps: 1,
    admissibleOnly: false,
  };
}

/** The policy with a limit on its prompts, pictures included: a longer one is refused, never cut. Errors: `data`. */
export function withinPromptLength(student: Student, limit: number): Student {
  return {
    ...student,
    decide: (questions, sampling) => {
      for (const { prompt } of questions) requirePromptLength(student, prompt, limit);
      return student.decide(questions, sampling);
    },
  };
}

/** Errors: `data` for a prompt of more tokens than the limit. */
export function requirePromptLength(student: Student, prompt: Prompt, limit: number): void {
  const tokens = prompt.reduce((sum, part) => {
    if (part.kind === 'text') return sum + student.countPromptTokens(part.text);
    return part.kind === 'image' ? sum + student.countVisualTokens(part.features) : sum;
  }, 0);
  if (tokens > limit)
    throw new EmacError(
      'data',
      `--max-prompt-tokens: a prompt has ${tokens} tokens, at most ${limit} are allowed; raise it, or give smaller pictures`,
    );
}
