/**
 * How the student answers: beam search with sums of log-probabilities (length penalty 0, as in EMMA's published agent),
 * or sampling. Departure: if a prompt leaves less room than the longest answer, answers are limited to that room.
 */
import {
  tokenTrie,
  type Backbone,
  type DrawnText,
  type GeneratedText,
  type GenerationOptions,
  type GenerationRequest,
  type TextTokenizer,
} from '@emac/backbone';
import { EmacError, type Answer, type Question, type Random, type Sampling } from '@emac/core';
import { trieOf } from './answer-form.ts';
import type { Engine } from './engine.ts';
import type { PolicyParameters } from './rows/policy-parameters.ts';
import { readPrompt, type ReadPrompt } from './read-prompt.ts';
import { alike } from './rows/row-runs.ts';
import { visualTokensOf } from './rows/token-rows.ts';

/** One answer per question. Errors: as `Policy.decide`'s; `usage` if no allowed answer fits the lengths. */
export async function decide(
  engine: Engine,
  parameters: PolicyParameters,
  { questions, sampling }: Decision,
): Promise<Answer[]> {
  checkGenerators(questions, sampling);
  checkStops(questions);
  const asked = questions.map((question) => ({ question, ...readPrompt(question.prompt, engine) }));
  const answers: Answer[] = [];
  // all prompts of a batch have equally many visual tokens
  for (const places of alike(asked, ({ pictures }) => String(visualTokensOf(pictures)))) {
    const batch = places.map((place) => asked[place]!);
    // samples share one reading of the prompt; a search would only find the same answer again
    const groups = alike(batch, samePrompt);
    const requests = groups.map((group) =>
      requestOf(
        engine,
        parameters,
        group.map((place) => batch[place]!),
      ),
    );
    const texts = await generated(engine.backbone, requests, sampling);
    groups.forEach((group, request) =>
      group.forEach((place, index) => {
        const { question } = batch[place]!;
        const found = texts[request]!;
        answers[places[place]!] = answerOf(engine, question, found[index] ?? found[0]!);
      }),
    );
  }
  return answers;
}

type Asked = ReadPrompt & { readonly question: Question };

/** Equal for questions with the same prompt and restrictions, which share one reading. */
function samePrompt({ question: { allowed, form, stop, maxTokens }, images, text }: Asked): string {
  return JSON.stringify([images.map(({ key }) => key), text, allowed, form, stop ?? [], maxTokens]);
}

/** The text ends before the first stop text; the tokens stay complete. */
function answerOf({ backbone }: Engine, { stop = [] }: Question, found: GeneratedText | DrawnText): Answer {
  const whole = backbone.tokenizer().decode([...found.tokens]);
  const ends = stop.map((each) => whole.indexOf(each)).filter((place) => place >= 0);
  return { text: whole.slice(0, Math.min(whole.length, ...ends)), ...found };
}

export interface Decision {
  readonly questions: readonly Question[];
  readonly sampling: Sampling;
}

interface Request {
  readonly prompt: GenerationRequest['prompt'];
  readonly rules: Pick<
    GenerationOptions,
    'endTokens' | 'biases' | 'minNewTokens' | 'maxNewTokens' | 'allowed' | 'hasStopped'
  >;
  /** one for each question with this prompt */
  readonly randoms: readonly (Random | null)[];
}

/** The generation request of questions with the same prompt. */
function requestOf(engine: Engine, { visual, adapter }: PolicyParameters, asked: readonly Asked[]): Request {
  const { tokens, generation, backbone } = engine;
  const { question, images, pictures, text } = asked[0]!;
  const { endTokens, biases } = backbone.generationConfig;
  const turn = tokens.turn(text, pictures.length);
  const room = tokens.room(turn, pictures);
  const { allowed, form, stop = [], maxTokens = Infinity } = question;
  const ends = [...new Set([tokens.endToken, ...endTokens])];
  const maxNewTokens = Math.min(generation.maxLength, room, maxTokens);
  return {
    prompt: {
      ...(visual && { visual: visual.of([images]).data, deep: visual.deep([images]) }),
      tokens: turn.tokens,
      layout: tokens.layout(turn, pictures),
      adapter: adapter(),
    },
    rules: {
      endTokens: ends,
      biases,
      minNewTokens: Math.min(generation.minLength, maxTokens),
      maxNewTokens,
      allowed: form ? trieOf(engine, form, ends) : allowed && tokenTrie(tokens.listed(text, allowed)),
      hasStopped: stopsAt(stop, backbone.tokenizer()),
    },
    randoms: asked.map((each) => each.question.random),
  };
}

function stopsAt(
  stop: readonly string[],
  tokenizer: Pick<TextTokenizer, 'decode'>,
): ((tokens: readonly number[]) => boolean) | null {
  if (stop.length === 0) return null;
  return (tokens) => {
    const text = tokenizer.decode([...tokens]);
    return stop.some((each) => text.includes(each));
  };
}

/** The texts generated after each prompt: one by a search, else one per generator. */
async function generated(
  backbone: Backbone,
  requests: readonly Request[],
  sampling: Sampling,
): Promise<(readonly GeneratedText[])[]> {
  if (sampling.kind === 'search') {
    const search = { beams: sampling.beams, lengthPenalty: 0 };
    const found = await backbone.generateBatch(
      requests.map(({ prompt, rules }) => ({ prompt, options: { ...rules, ...search } })),
    );
    return found.map((text) => [text]);
  }
  const { temperature, topP, topK = null, over = 'all' } = sampling;
  return backbone.sampleBatch(
    requests.map(({ prompt, rules, randoms }) => {
      return {
        prompt,
        options: { ...rules, temperature, topP, topK, over, randoms: randoms.map((each) => each!) },
      };
    }),
  );
}

/** Each sample must depend only on its own generator. */
function checkGenerators(questions: readonly Question[], { kind }: Sampling): void {
  if (kind === 'search') return;
  const generators = new Set(questions.flatMap(({ random }) => random ?? []));
  if (generators.size !== questions.length)
    throw new EmacError(
      'usage',
      `student: each of ${questions.length} sampled answers needs its own generator, got ${generators.size}; give every question a stream, such as random.stream(name)`,
    );
}

/** Every text contains the empty one, so an empty stop text would allow no answer. */
function checkStops(questions: readonly Question[]): void {
  if (questions.some(({ stop = [] }) => stop.includes('')))
    throw new EmacError(
      'usage',
      'student: a text that ends an answer must not be empty, got ""; leave it out',
    );
}
