/**
 * Tools and their calls as a folder's chat template writes them. Templates of most families take a call's arguments as an object,
 * a few as a text of JSON. A template without tools (SmolLM2, Gemma, Llama 2) gets both in plain words: the tools in the first message,
 * a call as JSON in the assistant's turn, what a tool says in the user's.
 */
import { callText, type AskedMessage, type AskedMessages, type ToolCall } from '@emac/core';

/** A request as the template takes it. */
export type ToolRequest = Pick<AskedMessages, 'messages' | 'tools'>;

/** The first form in which a template writes tools, a call and its result. Never throws. */
export function toolForm(rendered: (request: ToolRequest) => string): (request: ToolRequest) => ToolRequest {
  const writes = (form: (request: ToolRequest) => ToolRequest): boolean => {
    try {
      const text = rendered(form(probe));
      return Object.values(marks).every((mark) => text.includes(mark));
    } catch {
      return false;
    }
  };
  return [asObjects, asTexts].find(writes) ?? inWords;
}

/** An assistant's message that calls one tool; Mistral's templates want ids of nine letters or digits. */
export function callingMessage(call: ToolCall): AskedMessage {
  const { name, arguments: values } = call;
  return {
    role: 'assistant',
    content: '',
    tool_calls: [{ id: callId, type: 'function', function: { name, arguments: values } }],
  };
}

const callId = 'call00000';

const marks = {
  tool: 'weigh_it',
  described: 'Says how heavy.',
  argument: 'a feather',
  result: 'It is light.',
};

const probe: ToolRequest = {
  tools: [
    {
      type: 'function',
      function: {
        name: marks.tool,
        description: marks.described,
        parameters: { type: 'object', properties: { thing: { type: 'string' } }, required: ['thing'] },
      },
    },
  ],
  messages: [
    { role: 'user', content: 'Weigh it.' },
    callingMessage({ name: marks.tool, arguments: { thing: marks.argument } }),
    { role: 'tool', tool_call_id: callId, name: marks.tool, content: marks.result },
  ],
};

const asObjects = (request: ToolRequest): ToolRequest => request;

function asTexts({ messages, tools }: ToolRequest): ToolRequest {
  const texts = messages.map((message) => {
    const call = callIn(message);
    if (!call) return message;
    const values = JSON.stringify(call.arguments);
    const named = { id: callId, type: 'function', function: { name: call.name, arguments: values } };
    return { ...message, tool_calls: [named] };
  });
  return { messages: texts, ...(tools && { tools }) };
}

function inWords({ messages, tools = [] }: ToolRequest): ToolRequest {
  const [first, ...others] = messages;
  if (!first) return { messages };
  const described = tools.map((tool) => JSON.stringify(tool.function)).join('\n');
  const told = `${first.content}\n\nTools:\n${described}\n\nAnswer with one call: {"name":…,"arguments":{…}}`;
  const plain = ({ role, content, ...message }: AskedMessage): AskedMessage => {
    const call = callIn({ role, content, ...message });
    if (call) return { role, content: callText(call) };
    return { role: role === 'tool' ? 'user' : role, content };
  };
  return { messages: [{ ...first, content: told }, ...others.map(plain)] };
}

function callIn({ tool_calls: calls }: AskedMessage): ToolCall | null {
  const [first] = Array.isArray(calls) ? (calls as readonly { readonly function: ToolCall }[]) : [];
  return first?.function ?? null;
}
