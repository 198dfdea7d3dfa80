/** The expert's configuration, and a language model's requests, limits and prices. */
import { given } from '@emac/algorithms';
import { z } from 'zod';

const whole = (most: number) => z.number().int().min(1).max(most).nullable().default(null);
const above0 = z.number().positive().nullable().default(null);
const from0 = z.number().min(0).nullable().default(null);
const text = z.string().min(1).nullable().default(null);

export const languageModelSchema = z.strictObject({
  baseUrl: text
    .describe(
      'openai: address up to /v1; without it OPENAI_BASE_URL, else OpenAI; the key is in OPENAI_API_KEY or in the file OPENAI_API_KEY_FILE',
    )
    .meta(given('expert-base-url')),
  model: text.describe('openai: name of the language model').meta(given('expert-model')),
  api: z
    .enum(['chat', 'responses', 'completions'])
    .default('chat')
    .describe('openai: which API to use')
    .meta(given('expert-api')),
  context: z
    .number()
    .int()
    .min(1024)
    .max(100_000_000)
    .default(16_384)
    .describe(
      'openai: tokens that prompt and answer may have together; the oldest turns are left out above that',
    )
    .meta(given('expert-context')),
  answerTokens: z
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .default(1024)
    .describe('openai: longest answer, in tokens; models that reason need room for it')
    .meta(given('expert-answer-tokens')),
  admissible: z
    .boolean()
    .default(false)
    .describe('openai: the expert reads the commands that the world accepts and chooses among them')
    .meta(given('expert-admissible')),
  repairActions: z
    .boolean()
    .default(false)
    .describe(
      'openai: a command that the world would not accept becomes the nearest that it does, up to 3 letters away',
    )
    .meta(given('repair-actions')),
  replay: text
    .describe(
      'openai: the llm.jsonl of an earlier run, whose replies are used again; needs no key and no network',
    )
    .meta(given('expert-replay')),
  prompts: text
    .describe("openai: few-shot episodes, a file in the form of ReAct's alfworld_3prompts.json")
    .meta(given('expert-prompts', { otherwise: 'ours' })),
  reflectionExamples: text
    .describe(
      "openai: failed episodes with new plans, a file in the form of Reflexion's reflexion_few_shot_examples.txt",
    )
    .meta(given('reflection-examples', { otherwise: 'ours' })),
  examples: z
    .number()
    .int()
    .min(0)
    .max(100)
    .nullable()
    .default(null)
    .describe(
      'openai: few-shot episodes that a prompt shows, 0 to what there is: 2 of ours, or those of --expert-prompts',
    )
    .meta(given('expert-examples', { otherwise: '2' })),
  reflectionModel: text
    .describe('openai: name of the language model that reflects on failures')
    .meta(given('reflection-model', { otherwise: 'the --expert-model' })),
  maxTokensTotal: whole(999_999_999_999)
    .describe('openai: budget of prompt and answer tokens for the whole run; may be raised with --resume')
    .meta(given('expert-max-tokens-total')),
  budget: above0
    .describe(
      'openai: budget in US dollars for the whole run, by --expert-price-in and -out; may be raised with --resume',
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
  concurrency: z
    .number()
    .int()
    .min(1)
    .max(1000)
    .default(8)
    .describe('openai: calls in flight, at most')
    .meta(given('expert-concurrency')),
  requestsPerMinute: whole(1_000_000)
    .describe('openai: requests in any minute, at most')
    .meta(given('expert-requests-per-minute')),
  tokensPerMinute: whole(999_999_999_999)
    .describe('openai: tokens that the requests of any minute may take, at most')
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
    .enum(['handcoded', 'planner', 'openai', 'module'])
    .default('handcoded')
    .describe('who teaches; planner knows the whole world and takes a shortest way; a file: your own')
    .meta(given('expert')),
  module: text.describe(
    'the file of one’s own expert; it is run only where --expert names it on the command line',
  ),
  noise: z
    .number()
    .min(0)
    .max(1)
    .default(0)
    .describe(
      'handcoded and planner: probability of another command that the world accepts in place of the right one',
    )
    .meta(given('expert-noise')),
  thoughts: z
    .boolean()
    .default(false)
    .describe(
      'the expert also says what it thinks, as `think:` labels to be learned; a thought of the policy costs a step and is answered OK.',
    )
    .meta(given('imitate-thoughts')),
  languageModel: languageModelSchema.prefault({}),
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
