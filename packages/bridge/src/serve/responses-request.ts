/**
 * The body of `POST /v1/responses`, OpenAI's newer form, as a request for a chat completion: what is asked, and what is refused, is
 * decided there. Nothing is stored between requests, so what refers to an earlier one is refused by its name.
 */
import { z } from 'zod';
import { ignored, never } from './chat-fields.ts';
import { checkedBody, wrongField } from './refused-request.ts';

const stored = (instead: string) => z.null(never(`nothing is stored here; ${instead}`)).optional();

const textPart = z.object({ type: z.literal(['input_text', 'output_text', 'text']), text: z.string() });
const picturePart = z.object({ type: z.literal('input_image'), image_url: z.string() });
const content = z.union([z.string(), z.array(z.discriminatedUnion('type', [textPart, picturePart]))], {
  error: 'must be a text or a list of parts of type input_text, output_text or input_image with image_url',
});

const message = z.object({
  type: z.literal('message').optional(),
  role: z.literal(['user', 'assistant', 'system', 'developer']),
  content,
});
const call = z.object({
  type: z.literal('function_call'),
  call_id: z.string(),
  name: z.string(),
  arguments: z.string(),
});
const output = z.object({
  type: z.literal('function_call_output'),
  call_id: z.string(),
  output: z.union([z.string(), z.array(textPart)], { error: 'must be a text or a list of texts' }),
});
const thoughts = z.object({ type: z.literal('reasoning') });
const item = z.union([message, call, output, thoughts], {
  error: 'must be a message, a function_call, a function_call_output or reasoning',
});

const tool = z.object({
  type: z.literal('function', { error: 'must be function; others run at OpenAI' }),
  name: z.string(),
  description: ignored,
  parameters: ignored,
  strict: z.boolean().nullish(),
});

const format = z
  .discriminatedUnion(
    'type',
    [
      z.object({ type: z.literal('text') }),
      z.object({ type: z.literal('json_object') }),
      z.object({
        type: z.literal('json_schema'),
        name: z.string(),
        description: z.string().nullish(),
        schema: z.record(z.string(), z.unknown()),
        strict: z.boolean().nullish(),
      }),
    ],
    { error: 'must be text, json_object or json_schema' },
  )
  .nullish();

const schema = z.strictObject({
  model: z.string(),
  input: z.union([z.string(), z.array(item).min(1).max(4000)]),
  instructions: z.string().nullish(),
  max_output_tokens: z.number().int().min(1).nullish(),
  temperature: ignored,
  top_p: ignored,
  tools: z.array(tool).nullish(),
  tool_choice: z
    .union(
      [z.literal(['none', 'auto', 'required']), z.object({ type: z.literal('function'), name: z.string() })],
      { error: 'must be none, auto, required, or {"type": "function", "name": …}' },
    )
    .nullish(),
  parallel_tool_calls: ignored,
  stream: z.boolean().nullish(),
  text: z.object({ format }).nullish(),
  top_logprobs: z.literal(0, never('only the probabilities of the chosen tokens are known')).nullish(),
  include: z.array(z.string()).nullish(),
  previous_response_id: stored('send the items of the conversation in input'),
  conversation: stored('send the items of the conversation in input'),
  prompt: stored('send instructions and input'),
  background: z.literal(false, never('answers are not made in the background')).nullish(),
  truncation: z.literal('disabled', never('an input that is too long is refused')).nullish(),
  stream_options: ignored,
  store: ignored,
  reasoning: ignored,
  metadata: ignored,
  user: ignored,
  service_tier: ignored,
  safety_identifier: ignored,
  max_tool_calls: ignored,
  context_management: ignored,
  prompt_cache_key: ignored,
  prompt_cache_retention: ignored,
  prompt_cache_options: ignored,
});

export type ResponsesBody = z.infer<typeof schema>;

/** A checked body. Throws a `RefusedRequest` that names the field. */
export function responsesBody(given: unknown): ResponsesBody {
  // a union names its first member's fault alone, so the form of an item is looked up by its type
  const { input } = (given ?? {}) as { readonly input?: unknown };
  for (const [place, each] of (Array.isArray(input) ? input : []).entries()) {
    const { type = 'message' } = (each ?? {}) as { readonly type?: unknown };
    const form = [message, call, output, thoughts].find(({ shape }) => shape.type.safeParse(type).success);
    if (!form)
      throw wrongField(
        `input.${place}.type`,
        `input.${place}.type: must be message, function_call, function_call_output or reasoning, got ${JSON.stringify(type)}`,
      );
    checkedAt(`input.${place}`, form, each);
  }
  return checkedBody(schema, given);
}

function checkedAt(place: string, form: z.ZodType, value: unknown): void {
  const { error } = form.safeParse(value);
  if (!error) return;
  const { path, message: what } = error.issues[0]!;
  const param = [place, ...path].join('.');
  throw wrongField(param, `${param}: ${what}`);
}

/** The same request as one for a chat completion, not streamed, with the tokens of its answer. */
export function chatBodyOf(body: ResponsesBody): object {
  const { model, instructions, max_output_tokens: limit, temperature, top_p, tools, tool_choice } = body;
  return {
    model,
    messages: [
      ...(instructions ? [{ role: 'system', content: instructions }] : []),
      ...messagesOf(body.input),
    ],
    logprobs: true,
    ...(limit != null && { max_completion_tokens: limit }),
    ...(temperature != null && { temperature }),
    ...(top_p != null && { top_p }),
    ...(tools?.length && { tools: tools.map(toolOf) }),
    ...(tool_choice != null && { tool_choice: choiceOf(tool_choice) }),
    ...(body.text?.format && { response_format: formatOf(body.text.format) }),
    ...(body.parallel_tool_calls != null && { parallel_tool_calls: body.parallel_tool_calls }),
  };
}

function toolOf({ name, description, parameters, strict }: z.infer<typeof tool>) {
  return { type: 'function', function: { name, description, parameters, strict } };
}

/** Names one function in the form of chat completions. */
function choiceOf(choice: NonNullable<ResponsesBody['tool_choice']>): unknown {
  return typeof choice === 'string' ? choice : { type: choice.type, function: { name: choice.name } };
}

function formatOf(given: NonNullable<z.infer<typeof format>>): unknown {
  if (given.type !== 'json_schema') return given;
  const { type, ...wanted } = given;
  return { type, json_schema: wanted };
}

type Item = z.infer<typeof item>;

/** Calls that follow an answer of the assistant belong to it; reasoning is left out. */
function messagesOf(input: ResponsesBody['input']): object[] {
  if (typeof input === 'string') return [{ role: 'user', content: input }];
  const messages: { role: string; content?: unknown; tool_calls?: object[]; tool_call_id?: string }[] = [];
  for (const each of input) {
    if (isOf('reasoning', each)) continue;
    if (isOf('function_call_output', each)) {
      const { call_id, output: result } = each;
      messages.push({ role: 'tool', tool_call_id: call_id, content: chatContent(result) });
    } else if (isOf('function_call', each)) {
      const { call_id: id, name, arguments: given } = each;
      const last = messages.at(-1);
      const called = { id, type: 'function', function: { name, arguments: given } };
      if (last?.role === 'assistant') (last.tool_calls ??= []).push(called);
      else messages.push({ role: 'assistant', content: null, tool_calls: [called] });
    } else messages.push({ role: each.role, content: chatContent(each.content) });
  }
  return messages;
}

function isOf<Type extends string>(type: Type, each: Item): each is Extract<Item, { readonly type: Type }> {
  return each.type === type;
}

function chatContent(given: z.infer<typeof content>): unknown {
  if (typeof given === 'string') return given;
  return given.map((part) =>
    part.type === 'input_image'
      ? { type: 'image_url', image_url: { url: part.image_url } }
      : { type: 'text', text: part.text },
  );
}
