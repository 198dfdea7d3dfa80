/**
 * A call of a tool in a model's answer, in the form of any family: Qwen's and Hermes' `<tool_call>{…}</tool_call>`, Mistral's
 * `[TOOL_CALLS] [{…}]` and `[TOOL_CALLS]name[ARGS]{…}`, Llama 3's `{"name", "parameters"}` with or without `<|python_tag|>`, or JSON
 * alone. Special tokens are missing where the tokenizer decodes without them. Words around a call say nothing to the tool.
 */
import type { Fact, ToolCall } from '@emac/core';
import { answerParts } from './answer-part.ts';

/** The one call, or what is wrong with the answer. */
export type ReadCall = { readonly call: ToolCall } | { readonly fault: string };

/** The fault of an answer in words alone. */
export const callsNoTool = 'calls no tool';

/** Never throws. */
export function readCall(text: string): ReadCall {
  const { answer } = answerParts(text);
  const found = written(answer).bodies.map(valueOf).flat();
  if (found.length > 1) return { fault: 'calls several tools; call one' };
  const [only] = found;
  if (only === undefined) return { fault: callsNoTool };
  if (only === broken) return { fault: 'its call is no JSON' };
  return callOf(only);
}

/** All calls of an answer, and the words around them. */
export interface ReadCalls {
  readonly calls: readonly ToolCall[];
  readonly words: string;
}

/** The calls of an answer that may call several tools; null where any of them is wrong by `isRight`, or there is none. Never throws. */
export function readCalls(text: string, isRight: (call: ToolCall) => boolean): ReadCalls | null {
  const { answer } = answerParts(text);
  const { bodies, words } = written(answer);
  const read = bodies.map(valueOf).flat().map(callOf);
  const calls = read.flatMap((each) => ('call' in each && isRight(each.call) ? [each.call] : []));
  return calls.length > 0 && calls.length === read.length ? { calls, words: words.trim() } : null;
}

const mistralNamed = /\[TOOL_CALLS\]\s*([^[\]{}\s]+)\s*\[ARGS\]\s*(\{[\s\S]*?\})\s*(?=\[TOOL_CALLS\]|$)/g;
const tagged = /<tool_call>([\s\S]*?)(?:<\/tool_call>|(?=<tool_call>)|$)/g;

/** A text that should be JSON; a newer Mistral's stands behind the tool's name. */
interface Body {
  readonly text: string;
  readonly name?: string;
}

/** The texts that should be calls, and what stands around them. */
function written(answer: string): { readonly bodies: readonly Body[]; readonly words: string } {
  const named = [...answer.matchAll(mistralNamed)];
  if (named.length > 0)
    return {
      bodies: named.map(([, name, text]) => ({ name: name!, text: text! })),
      words: answer.replace(mistralNamed, ''),
    };
  const tags = [...answer.matchAll(tagged)];
  if (tags.length > 0)
    return { bodies: tags.map(([, text]) => ({ text: text! })), words: answer.replace(tagged, '') };
  const fence = /```(?:json)?\s*([\s\S]*?)```/i.exec(answer);
  const inside = fence?.[1] ?? answer;
  const start = inside.search(/[[{]\s*["{]/);
  if (start < 0) return { bodies: [], words: answer };
  const end = Math.max(start + 1, inside.lastIndexOf('}') + 1, inside.lastIndexOf(']') + 1);
  const around = fence ? answer.replace(fence[0], '') : inside.slice(0, start) + inside.slice(end);
  return {
    bodies: [{ text: inside.slice(start, end) }],
    words: around.replace(/\[TOOL_CALLS\]|<\|(?:python_tag|eom_id|eot_id)\|>/g, ''),
  };
}

function valueOf({ name, text }: Body): unknown {
  return name === undefined ? parsed(text) : { name, arguments: parsed(text) };
}

const broken = Symbol('no JSON');

/** The value, or all of a list. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text.trim());
  } catch {
    return broken;
  }
}

function callOf(given: unknown): ReadCall {
  const outer = recordOf(given);
  const inner = recordOf(outer?.['function']) ?? outer;
  const name = inner?.['name'];
  if (typeof name !== 'string') return { fault: 'its call has no name' };
  const own = inner!['arguments'] ?? inner!['parameters'] ?? {};
  // OpenAI's API writes arguments as a text of JSON
  const values = recordOf(typeof own === 'string' ? parsed(own) : own);
  if (values === null) return { fault: `its call of ${name} has no object of arguments` };
  return { call: { name, arguments: values } };
}

function recordOf(given: unknown): { readonly [name: string]: Fact } | null {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return null;
  return given as { readonly [name: string]: Fact };
}
