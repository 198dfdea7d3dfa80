/**
 * How the student answers: beam search with sums of log-probabilities (length penalty 0, as EMMA's published agent).
 * Departure: where a prompt leaves less room than the longest answer, answers are that much shorter.
 */
import { tokenTrie, type Backbone, type ModelConfig } from '@emac/backbone';
import { EmacError, type Features } from '@emac/core';
import type { TokenRows } from './token-rows.ts';
import type { VisualTokens } from './visual-tokens.ts';

/** Lengths count new tokens. */
export interface GenerationSettings {
  /** 1 is greedy search */
  readonly beams: number;
  /** tokens before the end token becomes possible */
  readonly minLength: number;
  /** most tokens of an answer, and of a target in training, end token included */
  readonly maxLength: number;
}

/** Errors: `usage` for settings that allow no answer. */
export function checkGeneration({ beams, minLength, maxLength }: GenerationSettings): void {
  const whole = [beams, minLength, maxLength].every(Number.isSafeInteger);
  if (!whole || beams < 1 || minLength < 0 || maxLength < 1 || minLength > maxLength)
    throw new EmacError(
      'usage',
      `generation: needs whole numbers, 1 or more beams and 0 ≤ minimum ≤ maximum length, got beams ${beams}, lengths ${minLength} to ${maxLength}`,
    );
}

/** The longest prompt, in tokens with the begin token, after which the longest answer fits the model's positions. */
export function maxTextTokens(
  { queryTokens, llama }: Pick<ModelConfig, 'queryTokens' | 'llama'>,
  { maxLength }: Pick<GenerationSettings, 'maxLength'>,
): number {
  return llama.maxPositions - queryTokens - maxLength;
}

/** Errors: `data` when prompts of `tokens` tokens need more positions than the model has. */
export function checkTextTokens(tokens: number, config: ModelConfig, generation: GenerationSettings): void {
  const most = maxTextTokens(config, generation);
  if (tokens <= most) return;
  throw new EmacError(
    'data',
    `student: ${config.queryTokens} visual tokens, prompts of ${tokens} tokens and answers of ${generation.maxLength} must fit the model's ${config.llama.maxPositions} positions; allow prompts of ${Math.max(most, 0)} tokens at most, or shorter answers`,
  );
}

export interface AnswerParts {
  readonly backbone: Backbone;
  readonly tokens: TokenRows;
  readonly visual: VisualTokens;
  readonly generation: GenerationSettings;
}

export interface Question {
  /** the prompt */
  readonly text: string;
  readonly features: Features;
  /** the only answers to choose from; absent: any text */
  readonly allowed?: readonly string[];
}

/**
 * The answer's text without special tokens. Errors: `data` when the prompt leaves no room for a token, `usage` when
 * none of the allowed answers fits the lengths.
 */
export async function answer(
  { backbone, tokens, visual, generation }: AnswerParts,
  { text, features, allowed }: Question,
): Promise<string> {
  const prompt = tokens.prompt(text);
  const room = tokens.room(prompt);
  const { tokens: ids } = await backbone.generate(
    { visual: visual.of([features]).data, tokens: prompt },
    {
      endTokens: [tokens.endToken],
      beams: generation.beams,
      minNewTokens: generation.minLength,
      maxNewTokens: Math.min(generation.maxLength, room),
      lengthPenalty: 0,
      allowed: allowed ? tokenTrie(tokens.row(text, allowed).responses) : null,
    },
  );
  return backbone.tokenizer().decode(ids);
}
