/** Tools in requests and replies of OpenAI's chat completions: what may be called, what was called, and what an answer calls. */
import { repeated } from '@emac/core';
import type { AskedMessage, AskedTool, Fact, ToolCall } from '@emac/core';
import { readCalls } from '@emac/postprocess';
import { z } from 'zod';
import { wrongField } from './refused-request.ts';
import type { Said } from './said.ts';

const record = z.record(z.string(), z.unknown());

const tool = z.object({
  type: z.literal('function', { error: 'must be function; there are no other tools' }),
  function: z.object({
    name: z.string().regex(/^[\w.-]{1,64}$/, 'must have 1 to 64 letters, digits, _, . or -'),
    description: z.string().nullish(),
    parameters: record.nullish(),
    strict: z.boolean().nullish(),
  }),
});

const named = z.object({ type: z.literal('function'), function: z.object({ name: z.string() }) });

export const toolFields = {
  tools: z.array(tool).max(128).nullish(),
  tool_choice: z
    .union([z.literal(['none', 'auto', 'required']), named], {
      error: 'must be none, auto, required, or {"type": "function", "function": {"name": …}}',
    })
    .nullish(),
  parallel_tool_calls: z.boolean().nullish(),
};

/** In an assistant's message. */
export const calledTools = z
  .array(
    z.object({
      id: z.string(),
      type: z.literal('function', { error: 'must be function' }).default('function'),
      function: z.object({ name: z.string(), arguments: z.string() }),
    }),
  )
  .max(128)
  .nullish();

type Fields = z.infer<z.ZodObject<typeof toolFields>>;

export interface GivenTools {
  /** empty: an answer calls nothing */
  readonly asked: readonly AskedTool[];
  /** an answer must call one of these; null: it may be a text */
  readonly forced: readonly AskedTool[] | null;
  /** names of tools whose calls must fit their schema */
  readonly strict: ReadonlySet<string>;
  /** an answer calls one at most */
  readonly isOne: boolean;
}

/** Throws a `RefusedRequest` that names the field. */
export function givenTools({ tools, tool_choice: choice, parallel_tool_calls: several }: Fields): GivenTools {
  const asked = (tools ?? []).map(({ function: given }): AskedTool => {
    const { name, description, parameters } = given;
    return {
      type: 'function',
      function: {
        name,
        description: description ?? '',
        parameters: (parameters ?? { type: 'object', properties: {} }) as AskedTool['function']['parameters'],
      },
    };
  });
  const names = asked.map(({ function: { name } }) => name);
  const twice = repeated(names);
  if (twice !== undefined) throw wrongField('tools', `tools: names must differ, ${twice} is there twice`);
  const forced = forcedTools(asked, choice);
  const strict = new Set((tools ?? []).flatMap(({ function: given }) => (given.strict ? [given.name] : [])));
  return { asked: choice === 'none' ? [] : asked, forced, strict, isOne: several === false };
}

/** The tools of which an answer must call one; null: it may be a text. Throws a `RefusedRequest` where there are none. */
function forcedTools(
  asked: readonly AskedTool[],
  choice: Fields['tool_choice'],
): readonly AskedTool[] | null {
  if (choice !== 'required' && typeof choice !== 'object') return null;
  const wanted = choice === 'required' ? null : (choice?.function.name ?? null);
  if (choice === null) return null;
  const found = asked.filter(({ function: { name } }) => wanted === null || name === wanted);
  if (found.length > 0) return found;
  throw wrongField(
    'tool_choice',
    `tool_choice: must be met by one of tools, got ${wanted === null ? 'none' : `${wanted}, which is not among them`}`,
  );
}

export interface GivenMessage {
  readonly role: string;
  readonly content: string;
  readonly tool_calls?: z.infer<typeof calledTools>;
  readonly tool_call_id?: string;
}

/** Messages as a chat template reads them: arguments as objects, and the tool's name beside what it says. */
export function messagesWithCalls(messages: readonly GivenMessage[]): AskedMessage[] {
  const names = new Map<string, string>();
  return messages.map(({ role, content, tool_calls: calls, tool_call_id: id }): AskedMessage => {
    if (id !== undefined) return { role, tool_call_id: id, name: names.get(id) ?? 'tool', content };
    if (!calls || calls.length === 0) return { role, content };
    for (const each of calls) names.set(each.id, each.function.name);
    const read = calls.map(({ function: given, ...call }) => ({
      ...call,
      function: { name: given.name, arguments: objectIn(given.arguments) ?? given.arguments },
    }));
    return { role, content, tool_calls: read };
  });
}

function objectIn(text: string): { readonly [name: string]: Fact } | null {
  try {
    const found = JSON.parse(text) as Fact;
    return typeof found === 'object' && found !== null && !Array.isArray(found)
      ? (found as { readonly [name: string]: Fact })
      : null;
  } catch {
    return null;
  }
}

/** An answer with its calls, which take the place of a text. */
export interface SaidWithCalls {
  readonly said: Said;
  readonly calls: readonly ToolCall[];
  /** null where calls stand alone */
  readonly content: string | null;
}

/** A call of an unknown tool, of broken JSON, or beside the schema of a strict tool stays text. */
export function calledIn(said: Said, { asked, strict, isOne }: GivenTools): SaidWithCalls {
  const schemas = new Map(asked.map(({ function: { name, parameters } }) => [name, parameters]));
  const isRight = ({ name, arguments: values }: ToolCall): boolean =>
    schemas.has(name) && (!strict.has(name) || fits(values, schemas.get(name)!));
  const read = asked.length > 0 ? readCalls(said.text, isRight) : null;
  if (!read) return { said, calls: [], content: said.text };
  return {
    said,
    calls: isOne ? read.calls.slice(0, 1) : read.calls,
    content: read.words === '' ? null : read.words,
  };
}

/** Every value fits a schema that cannot be read. */
function fits(values: ToolCall['arguments'], parameters: AskedTool['function']['parameters']): boolean {
  try {
    return z.fromJSONSchema(parameters as Parameters<typeof z.fromJSONSchema>[0]).safeParse(values).success;
  } catch {
    return true;
  }
}

/** The id of a call: nine letters and digits, as Mistral's templates want them; equal in equal runs. */
export function callId(reply: number, place: number): string {
  return `call${reply.toString(36).padStart(4, '0')}${place.toString(36)}`;
}
