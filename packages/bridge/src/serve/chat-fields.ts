/** What requests of OpenAI's chat completions have in common, wherever they arrive. */
import { z } from 'zod';
import { responseFormat } from './answer-form.ts';
import { calledTools, toolFields } from './chat-tools.ts';
import { wrongField } from './refused-request.ts';

export const never = (what: string) => ({ error: `${what}; leave it out` });
export const nothing = (what: string) => z.array(z.unknown()).max(0, never(what)).nullish();
export const ignored = z.unknown().optional();

export const textPart = z.object({ type: z.literal('text'), text: z.string() });

export const contentPart = z.discriminatedUnion(
  'type',
  [textPart, z.object({ type: z.literal('image_url'), image_url: z.object({ url: z.string() }) })],
  { error: 'must be of type text or image_url' },
);

type Content = string | readonly z.infer<typeof contentPart>[] | null;

export function partTexts(content: Content): string {
  if (typeof content === 'string' || content === null) return content ?? '';
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

/** Data URLs, or others, which are refused later. */
export function pictureUrls(content: Content): string[] {
  if (typeof content === 'string' || content === null) return [];
  return content.flatMap((part) => (part.type === 'image_url' ? [part.image_url.url] : []));
}

interface MessageWords<Part extends z.ZodType> {
  readonly part: Part;
  /** for a content of another form */
  readonly wrongContent: string;
  /** who answers, such as `the agent` */
  readonly who: string;
}

/** Messages of all roles; `assistant` with the fields of a reply that clients send back. */
export function chatMessages<Part extends z.ZodType>({ part, wrongContent, who }: MessageWords<Part>) {
  const content = z.union([z.string(), z.array(part).max(100)], { error: wrongContent });
  const name = z.string().nullish();
  const message = z.discriminatedUnion(
    'role',
    [
      z.strictObject({ role: z.literal(['system', 'developer', 'user']), content, name }),
      z.strictObject({
        role: z.literal('assistant'),
        content: content.nullish().transform((given) => given ?? null),
        name,
        refusal: ignored,
        annotations: ignored,
        reasoning_content: ignored,
        audio: z.null(never('sound is not supported')).optional(),
        function_call: z.null(never(`${who} calls no functions`)).optional(),
        tool_calls: calledTools,
      }),
      z.strictObject({
        role: z.literal('tool'),
        content: z.union([z.string(), z.array(textPart).max(100)], {
          error: 'must be a text or a list of parts of type text',
        }),
        tool_call_id: z.string(),
        name,
      }),
    ],
    { error: 'must be system, developer, user, assistant or tool' },
  );
  return z.array(message).min(1).max(2001);
}

/** The other fields; those that would change the answer are refused. */
export const chatFields = {
  model: z.string(),
  max_tokens: z.number().int().min(1).nullish(),
  max_completion_tokens: z.number().int().min(1).nullish(),
  stop: z.union([z.string(), z.array(z.string()).max(4)]).nullish(),
  logprobs: z.boolean().nullish(),
  top_logprobs: z.literal(0, never('only the probabilities of the chosen tokens are known')).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
  n: z.number().int().min(1).max(64).nullish(),
  response_format: responseFormat,
  modalities: z.tuple([z.literal('text')], never('answers are text')).nullish(),
  ...toolFields,
  functions: nothing('functions are the older form of tools'),
  function_call: z.literal(['none', 'auto'], never('functions are the older form of tools')).nullish(),
  reasoning_effort: ignored,
  user: ignored,
  metadata: ignored,
  store: ignored,
  service_tier: ignored,
  safety_identifier: ignored,
  prompt_cache_key: ignored,
};

type Fields = z.infer<z.ZodObject<typeof chatFields>>;

/** How an answer is wanted. Throws a `RefusedRequest` for options of a stream without one. */
export function wantedAnswer({ model, stop, logprobs, stream, stream_options: options, ...body }: Fields) {
  if (options && !stream) throw wrongField('stream_options', 'stream_options: belongs to stream');
  return {
    model,
    maxTokens: body.max_completion_tokens ?? body.max_tokens ?? null,
    stop: [stop ?? []].flat().filter((text) => text !== ''),
    wantsLogProbabilities: logprobs ?? false,
    stream: stream ? { includesUsage: options?.include_usage ?? false } : null,
  };
}

/** OpenAI's newer name of a role. */
export function roleOf<Role extends string>(role: Role): Exclude<Role, 'developer'> | 'system' {
  return role === 'developer' ? 'system' : (role as Exclude<Role, 'developer'>);
}
