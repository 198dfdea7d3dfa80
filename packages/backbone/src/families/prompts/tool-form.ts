/**
 * Tools and their calls as a folder's chat template writes them. Templates of most families take a call's arguments as an object,
 * a few as a text of JSON. A template without tools (SmolLM2, Gemma, Llama 2) gets both in plain words: the tools in the first message,
 * a call as JSON in the assistant's turn, what a tool says in the user's.
 */
import { callText, type AskedMessage, type AskedMessages, type ToolCall } from '@emac/core';

/** A request as the template takes it. */
export type ToolRequest = Pick<AskedMessages, 'messages' | 'tools' | 'form'>;

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
    const calls = callsIn(message);
    if (calls.length === 0) return message;
    const written = calls.map(({ id, name, values }) => ({
      id,
      type: 'function',
      function: { name, arguments: typeof values === 'string' ? values : JSON.stringify(values) },
    }));
    return { ...message, tool_calls: written };
  });
  return { messages: texts, ...(tools && { tools }) };
}

/** Tools, calls and results in plain words, a message for each message. */
export function inWords({ messages, tools = [] }: ToolRequest): ToolRequest {
  const plain = messages.map(({ role, content, ...message }): AskedMessage => {
    const calls = callsIn({ role, content, ...message }).map(({ name, values }) =>
      typeof values === 'string' ? values : callText({ name, arguments: values }),
    );
    return {
      role: role === 'tool' ? 'user' : role,
      content: [content, ...calls].filter((text) => text !== '').join('\n'),
    };
  });
  const [first, ...others] = plain;
  if (!first || tools.length === 0) return { messages: plain };
  const described = tools.map((tool) => JSON.stringify(tool.function)).join('\n');
  const told = `${first.content}\n\nTools:\n${described}\n\nAnswer with one call: {"name":…,"arguments":{…}}`;
  return { messages: [{ ...first, content: told }, ...others] };
}

/** Whether a request needs the template's form of tools. */
export function speaksOfTools({ messages, tools = [] }: ToolRequest): boolean {
  return tools.length > 0 || messages.some(({ role, tool_calls: calls }) => role === 'tool' || calls);
}

interface WrittenCall {
  readonly id: string;
  readonly name: string;
  /** a text where it is no object, as a client may send it */
  readonly values: ToolCall['arguments'] | string;
}

function callsIn({ tool_calls: calls }: AskedMessage): WrittenCall[] {
  if (!Array.isArray(calls)) return [];
  const given = calls as readonly {
    readonly id?: string;
    readonly function: { readonly name: string; readonly arguments: WrittenCall['values'] };
  }[];
  return given.map(({ id = callId, function: { name, arguments: values } }) => ({ id, name, values }));
}
