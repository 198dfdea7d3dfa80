/**
 * How the student answers: beam search with sums of log-probabilities (length penalty 0, as EMMA's published agent), or
 * drawn at random. Departure: where a prompt leaves less room than the longest answer, answers are that much shorter.
 */
import {
  tokenTrie,
  type Backbone,
  type GeneratedText,
  type GenerationOptions,
  type ModelConfig,
} from '@emac/backbone';
import { EmacError, type Answer, type Question, type Random, type Sampling } from '@emac/core';
import type { Engine } from './engine.ts';
import { readPrompt, type ReadPrompt } from './read-prompt.ts';
import { alike } from './row-runs.ts';
import type { VisualTokens } from './visual-tokens.ts';

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

/** One answer to each question. Errors: as `Policy.decide`'s; `usage` where none of the allowed answers fits the lengths. */
export async function decide(
  engine: Engine,
  visual: VisualTokens,
  { questions, sampling }: Decision,
): Promise<Answer[]> {
  checkGenerators(questions, sampling);
  const asked = questions.map((question) => ({ question, ...readPrompt(question.prompt) }));
  const requests = asked.map((each) => requestOf(engine, visual, each));
  const answers: Answer[] = [];
  // a batch has equally many visual tokens
  for (const places of alike(asked, ({ images }) => String(images.length))) {
    const batch = places.map((place) => requests[place]!);
    const texts = await generated(engine.backbone, batch, sampling);
    texts.forEach(({ tokens, logProbabilities }, index) => {
      const text = engine.backbone.tokenizer().decode([...tokens]);
      answers[places[index]!] = { text, tokens, logProbabilities };
    });
  }
  return answers;
}

export interface Decision {
  readonly questions: readonly Question[];
  readonly sampling: Sampling;
}

interface Request {
  readonly prompt: { readonly visual: Float32Array; readonly tokens: readonly number[] };
  readonly rules: Pick<GenerationOptions, 'endTokens' | 'minNewTokens' | 'maxNewTokens' | 'allowed'>;
  readonly random: Random | null;
}

function requestOf(
  { tokens, generation }: Engine,
  visual: VisualTokens,
  { question, images, text }: ReadPrompt & { readonly question: Question },
): Request {
  const prompt = tokens.prompt(text);
  const room = tokens.room(prompt, images.length);
  const { allowed, random } = question;
  return {
    prompt: { visual: visual.of([images]).data, tokens: prompt },
    rules: {
      endTokens: [tokens.endToken],
      minNewTokens: generation.minLength,
      maxNewTokens: Math.min(generation.maxLength, room),
      allowed: allowed && tokenTrie(tokens.row({ images: images.length, text, answers: allowed }).responses),
    },
    random,
  };
}

async function generated(
  backbone: Backbone,
  requests: readonly Request[],
  sampling: Sampling,
): Promise<GeneratedText[]> {
  if (sampling.kind === 'search') {
    const search = { beams: sampling.beams, lengthPenalty: 0 };
    return backbone.generateBatch(
      requests.map(({ prompt, rules }) => ({ prompt, options: { ...rules, ...search } })),
    );
  }
  const { temperature, topP } = sampling;
  const found = await backbone.sampleBatch(
    requests.map(({ prompt, rules, random }) => {
      return { prompt, options: { ...rules, temperature, topP, topK: null, random: random! } };
    }),
  );
  return found.map(([text]) => text!);
}

/** What is drawn for one question must not depend on the others. */
function checkGenerators(questions: readonly Question[], { kind }: Sampling): void {
  if (kind === 'search') return;
  const generators = new Set(questions.flatMap(({ random }) => random ?? []));
  if (generators.size !== questions.length)
    throw new EmacError(
      'usage',
      `student: each of ${questions.length} sampled answers needs a generator of its own, got ${generators.size}; give every question a stream, such as random.stream(name)`,
    );
}
