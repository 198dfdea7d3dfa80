/**
 * How the student answers: beam search with sums of log-probabilities (length penalty 0, as EMMA's published agent), or
 * drawn at random. Departure: where a prompt leaves less room than the longest answer, answers are that much shorter.
 */
import {
  tokenTrie,
  type Backbone,
  type GeneratedText,
  type GenerationOptions,
  type GenerationRequest,
} from '@emac/backbone';
import { EmacError, type Answer, type Question, type Random, type Sampling } from '@emac/core';
import type { Engine } from './engine.ts';
import { readPrompt, type ReadPrompt } from './read-prompt.ts';
import { alike } from './row-runs.ts';
import { visualTokensOf } from './token-rows.ts';
import type { VisualTokens } from './visual-tokens.ts';

/** One answer to each question. Errors: as `Policy.decide`'s; `usage` where none of the allowed answers fits the lengths. */
export async function decide(
  engine: Engine,
  visual: VisualTokens,
  { questions, sampling }: Decision,
): Promise<Answer[]> {
  checkGenerators(questions, sampling);
  const asked = questions.map((question) => ({ question, ...readPrompt(question.prompt, engine) }));
  const requests = asked.map((each) => requestOf(engine, visual, each));
  const answers: Answer[] = [];
  // a batch has equally many visual tokens
  for (const places of alike(asked, ({ pictures }) => String(visualTokensOf(pictures)))) {
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
  readonly prompt: GenerationRequest['prompt'];
  readonly rules: Pick<GenerationOptions, 'endTokens' | 'minNewTokens' | 'maxNewTokens' | 'allowed'>;
  readonly random: Random | null;
}

function requestOf(
  { tokens, generation }: Engine,
  visual: VisualTokens,
  { question, images, pictures, text }: ReadPrompt & { readonly question: Question },
): Request {
  const turn = tokens.turn(text, pictures.length);
  const room = tokens.room(turn, pictures);
  const { allowed, random } = question;
  return {
    prompt: {
      visual: visual.of([images]).data,
      tokens: turn.tokens,
      layout: tokens.layout(turn, pictures),
    },
    rules: {
      endTokens: [tokens.endToken],
      minNewTokens: generation.minLength,
      maxNewTokens: Math.min(generation.maxLength, room),
      allowed: allowed && tokenTrie(tokens.row({ pictures, text, answers: allowed }).responses),
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
