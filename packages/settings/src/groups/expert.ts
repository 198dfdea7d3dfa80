/** The expert's configuration, and a language model's requests, limits and prices. */
import { given, share, textOrNull, whole } from '@emac/algorithms';
import { z } from 'zod';

const wholeOrNull = (most: number) => whole(1, most).nullable().default(null);
const above0 = z.number().positive().nullable().default(null);
const from0 = z.number().min(0).nullable().default(null);

export const languageModelSchema = z.strictObject({
  baseUrl: textOrNull
    .describe(
      'openai: base URL up to /v1. Default OPENAI_BASE_URL, else OpenAI; the key comes from OPENAI_API_KEY or the file in OPENAI_API_KEY_FILE',
    )
    .meta(given('expert-base-url')),
  model: textOrNull.describe('openai: name of the language model').meta(given('expert-model')),
  api: z
    .enum(['chat', 'responses', 'completions'])
    .default('chat')
    .describe('openai: which API to use')
    .meta(given('expert-api')),
  context: whole(1024, 100_000_000)
    .default(16_384)
    .describe('openai: context length for prompt and answer in tokens; the oldest turns are dropped')
    .meta(given('expert-context')),
  answerTokens: whole(1, 1_000_000)
    .default(1024)
    .describe('openai: longest answer in tokens; reasoning models need more')
    .meta(given('expert-answer-tokens')),
  admissible: z
    .boolean()
    .default(false)
    .describe('openai: show the expert the admissible commands and let it choose')
    .meta(given('expert-admissible')),
  repairActions: z
    .boolean()
    .default(false)
    .describe('openai: replace an inadmissible command by the nearest admissible one, up to 3 letters away')
    .meta(given('repair-actions')),
  replay: textOrNull
    .describe('openai: reuse the replies in llm.jsonl of an earlier run; needs no key and no network')
    .meta(given('expert-replay', { path: 'existing' })),
  prompts: textOrNull
    .describe("openai: file of few-shot episodes, in the format of ReAct's alfworld_3prompts.json")
    .meta(given('expert-prompts', { path: 'existing', otherwise: 'ours' })),
  reflectionExamples: textOrNull
    .describe(
      "openai: file of example reflections, in the format of Reflexion's reflexion_few_shot_examples.txt",
    )
    .meta(given('reflection-examples', { path: 'existing', otherwise: 'ours' })),
  examples: whole(0, 100)
    .nullable()
    .default(null)
    .describe('openai: number of few-shot episodes in a prompt, from the 2 built-in ones or --expert-prompts')
    .meta(given('expert-examples', { otherwise: '2' })),
  reflectionModel: textOrNull
    .describe('openai: language model for reflections on failures')
    .meta(given('reflection-model', { otherwise: 'the --expert-model' })),
  maxTokensTotal: wholeOrNull(999_999_999_999)
    .describe('openai: token budget of the whole run, prompts and answers; --resume may raise it')
    .meta(given('expert-max-tokens-total')),
  budget: above0
    .describe(
      'openai: budget of the whole run in US dollars, at --expert-price-in and -out; --resume may raise it',
    )
    .meta(given('expert-budget')),
  priceIn: from0.describe('openai: US dollars for a million prompt tokens').meta(given('expert-price-in')),
  priceOut: from0.describe('openai: US dollars for a million answer tokens').meta(given('expert-price-out')),
  deadline: z
    .number()
    .positive()
    .default(180)
    .describe('openai: seconds for a call, its retries and waits included')
    .meta(given('expert-deadline')),
  concurrency: whole(1, 1000)
    .default(8)
    .describe('openai: most calls in flight')
    .meta(given('expert-concurrency')),
  requestsPerMinute: wholeOrNull(1_000_000)
    .describe('openai: most requests in any minute')
    .meta(given('expert-requests-per-minute')),
  tokensPerMinute: wholeOrNull(999_999_999_999)
    .describe('openai: most tokens in any minute')
    .meta(given('expert-tokens-per-minute')),
});

/** Settings of requests to any service. */
const service = {
  baseUrl: true,
  model: true,
  api: true,
  answerTokens: true,
  replay: true,
  maxTokensTotal: true,
  budget: true,
  priceIn: true,
  priceOut: true,
  deadline: true,
  concurrency: true,
  requestsPerMinute: true,
  tokensPerMinute: true,
} as const;

/** Those of a language model's settings that an environment stepped by number has a use for. */
export const serviceSchema = languageModelSchema.pick(service);

export const expertSchema = z.strictObject({
  kind: z
    .enum(['handcoded', 'planner', 'openai', 'human', 'module'])
    .default('handcoded')
    .describe(
      'expert; planner sees the whole world and takes a shortest plan; human: you, on the terminal or with --page; a file is your own',
    )
    .meta(given('expert', { only: { planner: 'alfworld', openai: 'alfworld' } })),
  module: textOrNull
    .describe('file of a custom expert; only --expert on the command line runs it')
    .meta({ path: 'existing' }),
  noise: share
    .default(0)
    .describe('handcoded and planner: probability of a random admissible command instead of the right one')
    .meta(given('expert-noise', { when: 'scripted' })),
  thoughts: z
    .boolean()
    .default(false)
    .describe(
      'also label and train thoughts (`think:`); a thought of the policy costs a step and is answered OK.',
    )
    .meta(given('imitate-thoughts', { when: 'model' })),
  languageModel: languageModelSchema.prefault({}).meta({ when: 'openai' }),
});

export type LanguageModelConfig = z.infer<typeof languageModelSchema>;
export type ServiceConfig = z.infer<typeof serviceSchema>;
export type ExpertConfig = z.infer<typeof expertSchema>;

/** Settings that may change on resume, as they affect neither requests nor answers. */
export const changeableOfLanguageModel = [
  'maxTokensTotal',
  'budget',
  'priceIn',
  'priceOut',
  'deadline',
  'concurrency',
  'requestsPerMinute',
  'tokensPerMinute',
] as const satisfies readonly (keyof LanguageModelConfig)[];
