/** A call of a tool as an action: one text of JSON, the names in arguments sorted, so that equal calls are equal bytes. */
import type { Fact } from './fact.ts';

export interface ToolCall {
  readonly name: string;
  readonly arguments: { readonly [name: string]: Fact };
}

/** A tool as OpenAI's API names it, and chat templates read it. */
export interface AskedTool {
  readonly type: 'function';
  readonly function: {
    readonly name: string;
    readonly description: string;
    /** a JSON schema of the arguments */
    readonly parameters: { readonly [name: string]: Fact };
  };
}

/** `{"name":…,"arguments":{…}}` */
export function callText({ name, arguments: given }: ToolCall): string {
  return JSON.stringify({ name, arguments: sorted(given) });
}

function sorted(given: Fact): Fact {
  if (Array.isArray(given)) return given.map(sorted);
  if (typeof given !== 'object' || given === null) return given;
  // pairs, as a name may be __proto__
  const entries = Object.entries(given).map(([name, value]) => [name, sorted(value)] as const);
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** The call of such a text; null for any other text. */
export function readCallText(text: string): ToolCall | null {
  if (!text.startsWith('{"name":')) return null;
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    return null;
  }
  const { name, arguments: given } = found as Partial<ToolCall>;
  if (typeof name !== 'string' || typeof given !== 'object' || given === null) return null;
  const call = { name, arguments: given };
  return callText(call) === text ? call : null;
}
