/**
 * Arguments of recorded calls as a chat template writes them. OpenAI's API records them as a text of JSON. A template that quotes texts would
 * write that text as a string inside JSON, which no model ever says: there it becomes an object. Departure: transformers writes the string.
 */
import type { AskedMessage, AskedTool, Fact } from '@emac/core';
import { inWords } from './tool-form.ts';
import type { SpokenMessage } from './written.ts';

/** Whether a message calls a tool. */
export function callsTools({ tool_calls: calls }: SpokenMessage): boolean {
  return Array.isArray(calls) && calls.length > 0;
}

/** Texts of JSON stay where the template writes them as they stand; objects become texts for a template that takes no others. */
export function argumentForm(
  rendered: (messages: readonly SpokenMessage[]) => string,
): (message: SpokenMessage) => SpokenMessage {
  const writes = (values: unknown, text: string): boolean => {
    try {
      return rendered(probe(values)).includes(text);
    } catch {
      return false;
    }
  };
  const takesTexts = writes(probeText, probeText);
  const takesObjects = writes(JSON.parse(probeText), 'a feather');
  const written = (values: unknown): unknown => {
    if (typeof values === 'string') return takesTexts ? values : (objectIn(values) ?? values);
    return takesObjects || !takesTexts ? values : JSON.stringify(values);
  };
  return (message) => {
    if (!callsTools(message)) return message;
    const calls = (message['tool_calls'] as readonly unknown[]).map((call) => withArguments(call, written));
    return { ...message, tool_calls: calls };
  };
}

const probeText = '{"thing": "a feather"}';

const probe = (values: unknown): SpokenMessage[] => [
  { role: 'user', content: 'Weigh it.' },
  {
    role: 'assistant',
    content: '',
    tool_calls: [{ id: 'call00000', type: 'function', function: { name: 'weigh_it', arguments: values } }],
  },
];

/** Some datasets have name and arguments in the call itself. */
function withArguments(call: unknown, written: (values: unknown) => unknown): unknown {
  if (!isRecord(call)) return call;
  const { function: inner } = call;
  if (isRecord(inner)) return { ...call, function: withArguments(inner, written) };
  return 'arguments' in call ? { ...call, arguments: written(call['arguments']) } : call;
}

/**
 * Recorded messages and tools in the words that a policy reads and says where its template has no form for tools; null where a message holds more
 * than texts.
 */
export function recordedInWords(
  messages: readonly SpokenMessage[],
  tools: readonly unknown[] | null,
): readonly SpokenMessage[] | null {
  const texts = messages.map(({ content }) => {
    if (typeof content === 'string') return content;
    const parts = content ?? [];
    return parts.every(({ text }) => text !== undefined) ? parts.map(({ text = '' }) => text).join('') : null;
  });
  if (texts.includes(null)) return null;
  const asked = messages.map(({ role, tool_calls: calls }, place): AskedMessage => ({
    role,
    content: texts[place]!,
    ...(Array.isArray(calls) && { tool_calls: (calls as readonly unknown[]).map(recordedCall) }),
  }));
  const described = (tools ?? []).map(
    (tool) => ({ function: isRecord(tool) ? (tool['function'] ?? tool) : tool }) as AskedTool,
  );
  return inWords({ messages: asked, tools: described }).messages as readonly SpokenMessage[];
}

/** In OpenAI's form, with an object of arguments where they are the text of one. */
function recordedCall(call: unknown): Fact {
  const inner = isRecord(call) ? (call['function'] ?? call) : null;
  const { name = '', arguments: given = {} } = isRecord(inner) ? inner : {};
  const values = typeof given === 'string' ? (objectIn(given) ?? given) : given;
  return { type: 'function', function: { name, arguments: values } } as Fact;
}

function objectIn(text: string): object | null {
  try {
    const found: unknown = JSON.parse(text);
    return isRecord(found) ? found : null;
  } catch {
    return null;
  }
}

function isRecord(given: unknown): given is Readonly<Record<string, unknown>> {
  return typeof given === 'object' && given !== null && !Array.isArray(given);
}
