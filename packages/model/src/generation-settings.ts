/** Limits of a student's answers and training texts, and the room they leave for prompts. */
import type { Backbone } from '@emac/backbone';
import { EmacError } from '@emac/core';

/** Lengths count new tokens. */
export interface GenerationSettings {
  /** tokens before the end token becomes possible */
  readonly minLength: number;
  /** most tokens of an answer or of a training text, end token included */
  readonly maxLength: number;
}

/** Errors: `usage` for settings that allow no answer. */
export function checkGeneration({ minLength, maxLength }: GenerationSettings): void {
  const whole = [minLength, maxLength].every(Number.isSafeInteger);
  if (!whole || minLength < 0 || maxLength < 1 || minLength > maxLength)
    throw new EmacError(
      'usage',
      `generation: needs whole numbers with 0 ≤ minimum ≤ maximum length and 1 ≤ maximum length, got ${minLength} to ${maxLength}`,
    );
}

/** The longest prompt after one image, in tokens with the begin token, that leaves room for the longest answer. */
export function maxTextTokens(
  { mostVisualTokens, files }: Read,
  { maxLength }: Pick<GenerationSettings, 'maxLength'>,
): number {
  return files.config.llama.maxPositions - mostVisualTokens - maxLength;
}

/** The part of a backbone that limits prompts. */
type Read = Pick<Backbone, 'mostVisualTokens'> & { readonly files: Pick<Backbone['files'], 'config'> };

/** Errors: `data` if prompts of `tokens` tokens need more positions than the model has. */
export function checkTextTokens(tokens: number, model: Read, generation: GenerationSettings): void {
  const most = maxTextTokens(model, generation);
  if (tokens <= most) return;
  throw new EmacError(
    'data',
    `student: ${model.mostVisualTokens} visual tokens, prompts of ${tokens} tokens and answers of ${generation.maxLength} must fit the model's ${model.files.config.llama.maxPositions} positions; allow prompts of ${Math.max(most, 0)} tokens at most (--max-prompt-tokens), or shorter answers`,
  );
}
