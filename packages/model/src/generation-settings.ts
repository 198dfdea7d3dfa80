/** Limits of what a student answers and of the texts that it learns, and what prompts they leave room for. */
import type { Backbone } from '@emac/backbone';
import { EmacError } from '@emac/core';

/** Lengths count new tokens. */
export interface GenerationSettings {
  /** tokens before the end token becomes possible */
  readonly minLength: number;
  /** most tokens of an answer, and of a text to be learned, end token included */
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

/** The longest prompt, in tokens with the begin token, after one image, after which the longest answer fits the model's positions. */
export function maxTextTokens(
  { mostVisualTokens, files }: Read,
  { maxLength }: Pick<GenerationSettings, 'maxLength'>,
): number {
  return files.config.llama.maxPositions - mostVisualTokens - maxLength;
}

/** What a model reads. */
type Read = Pick<Backbone, 'mostVisualTokens'> & { readonly files: Pick<Backbone['files'], 'config'> };

/** Errors: `data` when prompts of `tokens` tokens need more positions than the model has. */
export function checkTextTokens(
  { tokens, flag }: { readonly tokens: number; readonly flag: string },
  model: Read,
  generation: GenerationSettings,
): void {
  const most = maxTextTokens(model, generation);
  if (tokens <= most) return;
  throw new EmacError(
    'data',
    `student: ${model.mostVisualTokens} visual tokens, prompts of ${tokens} tokens and answers of ${generation.maxLength} must fit the model's ${model.files.config.llama.maxPositions} positions; allow prompts of ${Math.max(most, 0)} tokens at most (${flag}), or shorter answers`,
  );
}
