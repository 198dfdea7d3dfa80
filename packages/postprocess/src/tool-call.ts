/**
 * A call of a tool in a model's answer, in the form of any family: Qwen's and Hermes' `<tool_call>{…}</tool_call>`, Mistral's
 * `[TOOL_CALLS] [{…}]` and `[TOOL_CALLS]name[ARGS]{…}`, Llama 3's `{"name", "parameters"}` with or without `<|python_tag|>`, or JSON
 * alone. Special tokens are missing where the tokenizer decodes without them. Words around a call say nothing to the tool.
 */
import type { Fact, ToolCall } from '@emac/core';
import { answerParts } from './answer-part.ts';

/** The one call, or what is wrong with the answer. */
export type ReadCall = { readonly call: ToolCall } | { readonly fault: string };

/** Never throws. */
export function readCall(text: string): ReadCall {
  const { answer } = answerParts(text);
  const named = mistralNamed.exec(answer);
  const found = named
    ? [{ name: named[1], arguments: parsed(named[2]!) }]
    : written(answer).map(parsed).flat();
  if (found.length > 1) return { fault: 'calls several tools; call one' };
  const [only] = found;
  if (only === undefined) return { fault: 'calls no tool' };
  if (only === broken) return { fault: 'its call is no JSON' };
  return callOf(only);
}

const mistralNamed = /\[TOOL_CALLS\]\s*([^[\]{}\s]+)\s*\[ARGS\]\s*(\{[\s\S]*)$/;

/** The texts that should be JSON. */
function written(answer: string): string[] {
  const tagged = [...answer.matchAll(/<tool_call>([\s\S]*?)(?:<\/tool_call>|(?=<tool_call>)|$)/g)];
  if (tagged.length > 0) return tagged.map(([, body]) => body!);
  const fenced = /```(?:json)?\s*([\s\S]*?)```/i.exec(answer)?.[1] ?? answer;
  const start = fenced.search(/[[{]\s*["{]/);
  const end = Math.max(fenced.lastIndexOf('}'), fenced.lastIndexOf(']')) + 1;
  return start < 0 ? [] : [fenced.slice(start, Math.max(start + 1, end))];
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
