/**
 * Requests to a vLLM-like server and its answers: OpenAI's chat completions with vLLM's own fields. Every sampling
 * field is sent, since such a server fills missing ones from its model's `generation_config.json`.
 */
import { z } from 'zod';

export interface InferenceQuestion {
  /** PNG files, in the order the model sees them, before the text */
  readonly pictures: readonly Uint8Array[];
  readonly text: string;
  /** texts of user and assistant alternately that come before it; absent: none */
  readonly earlier?: readonly string[];
  /** above 0 */
  readonly temperature: number;
  /** shortest answer, without the end token, and longest, with it */
  readonly minTokens: number;
  readonly maxTokens: number;
  /** ends an answer */
  readonly endToken: number;
  readonly seed: number;
}

export interface InferenceAnswer {
  readonly text: string;
  /** ids, with the end token; null from a server that returns texts instead */
  readonly tokens: readonly number[] | null;
  /** of each token, in nats, as reported by the server */
  readonly logProbabilities: readonly number[];
  /** false if the answer reached its length limit */
  readonly isEnded: boolean;
}

/** The body of a chat completion request for the adapter `model`. */
export function chatBody(model: string, question: InferenceQuestion): object {
  const { pictures, text, earlier = [], temperature, minTokens, maxTokens, endToken, seed } = question;
  const shown = pictures.map((png) => ({
    type: 'image_url',
    image_url: { url: `data:image/png;base64,${Buffer.from(png).toString('base64')}` },
  }));
  return {
    model,
    messages: [
      ...earlier.map((said, place) => ({ role: place % 2 === 0 ? 'user' : 'assistant', content: said })),
      { role: 'user', content: [...shown, { type: 'text', text }] },
    ],
    n: 1,
    seed,
    temperature,
    top_p: 1,
    top_k: -1,
    min_p: 0,
    repetition_penalty: 1,
    presence_penalty: 0,
    frequency_penalty: 0,
    min_tokens: minTokens,
    max_tokens: maxTokens,
    stop_token_ids: [endToken],
    logprobs: true,
    top_logprobs: 0,
    return_tokens_as_token_ids: true,
    // as in prompts here: templates that think by themselves (Qwen3) are told not to
    chat_template_kwargs: { enable_thinking: false },
  };
}

export const completionSchema = z.object({
  model: z.string(),
  choices: z
    .array(
      z.object({
        message: z.object({ content: z.string().nullable() }),
        logprobs: z.object({
          content: z.array(z.object({ token: z.string(), logprob: z.number() })).min(1),
        }),
        finish_reason: z.enum(['stop', 'length']),
      }),
    )
    .length(1),
});

export const modelsSchema = z.object({ data: z.array(z.object({ id: z.string() })) });

/** The answer in a completion. */
export function answerIn({ choices }: z.infer<typeof completionSchema>): InferenceAnswer {
  const { message, logprobs, finish_reason: end } = choices[0]!;
  const ids = logprobs.content.map(({ token }) => /^token_id:(\d+)$/.exec(token)?.[1]);
  return {
    text: message.content ?? '',
    tokens: ids.every((id) => id !== undefined) ? ids.map(Number) : null,
    logProbabilities: logprobs.content.map(({ logprob }) => logprob),
    isEnded: end === 'stop',
  };
}
