/** The conversation between a chat model and the tools of a custom environment: the task, then calls and what the tools said. */
import {
  askedText,
  callText,
  EmacError,
  readCallText,
  type AskedMessage,
  type AskedTool,
  type History,
  type Speech,
  type SpeechForm,
  type SpeechPolicy,
} from '@emac/core';
import { readCall } from '@emac/postprocess';
import { shortestCall } from './schema-calls.ts';

/**
 * Above the limit the oldest calls are dropped. Errors: `usage` for a policy that is no chat model, and for one whose answers have no room
 * for any call.
 */
export function toolSpeech(
  policy: SpeechPolicy,
  { maxTokens, dialogue }: SpeechForm,
  { id, tools }: { readonly id: string; readonly tools: readonly AskedTool[] },
): Speech {
  if (dialogue !== 'messages')
    throw new EmacError('usage', `${id}: has tools, which a chat model calls; give one with --policy`);
  const requireRoom = roomIn(policy, id);
  requireRoom?.(shortestOf(policy, tools), 'the shortest call');
  return {
    ...(requireRoom && { requireRoom: (action: string) => requireRoom(action, 'the expert’s call') }),
    prompt: ({ history: { initial, turns } }) => {
      for (let dropped = 0; ; dropped++) {
        const messages = messagesOf({ initial, turns: turns.slice(dropped) });
        const text = askedText({ messages, tools });
        if (dropped >= turns.length || policy.countPromptTokens(text) <= maxTokens) return text;
      }
    },
    target: (action) => action,
    read: ({ text }) => {
      const read = readCall(text);
      return { action: 'call' in read ? callText(read.call) : text.trim() || null, actionStart: 0 };
    },
  };
}

type RequireRoom = (action: string, what: string) => void;

/** An answer that the limit cuts is no call. Null where the policy does not say how long its answers are. */
function roomIn({ answerTokens, longestAnswer }: SpeechPolicy, id: string): RequireRoom | null {
  if (!answerTokens || longestAnswer === undefined) return null;
  return (action, what) => {
    // the end token too
    const needed = answerTokens(action).length + 1;
    if (needed > longestAnswer)
      throw new EmacError(
        'usage',
        `--max-new-tokens: ${what} in ${id} has ${needed} tokens (${action}), got ${longestAnswer}; give at least ${needed}`,
      );
  };
}

/** The call of a tool that needs the fewest tokens. */
function shortestOf({ answerTokens }: SpeechPolicy, tools: readonly AskedTool[]): string {
  const calls = tools.map(shortestCall);
  const length = (call: string) => answerTokens?.(call).length ?? call.length;
  return calls.reduce((best, call) => (length(call) < length(best) ? call : best));
}

/** Mistral's templates want ids of nine letters or digits. */
const id = 'call00000';

function messagesOf({ initial, turns }: History): AskedMessage[] {
  const said = turns.flatMap(({ command, observation }): AskedMessage[] => {
    const call = readCallText(command);
    const heard: AskedMessage = call
      ? { role: 'tool', tool_call_id: id, name: call.name, content: observation }
      : { role: 'user', content: observation };
    return [answerMessage(command), heard];
  });
  return [{ role: 'user', content: initial }, ...said];
}

/** The assistant's message of an answer: a call of a tool, or words. */
export function answerMessage(answer: string): AskedMessage {
  const call = readCallText(answer);
  if (!call) return { role: 'assistant', content: answer };
  const { name, arguments: values } = call;
  return {
    role: 'assistant',
    content: '',
    tool_calls: [{ id, type: 'function', function: { name, arguments: values } }],
  };
}
